"""Measures: the registry and its grammar of names, and what they are computed from."""

from germane.public import offer

__getattr__, __dir__, __all__ = offer(__name__)
