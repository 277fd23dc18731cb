"""Ranking models: BM25 and its variants, vector space, binary independence, query likelihood, randomness.

Importing this package registers them all.
"""

from germane.retrieval.models.binary_independence import BIR
from germane.retrieval.models.bm25 import BM25
from germane.retrieval.models.model import MODELS, Model, model
from germane.retrieval.models.query_likelihood import QL, QLJM
from germane.retrieval.models.randomness import PL2
from germane.retrieval.models.relevance_weights import rsj_weight
from germane.retrieval.models.vector_space import TFIDF, VSM, VectorSpace
from germane.retrieval.models.weighting import Weigher, WeightedTerm, weighted_terms

__all__ = [
    "BIR",
    "BM25",
    "MODELS",
    "PL2",
    "QL",
    "QLJM",
    "TFIDF",
    "VSM",
    "Model",
    "VectorSpace",
    "Weigher",
    "WeightedTerm",
    "model",
    "rsj_weight",
    "weighted_terms",
]
