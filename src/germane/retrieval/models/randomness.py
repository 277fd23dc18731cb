"""Divergence from randomness: a term tells more, the further its frequency is from what chance would give."""

from __future__ import annotations

from dataclasses import dataclass

from germane.catalogue import Positive
from germane.retrieval.models.curves import Curve, Poisson
from germane.retrieval.models.model import Model, model
from germane.retrieval.query import TermStats


@model("PL2")
@dataclass(frozen=True)
class PL2(Model):
    """Divergence from randomness: Poisson model, Laplace's after-effect, normalisation 2.

    Formula:    Σ q(t) · (tfn·log2(tfn/λ) + (λ + 1/(12·tfn) - tfn)·log2 e + ½·log2(2π·tfn)) / (tfn + 1),
                tfn = tf·log2(1 + c·average/length), λ = (occurrences of the term in all)/N
    Reference:  Amati & van Rijsbergen, "Probabilistic models of information retrieval based on measuring the
                divergence from randomness", TOIS 20 (2002), 357-389.
    Edge cases: Made for λ well below tfn. A term that occurs more than about once in each document can lower a score,
                and more occurrences of it need not raise one. Scores may be below 0.

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
