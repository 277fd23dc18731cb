"""Retrieval: text analysis, index, ranking models, relevance feedback and fusion."""

from germane.public import offer

__getattr__, __dir__, __all__ = offer(__name__)
