"""Models without term factors: query likelihood, and divergence from randomness.

Query likelihood is the probability of the query in a language model of the document, smoothed by the collection's.
Divergence from randomness measures how far a term's frequency departs from chance.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from germane.catalogue import Positive, Probability
from germane.retrieval.models.curves import Curve, Logarithm, Poisson
from germane.retrieval.models.model import Model, model
from germane.retrieval.query import TermStats
from germane.tables.columns.ids import FloatArray

if TYPE_CHECKING:
    from germane.retrieval.indexes.index import Index


@model("QL", LMDirichlet="", Dirichlet="")
@dataclass(frozen=True)
class QL(Model):
    """Query likelihood with Dirichlet smoothing; μ is the prior's size in words.

    Formula:    Σ q(t) · ln(1 + tf/(μ·p(t))) + |q|·ln(μ/(μ + length)), p(t) = P(t|collection), its share of all words;
                that is ln P(query|document) - ln P(query|collection)
    Reference:  Zhai & Lafferty, "A study of smoothing methods for language models", TOIS 22 (2004), 179-214.
    Edge cases: A term that occurs in no document is dropped from the query, and from |q|. Scores may be negative.

    >>> from germane.retrieval.query import Collection
    >>> term = TermStats("wine", df=1, cf=1, collection=Collection(num_docs=10, num_tokens=1000))
    >>> QL(mu=100).curve(term).values(np.array([1]), np.array([50])).round(4)    # ln(1 + 1/(100·0.001))
    array([2.3979])
    """

    mu: Positive = 1000.0

    def term_factors(self, term: TermStats) -> dict[str, float]:
        return {}

    def curve(self, term: TermStats) -> Curve:
        return Logarithm(inside=1.0, factor=1 / (self.mu * share(term)))

    def offset(self, index: Index) -> FloatArray:
        return np.asarray(np.log(self.mu / (self.mu + index.lengths)))


@model("QLJM", LMJelinekMercer="", JelinekMercer="")
@dataclass(frozen=True)
class QLJM(Model):
    """Query likelihood with Jelinek-Mercer smoothing: document and collection models are interpolated.

    Formula:    Σ q(t) · ln(1 + (1-λ)/λ · tf / (length·p(t))), p(t) = P(t|collection), its share of all words; λ is the
                weight of the collection, so this is ln P(query|document) - ln P(query|collection) - |q|·ln λ
    Reference:  Zhai & Lafferty, "A study of smoothing methods for language models", TOIS 22 (2004), 179-214.
    Edge cases: A term that occurs in no document is dropped from the query.
    Note:       λ around 0.1 suits short queries, around 0.7 long ones. In other software λ may be the document's
                weight.

    >>> from germane.retrieval.query import Collection
    >>> term = TermStats("wine", df=1, cf=1, collection=Collection(num_docs=10, num_tokens=1000))
    >>> QLJM(0.5).curve(term).values(np.array([1]), np.array([50])).round(4)    # ln(1 + (1/50)/0.001)
    array([3.0445])
    """

    lambda_: Probability = 0.1

    def term_factors(self, term: TermStats) -> dict[str, float]:
        return {}

    def curve(self, term: TermStats) -> Curve:
        return Logarithm(inside=1.0, factor=(1 - self.lambda_) / (self.lambda_ * share(term)), by_length=True)


def share(term: TermStats) -> float:
    """Return P(term|collection), the share of a term in all words of the collection."""
    return term.cf / term.collection.num_tokens


@model("PL2")
@dataclass(frozen=True)
class PL2(Model):
    """Divergence from randomness, PL2: Poisson model, Laplace after-effect, normalisation 2.

    Formula:    Σ q(t) · (tfn·log2(tfn/λ) + (λ + 1/(12·tfn) - tfn)·log2 e + ½·log2(2π·tfn)) / (tfn + 1),
                tfn = tf·log2(1 + c·average/length), λ = cf/N, occurrences of the term per document
    Reference:  Amati & van Rijsbergen, "Probabilistic models of information retrieval based on measuring the
                divergence from randomness", TOIS 20 (2002), 357-389.
    Edge cases: The model assumes λ well below tfn. A term that occurs more than about once per document can lower a
                score, and more occurrences of it need not raise the score. Scores may be negative.

    >>> import numpy as np
    >>> from germane.retrieval.query import Collection
    >>> term = TermStats("wine", df=3, cf=5, collection=Collection(num_docs=10, num_tokens=100))
    >>> PL2().curve(term).values(np.array([1, 2]), np.array([10, 10])).round(3)    # λ = 0.5, tfn = tf
    array([0.862, 1.241])
    """

    c: Positive = 1.0

    def term_factors(self, term: TermStats) -> dict[str, float]:
        return {}

    def curve(self, term: TermStats) -> Curve:
        return Poisson(mean=term.cf / term.num_docs, stretch=self.c * term.avg_length)
