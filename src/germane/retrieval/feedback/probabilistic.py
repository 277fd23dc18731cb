"""Probabilistic feedback: estimate again how likely relevant documents are to hold each term."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Literal

from germane.catalogue import Count, Positive, Probability, Range
from germane.retrieval.feedback.judged_documents import JudgedDocuments, holding
from germane.retrieval.feedback.method import FEEDBACK, Feedback
from germane.retrieval.feedback.refined import Refined, TermChange, by_falling_weight
from germane.retrieval.feedback.reweighting import Estimate, RelevanceWeighted, known, require_replaceable
from germane.retrieval.models import Model
from germane.retrieval.query import Query
from germane.retrieval.statistics import Relevance, TermStats

if TYPE_CHECKING:
    from germane.retrieval.indexes.index import Index

Offer = Literal["log", "count"]


@FEEDBACK.add("probabilistic")
@dataclass(frozen=True, kw_only=True, repr=False)
class Probabilistic(Feedback):
    """Relevance weights instead of idf, from judged documents and a prior.

    Formula:    c = ln p/(1-p) + ln (1-r)/r  with  p = (s + λ·prior) / (S + λ)  and  r = (n - s + ½) / (N - S + 1).
                S documents are judged relevant, s of them hold the term, n of all N do. `expand` adds so many terms of
                the relevant documents: those of the highest offer c·ln s (offer=log) or c·s (offer=count), each with
                `new_weight` times its c.
    Reference:  Robertson & Sparck Jones, "Relevance Weighting of Search Terms", JASIS 1976; Robertson, "On Term
                Selection for Query Expansion", J. Doc. 1990 (c·s). c·ln s, 20 terms and .2 are Anserini's BM25PRF.
    Edge cases: prior_weight is λ; 1 with a prior of ½ is Robertson and Sparck Jones' ½ correction, larger values trust
                the first guess more. Documents judged not relevant count in r, as all that are not known to be
                relevant do. A weight may be negative, and stays so (negative=drop takes the term out). A new term is
                in `new_in` relevant documents at least, and its c is above 0.
    """

    prior_weight: Positive = 1.0
    prior: Probability = 0.5
    negative: Literal["keep", "drop"] = "keep"
    expand: Annotated[int, Range(0)] = 0
    offer: Offer = "log"
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
        changes = [
            TermChange(
                term,
                Estimate.of(found, self.prior, self.prior_weight).weight,
                0.0 if term in dropped else weight[term],
                relevant.holders.get(term, ()),
                nonrelevant.holders.get(term, ()),
                self._why(found, relevant),
            )
            for term, found in written.items()
        ] + [
            TermChange(
                term,
                0.0,
                self.new_weight * offered,
                relevant.holders[term],
                nonrelevant.holders.get(term, ()),
                f"{self._why(relevant.statistics[term], relevant)}; {self.new_weight:g} × {offered:.4f}",
            )
            for term, offered in candidates.items()
        ]
        kept = {term: query.weights[term] for term in written if term not in dropped}
        holders = {term: len(numbers) for term, numbers in relevant.holders.items() if term in {**weight, **added}}
        return Refined(
            Query({**kept, **added}, relevance=Relevance(len(relevant), holders)),
            RelevanceWeighted(model, {**weight, **candidates}, added),
            by_falling_weight(changes),
            notes=(f"weight not above 0, taken out: {', '.join(dropped)}",) if dropped else (),
        )

    def _estimate(self, term: TermStats, relevant: JudgedDocuments) -> Estimate:
        counts = known(term, len(relevant), len(relevant.holders.get(term.term, ())))
        return Estimate.of(counts, self.prior, self.prior_weight)

    def _candidates(self, relevant: JudgedDocuments, query: Query) -> dict[str, float]:
        """The new terms with the highest offers, and the weight of each."""
        offers = []
        for term, holders in relevant.holders.items():
            if term not in query.weights and len(holders) >= self.new_in:
                weight = self._estimate(relevant.statistics[term], relevant).weight
                times = math.log(len(holders)) if self.offer == "log" else len(holders)
                if weight > 0 and times > 0:
                    offers.append((-weight * times, term, weight))
        return {term: weight for _, term, weight in sorted(offers)[: self.expand]}

    def _why(self, term: TermStats, relevant: JudgedDocuments) -> str:
        found = self._estimate(term, relevant)
        return f"{holding(relevant, term.term)}: p = {found.p:.4f}, r = {found.r:.4f}"
