"""The weight of a term by how it is spread over relevant and other documents (Robertson and Sparck Jones, RSJ)."""

from __future__ import annotations

import math
from typing import Literal

from germane.errors import GermaneError
from germane.retrieval.statistics import TermStats

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

    >>> from germane.retrieval.statistics import Collection
    >>> seen = TermStats("wine", df=6, cf=9, collection=Collection(100, 1000), num_relevant=4, relevant_with=3)
    >>> round(rsj_weight(seen), 4)    # ln (3.5/1.5) / (3.5/93.5)
    4.1325
    """
    N, n, S, s = term.num_docs, term.df, term.num_relevant, term.relevant_with
    require_table(term)
    cells = {
        "relevant documents with it": (s + prior_weight * prior) if S else prior,
        "relevant documents without it": (S - s + prior_weight * (1 - prior)) if S else 1 - prior,
        "other documents with it": n - s + correction,
        "other documents without it": N - n - S + s + correction,
    }
    for what, count in cells.items():
        if count == 0:
            raise GermaneError(
                f"the weight of {term.term!r} is infinite: there are no {what}",
                hint="a correction and a prior weight above 0 avoid that",
            )
    relevant_with, relevant_without, other_with, other_without = cells.values()
    return math.log(relevant_with / relevant_without) - math.log(other_with / other_without)


def require_table(term: TermStats) -> None:
    """Refuse counts that no collection has: a cell of the term's contingency table below 0."""
    N, n, S, s = term.num_docs, term.df, term.num_relevant, term.relevant_with
    if min(s, S - s, n - s, N - n - S + s) < 0:
        raise GermaneError(
            f"the counts of {term.term!r} do not fit together: N = {N} documents, n = {n} with it, S = {S} relevant, "
            f"s = {s} of them with it",
            hint="count only relevant documents that the index holds, in the state in which it is searched",
        )


def cut_negative(weight: float, negative: Negative) -> float:
    """The weight, or 0 in its place where it is below 0 and that was asked for."""
    return max(weight, 0.0) if negative == "cut" else weight
