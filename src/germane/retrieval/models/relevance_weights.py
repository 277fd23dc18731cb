"""Relevance weights of Robertson and Sparck Jones (RSJ), and Binary Independence Retrieval, which ranks by them.

A term's weight depends on its distribution over relevant and non-relevant documents.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from germane.catalogue import Probability, Weight
from germane.errors import GermaneError
from germane.retrieval.models.curves import Curve, Rational
from germane.retrieval.models.model import Model, model
from germane.retrieval.query import TermStats

Negative = Literal["keep", "cut"]
"""Treatment of a negative weight: keep it, so that the term counts against a document, or cut it to 0."""


def rsj_weight(term: TermStats, *, correction: float = 0.5, prior: float = 0.5, prior_weight: float = 1.0) -> float:
    """Return the log odds ratio of the term between relevant and non-relevant documents.

    Formula:    c = ln p/(1-p) + ln (1-r)/r, from the contingency table of the term,
                p/(1-p) = (s + λ·p₀) / (S-s + λ·(1-p₀)) with prior p₀ and prior weight λ,
                r/(1-r) = (n-s + k) / (N-n-S+s + k) with correction k
                p₀ = ½, λ = 1 and k = ½ add ½ to every cell, as in the lecture.
    Reference:  Robertson & Sparck Jones, "Relevance weighting of search terms", JASIS 27 (1976), 129-146.
    Edge cases: Without judgments (S = 0), p = p₀ for any λ; p₀ = ½ then gives ln (N-n+½)/(n+½). A table with
                a negative cell is an error, and so is an empty cell without correction.

    >>> from germane.retrieval.query import Collection
    >>> seen = TermStats("wine", df=6, cf=9, collection=Collection(100, 1000), num_relevant=4, relevant_with=3)
    >>> round(rsj_weight(seen), 4)    # ln (3.5/1.5) / (3.5/93.5)
    4.1325
    """
    N, n, S, s = term.num_docs, term.df, term.num_relevant, term.relevant_with
    if min(s, S - s, n - s, N - n - S + s) < 0:
        raise GermaneError(
            f"inconsistent counts for {term.term!r}: N = {N} documents, n = {n} with the term, S = {S} relevant, "
            f"s = {s} of them with the term",
            hint="count only relevant documents that are in the index now",
        )
    cells = {
        "relevant documents with the term": (s + prior_weight * prior) if S else prior,
        "relevant documents without the term": (S - s + prior_weight * (1 - prior)) if S else 1 - prior,
        "non-relevant documents with the term": n - s + correction,
        "non-relevant documents without the term": N - n - S + s + correction,
    }
    for what, count in cells.items():
        if count == 0:
            hint = "use a correction and a prior weight above 0"
            raise GermaneError(f"the weight of {term.term!r} is infinite: no {what}", hint=hint)
    relevant_with, relevant_without, other_with, other_without = cells.values()
    return math.log(relevant_with / relevant_without) - math.log(other_with / other_without)


def cut_negative(weight: float, negative: Negative) -> float:
    """Return the weight, or 0 for a negative one with `negative="cut"`."""
    return max(weight, 0.0) if negative == "cut" else weight


@model("BIR")
@dataclass(frozen=True)
class BIR(Model):
    """Binary Independence Retrieval: the retrieval status value (RSV) of probabilistic retrieval.

    Formula:    RSV = Σ c over the terms common to query and document;
                c = ln (s+½)(N-n-S+s+½) / ((S-s+½)(n-s+½)), without judgments ln (N-n+½)/(n+½)
    Reference:  Robertson & Sparck Jones, JASIS 27 (1976), 129-146; Croft & Harper, J. Doc. 35 (1979), 285-295.
    Edge cases: A term in more than half of the documents has a negative weight without judgments, so its presence
                counts against a document; `negative=cut` sets it to 0, `bent` raises it.
    Note:       `prior` is p for a term without evidence and `prior_weight` (λ) its weight as a number of judged
                documents: p = (s + λ·prior)/(S + λ). `correction` is added to the counts of non-relevant documents.
                `idf` uses ln N/n instead of ln (N-n+½)/(n+½) as long as nothing is judged (the limit in the lecture).
                Query and document are binary; `query_tf` multiplies by the term's frequency in the query, and `bent`
                replaces odds x below 2 by x/2 + 1, which keeps weights above 0: both are rules of Xapian.

    >>> from germane.retrieval.query import Collection
    >>> rare = TermStats("worser", df=4, cf=4, collection=Collection(100, 5000))
    >>> [round(m.term_factors(rare)["relevance weight"], 4) for m in (BIR(), BIR(idf=True))]    # ln 96.5/4.5, ln 100/4
    [3.0655, 3.2189]
    """

    correction: Weight = 0.5
    prior: Probability = 0.5
    prior_weight: Weight = 1.0
    idf: bool = False
    query_tf: bool = False
    bent: bool = False
    negative: Negative = "keep"

    def weigh_query(self, counts: Mapping[str, float], terms: Mapping[str, TermStats]) -> dict[str, float]:
        return {term: count if self.query_tf else 1.0 for term, count in counts.items()}

    def term_factors(self, term: TermStats) -> dict[str, float]:
        if self.idf and not term.num_relevant:
            weight = math.log(self.prior / (1 - self.prior)) + math.log(term.num_docs / term.df)
        else:
            weight = rsj_weight(term, correction=self.correction, prior=self.prior, prior_weight=self.prior_weight)
        if self.bent and weight < math.log(2):
            weight = math.log(math.exp(weight) / 2 + 1)
        return {"relevance weight": cut_negative(weight, self.negative)}

    def curve(self, term: TermStats) -> Curve:
        return Rational.constant()
