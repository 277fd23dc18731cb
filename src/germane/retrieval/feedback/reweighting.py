"""Relevance weights: what a term says for relevance, from how many relevant and how many other documents hold it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, ClassVar

from germane.errors import GermaneError
from germane.retrieval.models import BIR, BM25, Model, rsj_weight
from germane.retrieval.models.curves import Curve
from germane.retrieval.query import Query
from germane.retrieval.statistics import TermStats
from germane.tables.columns.ids import IntArray

if TYPE_CHECKING:
    from germane.retrieval.indexes.index import Index


@dataclass(frozen=True)
class Estimate:
    """p: the chance that a relevant document holds the term; r: that another one does; and the weight they give it."""

    p: float
    r: float
    weight: float

    @classmethod
    def of(cls, term: TermStats, prior: float = 0.5, prior_weight: float = 1.0) -> Estimate:
        """p = (s + λ·prior) / (S + λ), and r = (n - s + ½) / (N - S + 1): every document that is not known to be
        relevant is taken not to be.

        >>> from germane.retrieval.statistics import Collection
        >>> found = Estimate.of(TermStats("wine", df=4, cf=4, collection=Collection(9, 90)))
        >>> found.p, found.r, round(found.weight, 4)                  # nothing judged: ln (5.5 / 4.5)
        (0.5, 0.45, 0.2007)
        """
        p = (term.relevant_with + prior_weight * prior) / (term.num_relevant + prior_weight)
        r = (term.df - term.relevant_with + 0.5) / (term.num_docs - term.num_relevant + 1)
        return cls(p, r, rsj_weight(term, prior=prior, prior_weight=prior_weight))


def known(term: TermStats, num_relevant: int, relevant_with: int) -> TermStats:
    """A term's counts once S documents are known to be relevant, s of which hold it."""
    return replace(term, num_relevant=num_relevant, relevant_with=relevant_with)


@dataclass(frozen=True, eq=False)
class RelevanceWeighted(Model):
    """A model whose idf gives way to relevance weights that feedback has estimated.

    Formula:    query weight · c · the curve of the base model
    """

    name: ClassVar[str] = "relevance-weighted"
    base: Model
    weights: Mapping[str, float]
    added: Mapping[str, float]
    """The new terms and how much each counts, as against 1 for a term that somebody wrote."""

    def __post_init__(self) -> None:
        """Nothing here was typed by a person, so there is nothing to check."""

    def __eq__(self, other: object) -> bool:
        return self is other  # each query has its own weights; Model itself would compare no more than the class

    def __hash__(self) -> int:
        return id(self)

    def query_weights(self, query: Query, terms: Mapping[str, TermStats]) -> dict[str, float]:
        written = {term: found for term, found in terms.items() if term not in self.added}
        own = self.base.query_weights(query, written)
        return {term: own[term] if term in own else self.added[term] for term in terms}

    def term_factors(self, term: TermStats) -> dict[str, float]:
        return {"relevance weight": self.weights[term.term]}

    def curve(self, term: TermStats) -> Curve:
        return self.base.curve(term)

    def lengths(self, index: Index) -> IntArray:
        return self.base.lengths(index)

    def __str__(self) -> str:
        return f"{self.base} with relevance weights"


def require_replaceable(method: str, model: Model) -> None:
    """Refuse models in which no idf stands to be replaced."""
    if not isinstance(model, BIR | BM25):
        raise GermaneError(
            f"{method} puts relevance weights where a model has its idf, which is not so in {model}",
            hint=f"use it with BIR or BM25, as in {method}(model=BM25)",
        )
