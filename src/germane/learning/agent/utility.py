"""The utility of an agent: a ranking measure, or the costs of what it returns. Higher values are better."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from germane.errors import GermaneError
from germane.learning.agent.knowledge.calibration import ScoreCalibration, standardised
from germane.measures.definition import MEASURES, work
from germane.retrieval.indexes.index import Index
from germane.retrieval.probability.ranking_principle import Costs
from germane.retrieval.search import Ranking, run_of
from germane.tables.columns.ids import BoolArray, FloatArray, IntArray
from germane.tables.rankings.matching import match
from germane.tables.rankings.measure import Measure
from germane.tables.rankings.qrels import Qrels

DEFAULT_COSTS = Costs(relevant=-4, non_relevant=1)
"""Default costs: a relevant document outweighs four non-relevant ones, so P(R|d) above 1/5 is returned."""
RANKING_MEASURE = "AP"
"""Measure for rankings when the utility is costs, which do not determine the order."""


@dataclass(frozen=True)
class Utility:
    """A measure, or None for costs; and the costs by which the agent decides how many documents to return."""

    measure: Measure | None
    costs: Costs

    @classmethod
    def of(cls, given: str | Measure | Costs, costs: Costs | None = None) -> Utility:
        """Return the utility of a measure or of costs; costs as utility also decide how much is returned."""
        if isinstance(given, Costs):
            if costs is not None:
                problem = "costs given twice: costs as utility also decide how much is returned"
                raise GermaneError(problem, hint="remove `costs=`")
            return cls(None, given)
        return cls(MEASURES.parse(given), costs or DEFAULT_COSTS)

    @property
    def ranking_measure(self) -> Measure:
        """The measure by which rankings are compared."""
        return self.measure or MEASURES.parse(RANKING_MEASURE)

    def __str__(self) -> str:
        return str(self.measure) if self.measure is not None else costs_text(self.costs)

    def to_json(self) -> dict[str, Any]:
        """Return the utility as a JSON object."""
        return {"measure": None if self.measure is None else str(self.measure), "costs": vars(self.costs).copy()}

    @classmethod
    def from_json(cls, given: dict[str, Any]) -> Utility:
        """Return the utility from a JSON object."""
        measure = None if given["measure"] is None else MEASURES.parse(given["measure"])
        return cls(measure, Costs(**given["costs"]))


def costs_text(costs: Costs) -> str:
    """Return the costs in words."""
    missed = f", missed {costs.missed:g}" if costs.missed else ""
    return f"costs (relevant {costs.relevant:g}, non-relevant {costs.non_relevant:g}{missed})"


def measure_values(index: Index, rankings: Sequence[Ranking], qrels: Qrels, measure: Measure) -> FloatArray:
    """Return a measure of rankings by query, negated if lower is better.

    Documents keep the order of the rankings, even where scores are equal.
    """
    placed = [Ranking(ranking.docs, np.arange(len(ranking), 0.0, -1.0)) for ranking in rankings]
    values = work(measure, match(qrels, run_of(index, placed, qrels.queries, "ranking"))).value
    return -values if MEASURES[measure].better == "lower" else values


def relevant_numbers(index: Index, qrels: Qrels, rel: float) -> list[IntArray]:
    """Return the numbers of the relevant documents of each judged query; -1 for one that is not in the index."""
    numbers: dict[str, int] = {}
    rows: list[list[int]] = [[] for _ in range(qrels.num_queries)]
    for query, doc, grade in zip(qrels.query.tolist(), qrels.docs, qrels.grade.tolist(), strict=True):
        if grade >= rel:
            if doc not in numbers:
                number = index.doc_number(doc)
                numbers[doc] = -1 if number is None else number
            rows[query].append(numbers[doc])
    return [np.asarray(row, np.int64) for row in rows]


@dataclass(frozen=True, eq=False)
class Marked:
    """Rankings of judged queries as input of calibration: standard scores, and which documents are relevant."""

    scores: tuple[FloatArray, ...]
    is_relevant: tuple[BoolArray, ...]
    num_relevant: IntArray
    """Total number of relevant documents, ranked or not."""

    @classmethod
    def of(cls, rankings: Sequence[Ranking], relevant: Sequence[IntArray], *, standard: bool = True) -> Marked:
        """Build it from the rankings of all queries; `standard` standardises their scores first."""
        return cls(
            tuple(standardised(ranking.scores) if standard else ranking.scores for ranking in rankings),
            tuple(np.isin(ranking.docs, known) for ranking, known in zip(rankings, relevant, strict=True)),
            np.asarray([len(known) for known in relevant], np.int64),
        )

    def calibration(self, queries: IntArray) -> ScoreCalibration:
        """Fit P(R|d) on these queries."""
        return ScoreCalibration.fit(
            np.concatenate([self.scores[q] for q in queries]), np.concatenate([self.is_relevant[q] for q in queries])
        )

    def out_of_fold(self, fold: IntArray, among: IntArray) -> list[FloatArray]:
        """Return P(R|d) of the queries `among`, each learned from their other folds; empty for other queries."""
        found = [np.zeros(0)] * len(self.scores)
        for held in np.unique(fold[among]):
            learned = self.calibration(among[fold[among] != held])
            for query in among[fold[among] == held]:
                found[query] = learned.probabilities(self.scores[query])
        return found

    def costs(self, query: int, probabilities: FloatArray, costs: Costs) -> float:
        """Return the cost of returning the documents above the threshold and omitting the rest."""
        returned = probabilities > costs.threshold
        hits = int((returned & self.is_relevant[query]).sum())
        others = int(returned.sum()) - hits
        missed = int(self.num_relevant[query]) - hits
        return costs.relevant * hits + costs.non_relevant * others + costs.missed * missed
