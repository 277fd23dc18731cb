"""An agent's experience: the outcome of its decisions by query and by predicted P(R|d), and the log of all judgments in
order, from which nothing is ever removed.

Two processes that open the same agent file learn independently. Whichever saves second reads the file and adds the
judgments that are not in its log yet. So each judgment has an id, and all the state that learning needs from the moment
it was given.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np

from germane.measures.decisions.rates import RATES
from germane.stats.intervals.rates import rate_estimates
from germane.tables.columns.ids import BoolArray, FloatArray
from germane.tables.decisions.confusion import Cells, Confusion
from germane.tables.results.performance import Estimate

RANGES = (0.0, 0.02, 0.05, 0.1, 0.2, 0.35, 0.5, 0.7, 1.0)
"""Bounds of the ranges of P(R|d), finer where relevance is rare."""
LABELS = ("non-relevant", "relevant")
REPORTED = ("PPV", "TPR", "FPR", "F1")
"""Precision, recall, fall-out and F1."""


@dataclass
class QueryRecord:
    """Decisions on one query: its number of terms, and its confusion matrix."""

    query: str
    length: int
    TP: int = 0
    FP: int = 0
    FN: int = 0
    TN: int = 0

    def count(self, returned: BoolArray, relevant: BoolArray, times: int = 1) -> None:
        """Add decisions on some documents."""
        self.TP += times * int((returned & relevant).sum())
        self.FP += times * int((returned & ~relevant).sum())
        self.FN += times * int((~returned & relevant).sum())
        self.TN += times * int((~returned & ~relevant).sum())

    @property
    def cells(self) -> Cells:
        return Cells(self.TP, self.FP, self.FN, self.TN)


@dataclass
class Experience:
    """Outcomes of decisions (returned or not, relevant or not) and, by range of P(R|d), the number of documents, of
    relevant ones, and the sum of the probabilities."""

    queries: dict[str, QueryRecord] = field(default_factory=dict)
    num_documents: list[int] = field(default_factory=lambda: [0] * (len(RANGES) - 1))
    num_relevant: list[int] = field(default_factory=lambda: [0] * (len(RANGES) - 1))
    sum_of_probabilities: list[float] = field(default_factory=lambda: [0.0] * (len(RANGES) - 1))

    def record(
        self, query: str, length: int, probabilities: FloatArray, returned: BoolArray, relevant: BoolArray
    ) -> None:
        """Add decisions on some documents of a query."""
        self.queries.setdefault(query, QueryRecord(query, length)).count(returned, relevant)
        place = np.clip(np.searchsorted(RANGES, probabilities, side="right") - 1, 0, len(RANGES) - 2)
        for at in np.unique(place).tolist():
            here = place == at
            self.num_documents[at] += int(here.sum())
            self.num_relevant[at] += int(relevant[here].sum())
            self.sum_of_probabilities[at] += float(probabilities[here].sum())

    def miss(self, query: str, length: int, number: int) -> None:
        """Add relevant documents that were not ranked at all."""
        self.queries.setdefault(query, QueryRecord(query, length)).FN += number

    @property
    def confusion(self) -> Confusion:
        """Confusion matrix: relevant or not (rows) by returned or not (columns)."""
        cells = cells_of(self.queries.values())
        return Confusion.of_matrix([[cells.TN, cells.FP], [cells.FN, cells.TP]], LABELS)

    def to_json(self) -> dict[str, Any]:
        """Return the experience as a JSON object."""
        return {**vars(self), "queries": [asdict(record) for record in self.queries.values()]}

    @classmethod
    def from_json(cls, given: Mapping[str, Any]) -> Experience:
        """Return the experience from a JSON object."""
        records = [QueryRecord(**record) for record in given["queries"]]
        columns = (list(given[name]) for name in ("num_documents", "num_relevant", "sum_of_probabilities"))
        return cls({record.query: record for record in records}, *columns)


def cells_of(records: Iterable[QueryRecord]) -> Cells:
    """Return the summed confusion matrix of several queries."""
    return Cells(*map(sum, zip((0, 0, 0, 0), *(record.cells for record in records), strict=True)))


def rates_of(experience: Experience) -> dict[str, Estimate]:
    """Return the rates of its decisions, each with a suitable interval."""
    cells = cells_of(experience.queries.values())
    return rate_estimates(list(map(RATES.parse, REPORTED)), cells)[0]


@dataclass(frozen=True)
class LoggedJudgment:
    """A judgment, and the agent's view of the document before it."""

    event: str
    """Random id, so that a judgment counts once, however often it is merged."""
    query: str
    doc: str
    relevant: bool
    num_terms: int
    """Number of terms of the query."""
    probability: float
    """P(R|d) before the judgment; 0 if the document was not ranked."""
    score: float | None
    """Score of the document before the judgment; None if it was not ranked."""
    refined: bool
    """Whether the ranking came from feedback, so that the score counts in P(R|d) after feedback."""

    def to_json(self) -> dict[str, Any]:
        """Return the judgment as a JSON object."""
        return asdict(self)

    @classmethod
    def from_json(cls, given: Mapping[str, Any]) -> LoggedJudgment:
        """Return the judgment from a JSON object."""
        event, query, doc = (str(given[name]) for name in ("event", "query", "doc"))
        relevant, refined = bool(given["relevant"]), bool(given["refined"])
        score = None if given["score"] is None else float(given["score"])
        return cls(event, query, doc, relevant, int(given["num_terms"]), float(given["probability"]), score, refined)


def missing_from(log: Sequence[LoggedJudgment], given: Sequence[LoggedJudgment]) -> list[LoggedJudgment]:
    """Return the judgments that are not in a log yet, in their order.

    >>> first, second = (LoggedJudgment(event, "wine", "d1", True, 1, 0.5, None, False) for event in "ab")
    >>> [one.event for one in missing_from([first], [first, second])]
    ['b']
    """
    known = {one.event for one in log}
    return [one for one in given if one.event not in known]
