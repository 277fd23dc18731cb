"""What an agent knows of its own decisions: by query, and by how probable it took relevance to be; and the log of what
it was told, every judgment in the order in which it was given. Nothing is ever taken out of that log.

Two processes that open one agent's file learn for themselves. Whoever saves second reads what the first one wrote, and
adds the judgments that are not in that log yet: so each judgment has an id, and all that learning needs of the moment
in which it was given.
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
"""Of P(R|d): where relevance is rare, probabilities are finer."""
LABELS = ("not relevant", "relevant")
REPORTED = ("PPV", "TPR", "FPR", "F1")
"""Precision, recall, fall-out, and what balances the first two."""


@dataclass
class QueryRecord:
    """One query: how many terms it has, and what became of the documents decided on."""

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
    """Decisions that turned out right or wrong: returned or not, relevant or not; and, by range of P(R|d), how many
    documents there were, how many were relevant, and the sum of the probabilities."""

    queries: dict[str, QueryRecord] = field(default_factory=dict)
    num_documents: list[int] = field(default_factory=lambda: [0] * (len(RANGES) - 1))
    num_relevant: list[int] = field(default_factory=lambda: [0] * (len(RANGES) - 1))
    sum_of_probabilities: list[float] = field(default_factory=lambda: [0.0] * (len(RANGES) - 1))

    def record(
        self, query: str, length: int, probabilities: FloatArray, returned: BoolArray, relevant: BoolArray
    ) -> None:
        """Decisions on some documents of a query."""
        self.queries.setdefault(query, QueryRecord(query, length)).count(returned, relevant)
        place = np.clip(np.searchsorted(RANGES, probabilities, side="right") - 1, 0, len(RANGES) - 2)
        for at in np.unique(place).tolist():
            here = place == at
            self.num_documents[at] += int(here.sum())
            self.num_relevant[at] += int(relevant[here].sum())
            self.sum_of_probabilities[at] += float(probabilities[here].sum())

    def miss(self, query: str, length: int, number: int) -> None:
        """Relevant documents that were not even ranked."""
        self.queries.setdefault(query, QueryRecord(query, length)).FN += number

    @property
    def confusion(self) -> Confusion:
        """Relevant or not (rows) by returned or not (columns)."""
        cells = cells_of(self.queries.values())
        return Confusion.of_matrix([[cells.TN, cells.FP], [cells.FN, cells.TP]], LABELS)

    def to_json(self) -> dict[str, Any]:
        """As a plain object."""
        return {**vars(self), "queries": [asdict(record) for record in self.queries.values()]}

    @classmethod
    def from_json(cls, given: Mapping[str, Any]) -> Experience:
        """Back from the plain object."""
        records = [QueryRecord(**record) for record in given["queries"]]
        columns = (list(given[name]) for name in ("num_documents", "num_relevant", "sum_of_probabilities"))
        return cls({record.query: record for record in records}, *columns)


def cells_of(records: Iterable[QueryRecord]) -> Cells:
    """The four cells of several queries together."""
    return Cells(*map(sum, zip((0, 0, 0, 0), *(record.cells for record in records), strict=True)))


def rates_of(experience: Experience) -> dict[str, Estimate]:
    """The rates of its decisions, each with the interval that suits it."""
    cells = cells_of(experience.queries.values())
    return rate_estimates(list(map(RATES.parse, REPORTED)), cells)[0]


@dataclass(frozen=True)
class LoggedJudgment:
    """A judgment, and what the agent had made of the document before it."""

    event: str
    """A random id, so that a judgment counts once, however often it is merged."""
    query: str
    doc: str
    relevant: bool
    num_terms: int
    """The number of terms that the query had."""
    probability: float
    """P(R|d) before the judgment; 0 where the document was not ranked."""
    score: float | None
    """The document's score before the judgment; None where it was not ranked."""
    refined: bool
    """Whether the ranking came from feedback, so that the score counts in the P(R|d) after feedback."""

    def to_json(self) -> dict[str, Any]:
        """As a plain object."""
        return asdict(self)

    @classmethod
    def from_json(cls, given: Mapping[str, Any]) -> LoggedJudgment:
        """Back from the plain object."""
        event, query, doc = (str(given[name]) for name in ("event", "query", "doc"))
        relevant, refined = bool(given["relevant"]), bool(given["refined"])
        score = None if given["score"] is None else float(given["score"])
        return cls(event, query, doc, relevant, int(given["num_terms"]), float(given["probability"]), score, refined)


def missing_from(log: Sequence[LoggedJudgment], given: Sequence[LoggedJudgment]) -> list[LoggedJudgment]:
    """Return the judgments that a log does not have yet, in their order.

    >>> first, second = (LoggedJudgment(event, "wine", "d1", True, 1, 0.5, None, False) for event in "ab")
    >>> [one.event for one in missing_from([first], [first, second])]
    ['b']
    """
    known = {one.event for one in log}
    return [one for one in given if one.event not in known]
