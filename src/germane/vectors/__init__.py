"""Embeddings evaluated exactly: the rank of a judged document is one more than the number of documents above it.

Counting takes no sorting, no index and no cutoff. `matrix` holds vectors, `similarity` says what a score is, `pairs`
which pairs of a query and a document are listed or left out, `ranks` puts counts together; `on_numpy` and `on_torch`
do the counting; `nearest` finds the exact top k.
"""

from germane.public import offer

__getattr__, __dir__, __all__ = offer(__name__)
