"""What an agent is after: a measure of its rankings, or the costs of what it returns. Values are higher the better."""

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
"""A relevant document is worth reading four others: those with P(R|d) above 1/5 are returned."""
RANKING_MEASURE = "AP"
"""What rankings go by where costs, which say how many to return, leave the order open."""


@dataclass(frozen=True)
class Utility:
    """A measure, or None for the costs; and the costs by which the agent decides how many documents to return."""

    measure: Measure | None
    costs: Costs

    @classmethod
    def of(cls, given: str | Measure | Costs, costs: Costs | None = None) -> Utility:
        """From what a person writes; costs that are the utility are also what decides."""
        if isinstance(given, Costs):
            if costs is not None:
                raise GermaneError("costs that are the utility also decide how much is returned: give them once")
            return cls(None, given)
        return cls(MEASURES.parse(given), costs or DEFAULT_COSTS)

    @property
    def ranking_measure(self) -> Measure:
        """The measure by which rankings are compared."""
        return self.measure or MEASURES.parse(RANKING_MEASURE)

    def __str__(self) -> str:
        return str(self.measure) if self.measure is not None else costs_text(self.costs)

    def to_json(self) -> dict[str, Any]:
        """As a plain object."""
        return {"measure": None if self.measure is None else str(self.measure), "costs": vars(self.costs).copy()}

    @classmethod
    def from_json(cls, given: dict[str, Any]) -> Utility:
        """Back from the plain object."""
        measure = None if given["measure"] is None else MEASURES.parse(given["measure"])
        return cls(measure, Costs(**given["costs"]))


def costs_text(costs: Costs) -> str:
    """The costs as a person says them."""
    missed = f", missed {costs.missed:g}" if costs.missed else ""
    return f"costs (relevant {costs.relevant:g}, not relevant {costs.non_relevant:g}{missed})"


def measure_values(index: Index, rankings: Sequence[Ranking], qrels: Qrels, measure: Measure) -> FloatArray:
    """A measure of rankings of the queries of some judgments; with the other sign where less is better.

    The order is that of the rankings, also where scores are the same.
    """
    placed = [Ranking(ranking.docs, np.arange(len(ranking), 0.0, -1.0)) for ranking in rankings]
    values = work(measure, match(qrels, run_of(index, placed, qrels.queries, "ranking"))).value
    return -values if MEASURES[measure].better == "lower" else values


def relevant_numbers(index: Index, qrels: Qrels, rel: float) -> list[IntArray]:
    """By query of the judgments, the numbers of its relevant documents; -1 for one that the index does not have."""
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
    """Rankings of judged queries as calibration sees them: standard scores, and which documents are relevant."""

    scores: tuple[FloatArray, ...]
    is_relevant: tuple[BoolArray, ...]
    num_relevant: IntArray
    """Relevant documents in all, ranked or not."""

    @classmethod
    def of(cls, rankings: Sequence[Ranking], relevant: Sequence[IntArray], *, standard: bool = True) -> Marked:
        """The rankings of all queries; `standard` where their scores are not standard scores yet."""
        return cls(
            tuple(standardised(ranking.scores) if standard else ranking.scores for ranking in rankings),
            tuple(np.isin(ranking.docs, known) for ranking, known in zip(rankings, relevant, strict=True)),
            np.asarray([len(known) for known in relevant], np.int64),
        )

    def calibration(self, queries: IntArray) -> ScoreCalibration:
        """P(R|d), learned from these queries."""
        return ScoreCalibration.fit(
            np.concatenate([self.scores[q] for q in queries]), np.concatenate([self.is_relevant[q] for q in queries])
        )

    def out_of_fold(self, fold: IntArray, among: IntArray) -> list[FloatArray]:
        """P(R|d) of the queries `among`, each learned from the other folds of these; empty for other queries."""
        found = [np.zeros(0)] * len(self.scores)
        for held in np.unique(fold[among]):
            learned = self.calibration(among[fold[among] != held])
            for query in among[fold[among] == held]:
                found[query] = learned.probabilities(self.scores[query])
        return found

    def costs(self, query: int, probabilities: FloatArray, costs: Costs) -> float:
        """What it cost to return what is worth it by these probabilities, and to leave out the rest."""
        returned = probabilities > costs.threshold
        hits = int((returned & self.is_relevant[query]).sum())
        others = int(returned.sum()) - hits
        missed = int(self.num_relevant[query]) - hits
        return costs.relevant * hits + costs.non_relevant * others + costs.missed * missed
