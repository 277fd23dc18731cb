"""Probabilistic feedback: re-estimate the probability that relevant documents contain each term."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated, ClassVar, Literal

from germane.catalogue import Count, Positive, Probability, Range
from germane.errors import GermaneError
from germane.retrieval.feedback.method import FEEDBACK, Feedback, JudgedDocuments, Refined, TermChange, by_weight
from germane.retrieval.models import BIR, BM25, Model, rsj_weight
from germane.retrieval.models.curves import Curve
from germane.retrieval.query import Query, Relevance, TermStats
from germane.tables.columns.ids import IntArray

if TYPE_CHECKING:
    from germane.retrieval.indexes.index import Index


@dataclass(frozen=True)
class Estimate:
    """p and r, the probabilities that a relevant and a non-relevant document contain a term, and its weight."""

    p: float
    r: float
    weight: float

    @classmethod
    def of(cls, term: TermStats, prior: float = 0.5, prior_weight: float = 1.0) -> Estimate:
        """Estimate p = (s + λ·prior) / (S + λ) and r = (n - s + ½) / (N - S + 1); every document not known to be
        relevant counts as non-relevant.

        >>> from germane.retrieval.query import Collection
        >>> found = Estimate.of(TermStats("wine", df=4, cf=4, collection=Collection(9, 90)))
        >>> found.p, found.r, round(found.weight, 4)                  # no judgments: ln (5.5 / 4.5)
        (0.5, 0.45, 0.2007)
        """
        p = (term.relevant_with + prior_weight * prior) / (term.num_relevant + prior_weight)
        r = (term.df - term.relevant_with + 0.5) / (term.num_docs - term.num_relevant + 1)
        return cls(p, r, rsj_weight(term, prior=prior, prior_weight=prior_weight))


def known(term: TermStats, relevant: JudgedDocuments) -> TermStats:
    """Return a term's counts given that these documents are relevant."""
    return replace(term, num_relevant=len(relevant), relevant_with=relevant.num_holders[term.term])


@dataclass(frozen=True, eq=False)
class RelevanceWeighted(Model):
    """A model in which relevance weights estimated by feedback replace idf.

    Formula:    query weight · c · the curve of the base model
    """

    name: ClassVar[str] = "relevance-weighted"
    base: Model
    weights: Mapping[str, float]
    added: Mapping[str, float]
    """Query weight of each added term; a term of the original query has 1."""

    def __post_init__(self) -> None:
        """Skip validation: nothing here is typed by a person."""

    def __eq__(self, other: object) -> bool:
        return self is other  # each query has its own weights, and Model compares only the class

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
    """Reject models without an idf that relevance weights could replace."""
    if not isinstance(model, BIR | BM25):
        problem = f"{method} replaces a model's idf with relevance weights, but {model} has no idf"
        raise GermaneError(problem, hint=f"use BIR or BM25, as in {method}(model=BM25)")


@FEEDBACK.add("probabilistic")
@dataclass(frozen=True, kw_only=True, repr=False)
class Probabilistic(Feedback):
    """Probabilistic feedback: relevance weights estimated from judged documents and a prior replace idf.

    Formula:    c = ln p/(1-p) + ln (1-r)/r  with  p = (s + λ·prior) / (S + λ)  and  r = (n - s + ½) / (N - S + 1). S
                documents are judged relevant, s of them contain the term, n of all N do. `expand` is the number of
                terms to add from the relevant documents: those of highest offer weight, c·ln s (offer=log) or c·s
                (offer=count), each with `new_weight` times its c.
    Reference:  Robertson & Sparck Jones, "Relevance Weighting of Search Terms", JASIS 1976; Robertson, "On Term
                Selection for Query Expansion", J. Doc. 1990 (c·s). c·ln s, 20 terms, 0.2: Anserini's BM25PRF.
    Edge cases: prior_weight is λ; λ = 1 with a prior of ½ is the ½ correction of Robertson and Sparck Jones, a larger λ
                trusts the prior more. Documents judged non-relevant count in r, as do all that are not known to be
                relevant. A negative weight stays negative (negative=drop removes the term). A new term must occur in
                at least `new_in` relevant documents and have c above 0.
    """

    prior_weight: Positive = 1.0
    prior: Probability = 0.5
    negative: Literal["keep", "drop"] = "keep"
    expand: Annotated[int, Range(0)] = 0
    offer: Literal["log", "count"] = "log"
    new_weight: Positive = 0.2
    new_in: Count = 2

    def refined(
        self, index: Index, model: Model, query: Query, relevant: JudgedDocuments, nonrelevant: JudgedDocuments
    ) -> Refined:
        require_replaceable(self.name, model)
        written = index.statistics_of(query.weights)
        weight = {term: self._estimate(found, relevant).weight for term, found in written.items()}
        dropped = [term for term in written if weight[term] <= 0 and self.negative == "drop"]
        candidates = self._candidates(relevant, query) if self.expand else {}
        added = dict.fromkeys(candidates, self.new_weight)
        changes = []
        for term, found in written.items():
            before = Estimate.of(found, self.prior, self.prior_weight).weight
            after = 0.0 if term in dropped else weight[term]
            changes.append(TermChange(term, before, after, self._why(found, relevant)))
        for term, offered in candidates.items():
            why = f"{self._why(relevant.statistics[term], relevant)}; {self.new_weight:g} × {offered:.4f}"
            changes.append(TermChange(term, 0.0, self.new_weight * offered, why))
        kept = {term: query.weights[term] for term in written if term not in dropped}
        holders = {term: count for term, count in relevant.num_holders.items() if term in weight or term in added}
        return Refined(
            Query({**kept, **added}, relevance=Relevance(len(relevant), holders)),
            RelevanceWeighted(model, {**weight, **candidates}, added),
            by_weight(changes),
            notes=(f"removed, because their weight is not above 0: {', '.join(dropped)}",) if dropped else (),
        )

    def _estimate(self, term: TermStats, relevant: JudgedDocuments) -> Estimate:
        return Estimate.of(known(term, relevant), self.prior, self.prior_weight)

    def _candidates(self, relevant: JudgedDocuments, query: Query) -> dict[str, float]:
        """Return the new terms of highest offer weight, with the relevance weight of each."""
        offers = []
        for term, count in relevant.num_holders.items():
            if term not in query.weights and count >= self.new_in:
                weight = self._estimate(relevant.statistics[term], relevant).weight
                times = math.log(count) if self.offer == "log" else count
                if weight > 0 and times > 0:
                    offers.append((-weight * times, term, weight))
        return {term: weight for _, term, weight in sorted(offers)[: self.expand]}

    def _why(self, term: TermStats, relevant: JudgedDocuments) -> str:
        found = self._estimate(term, relevant)
        return f"{relevant.holding(term.term)}: p = {found.p:.4f}, r = {found.r:.4f}"
