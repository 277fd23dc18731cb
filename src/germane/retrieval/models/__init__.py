"""Ranking models: BM25 and its variants, vector space, binary independence, query likelihood, randomness.

Importing this package registers them all.
"""

from germane.retrieval.models.bm25 import BM25
from germane.retrieval.models.model import MODELS, Model, model
from germane.retrieval.models.query_likelihood import PL2, QL, QLJM
from germane.retrieval.models.relevance_weights import BIR, rsj_weight
from germane.retrieval.models.vector_space import TFIDF, VSM, VectorSpace

__all__ = ["BIR", "BM25", "MODELS", "PL2", "QL", "QLJM", "TFIDF", "VSM", "Model", "VectorSpace", "model", "rsj_weight"]
