"""Ground truth: pools, judgments and what is learned from them, as the package `judging` and the API define it."""

from germane.public import offer

__getattr__, __dir__, __all__ = offer(__name__)
