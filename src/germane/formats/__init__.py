"""Readers and writers: files and in-memory objects in every supported format, to and from tables."""

from germane.public import offer

__getattr__, __dir__, __all__ = offer(__name__)
