"""What an agent knows of its own decisions: by query, and by how probable it took relevance to be."""

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
    each: Sequence[Cells] = [record.cells for record in records]
    return Cells(*(sum(column) for column in zip(*each, strict=True))) if each else Cells(0, 0, 0, 0)


def rates_of(experience: Experience) -> dict[str, Estimate]:
    """The rates of its decisions, each with the interval that suits it."""
    cells = cells_of(experience.queries.values())
    return rate_estimates(list(map(RATES.parse, REPORTED)), cells)[0]
