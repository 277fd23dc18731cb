"""Active learning: choose the document whose judgment is expected to be most informative."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np

from germane.errors import GermaneError, did_you_mean
from germane.learning.agent.answers import Ranked, probability_of
from germane.retrieval.indexes.index import Index
from germane.retrieval.probability.ranking_principle import Costs
from germane.tables.columns.ids import FloatArray, IntArray
from germane.tables.results.columns import F, table

By = Literal["entropy", "cost", "change"]
"""Criteria: less entropy of relevance, lower expected cost of the answer, or more change at the top of the ranking."""
HORIZON = 50
"""Number of top documents over which entropy and costs are summed."""
UNITS = {"entropy": "bits of entropy removed", "cost": "less expected cost", "change": "of the top ten changed"}
CANDIDATES = (
    F("doc", "name", "document"),
    F("probability", "value", "P(R|d)", digits=3),
    F("value", "value", "expected gain", digits=3),
)
TOP = 10
"""Number of top documents checked for changes."""


@dataclass(frozen=True)
class Candidate:
    """A candidate to ask about: P(R|d), and the expected gain of its judgment."""

    doc: str
    probability: float
    value: float


@dataclass(frozen=True)
class Question:
    """The document to ask about, and all candidates, best first; `uncertainty` is in bits."""

    query: str
    doc: str
    probability: float
    value: float
    by: By
    uncertainty: float
    candidates: tuple[Candidate, ...]

    def __str__(self) -> str:
        """Return the question, its value, and the table of candidates."""
        return (
            f"is {self.doc} relevant? Expected gain: {self.value:.3f} ({UNITS[self.by]}); "
            f"entropy of the top {HORIZON}: {self.uncertainty:.1f} bits\n\n"
            f"{table('candidates', CANDIDATES, self.candidates)}"
        )


def entropy(probabilities: FloatArray) -> float:
    """Return the entropy of the relevance of documents, in bits: Σ -p·log₂ p - (1-p)·log₂(1-p).

    >>> entropy(np.array([0.5, 1.0])), round(entropy(np.array([0.9])), 3)
    (1.0, 0.469)
    """
    p = probabilities[(probabilities > 0) & (probabilities < 1)]
    return float(-(p * np.log2(p) + (1 - p) * np.log2(1 - p)).sum())


def least_cost(probabilities: FloatArray, costs: Costs) -> float:
    """Return the expected cost of the best decision on some documents.

    >>> round(least_cost(np.array([0.9, 0.3, 0.1]), Costs(relevant=-3, non_relevant=1)), 4)      # -2.6 - 0.2
    -2.8
    """
    return float(np.minimum(costs.of_returning(probabilities), costs.of_leaving(probabilities)).sum())


def expected_gain(p: float, now: float, if_relevant: float, if_not: float) -> float:
    """Return the expected reduction after an answer.

    Formula:    now - (p · if relevant + (1-p) · if not), with p = P(R|d) of the document asked about

    >>> half, tenth = entropy(np.array([0.5])), entropy(np.array([0.9]))
    >>> round(expected_gain(0.5, 2 * half, tenth, tenth), 3)    # d and one more at ½; after either answer 0.9 or 0.1
    1.531
    """
    return now - (p * if_relevant + (1 - p) * if_not)


def best_question(
    index: Index,
    text: str,
    found: Ranked,
    marks: Mapping[int, bool],
    after: Callable[[Mapping[int, bool]], Ranked],
    costs: Costs,
    by: By,
    candidates: int,
) -> Question:
    """Choose among the best `candidates` unjudged documents; `after` ranks with other judgments.

    Formula:    value(d) = U(now) - P(R|d)·U(if d is relevant) - (1-P(R|d))·U(if it is not), where U is for entropy: the
                sum of the entropies of P(R|d′) over the current top 50 documents d′; for cost: the expected cost of the
                best decision on these; for change: U(now) is 0 and U after is minus the share of the top ten that is
                new
    Edge cases: Of equal values the higher-ranked document is chosen. A value may be negative: P(R|d) before and after
                feedback are calibrated separately, so an answer can increase the entropy.
    """
    if by not in get_args(By):
        known = ", ".join(get_args(By))
        raise GermaneError(f"expected by to be one of {known}, found {by!r}{did_you_mean(str(by), get_args(By))}")
    if candidates < 1:
        raise GermaneError(f"expected at least 1 candidate, found {candidates}")
    unjudged = [place for place, doc in enumerate(found.docs.tolist()) if doc not in marks][:candidates]
    if not unjudged:
        raise GermaneError(f"no unjudged document is left for {text!r}", hint="try another query")
    horizon = found.docs[:HORIZON]
    now = _left(found, found, horizon, costs, by)
    considered = []
    for place in unjudged:
        doc, p = int(found.docs[place]), float(found.probabilities[place])
        yes, no = (_left(after({**marks, doc: relevant}), found, horizon, costs, by) for relevant in (True, False))
        considered.append(Candidate(index.doc_id(doc), p, expected_gain(p, now, yes, no)))
    considered.sort(key=lambda each: -each.value)
    best = considered[0]
    doubt = entropy(probability_of(found, horizon))
    return Question(text, best.doc, best.probability, best.value, by, doubt, tuple(considered))


def _left(after: Ranked, before: Ranked, horizon: IntArray, costs: Costs, by: By) -> float:
    """Return U, the quantity to be reduced."""
    if by == "change":
        top = before.docs[:TOP]
        return -float(1 - np.isin(top, after.docs[:TOP]).mean())
    p = probability_of(after, horizon)
    return entropy(p) if by == "entropy" else least_cost(p, costs)
