"""Measures: the registry, the grammar of measure names, and the judged runs they are computed from."""

from germane.public import offer

__getattr__, __dir__, __all__ = offer(__name__)
