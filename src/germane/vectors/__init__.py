"""Exact evaluation of embeddings: the rank of a judged document is 1 plus the number of documents above it.

Counting needs no sorting, no index and no cutoff. `matrix` holds vectors, `similarity` defines scores, `pairs` holds
listed and excluded pairs of query and document, `ranks` turns counts into ranks; `on_numpy` and `on_torch` do the
counting; `nearest` finds the exact top k.
"""

from germane.public import offer

__getattr__, __dir__, __all__ = offer(__name__)
