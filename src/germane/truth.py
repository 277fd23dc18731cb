"""Ground truth: pooling, judgments, agreement and releases."""

from germane.public import offer

__getattr__, __dir__, __all__ = offer(__name__)
