"""Relevance weights (Robertson and Sparck Jones, RSJ), and Binary Independence Retrieval, which ranks by them alone.

A term weighs by how it is spread over relevant and other documents.
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
"""What becomes of a weight below 0: it stays, so that the term's presence counts against a document, or it is 0."""


def rsj_weight(term: TermStats, *, correction: float = 0.5, prior: float = 0.5, prior_weight: float = 1.0) -> float:
    """The logarithm of how much more likely a relevant document holds the term than another, as odds.

    Formula:    c = ln p/(1-p) + ln (1-r)/r, from the contingency table of the term,
                p/(1-p) = (s + λ·p₀) / (S-s + λ·(1-p₀)) with prior p₀ and prior weight λ,
                r/(1-r) = (n-s + k) / (N-n-S+s + k) with correction k
                p₀ = ½, λ = 1 and k = ½ are the lecture's "+ 1/2" in every cell.
    Reference:  Robertson & Sparck Jones, "Relevance weighting of search terms", JASIS 27 (1976), 129-146.
    Edge cases: Nothing judged (S = 0): p = p₀ whatever its weight, which with p₀ = ½ leaves ln (N-n+½)/(n+½).
                A table with a negative cell is an error, and so is an empty cell that nothing was added to.

    >>> from germane.retrieval.query import Collection
    >>> seen = TermStats("wine", df=6, cf=9, collection=Collection(100, 1000), num_relevant=4, relevant_with=3)
    >>> round(rsj_weight(seen), 4)    # ln (3.5/1.5) / (3.5/93.5)
    4.1325
    """
    N, n, S, s = term.num_docs, term.df, term.num_relevant, term.relevant_with
    if min(s, S - s, n - s, N - n - S + s) < 0:
        raise GermaneError(
            f"the counts of {term.term!r} do not fit together: N = {N} documents, n = {n} with it, S = {S} relevant, "
            f"s = {s} of them with it",
            hint="count only relevant documents that the index holds, in the state in which it is searched",
        )
    cells = {
        "relevant documents with it": (s + prior_weight * prior) if S else prior,
        "relevant documents without it": (S - s + prior_weight * (1 - prior)) if S else 1 - prior,
        "other documents with it": n - s + correction,
        "other documents without it": N - n - S + s + correction,
    }
    for what, count in cells.items():
        if count == 0:
            hint = "a correction and a prior weight above 0 avoid that"
            raise GermaneError(f"the weight of {term.term!r} is infinite: there are no {what}", hint=hint)
    relevant_with, relevant_without, other_with, other_without = cells.values()
    return math.log(relevant_with / relevant_without) - math.log(other_with / other_without)


def cut_negative(weight: float, negative: Negative) -> float:
    """The weight, or 0 in its place where it is below 0 and that was asked for."""
    return max(weight, 0.0) if negative == "cut" else weight


@model("BIR")
@dataclass(frozen=True)
class BIR(Model):
    """Binary Independence Retrieval: the retrieval status value (RSV) of probabilistic retrieval.

    Formula:    RSV = Σ c over the terms that query and document share;
                c = ln (s+½)(N-n-S+s+½) / ((S-s+½)(n-s+½)), before any judgment ln (N-n+½)/(n+½)
    Reference:  Robertson & Sparck Jones, JASIS 27 (1976), 129-146; Croft & Harper, J. Doc. 35 (1979), 285-295.
    Edge cases: A term in more than half of the documents weighs less than 0 without judgments, and then holding it
                counts against a document; `negative=cut` makes that 0, `bent` lifts it.
    Note:       `prior` is p for a term of which nothing is known and `prior_weight` (λ) how many judged documents it
                is worth: p = (s + λ·prior)/(S + λ). `correction` is what is added for the other documents.
                `idf` takes ln N/n in place of ln (N-n+½)/(n+½) as long as nothing is judged (the lecture's limit).
                Query and document are both binary; `query_tf` multiplies by how often the query has the term, and
                `bent` takes odds x below 2 as x/2 + 1, which keeps weights above 0: both are Xapian's rules.

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
