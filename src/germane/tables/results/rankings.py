"""A run as a result: the rankings of all queries, each document with its rank and score."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from germane.errors import GermaneError, did_you_mean
from germane.tables.notes.note import Note
from germane.tables.rankings.run import Run
from germane.tables.results.columns import F, Table, table
from germane.tables.results.result import Result

RANKINGS = (F("query", "name"), F("rank", "count"), F("doc", "name", "document"), F("score", "value"))

SHOWN_ROWS = 30
"""Maximum number of rows of a run shown in a terminal."""


@dataclass(frozen=True, eq=False, repr=False)
class Rankings(Result, Run):
    """A run with documents in rank order. Its tag says what ranked them, and `notes` has notes on it.

    >>> found = Rankings.from_dict({"wine": {"d2": 0.5, "d1": 0.25}})
    >>> found["wine"], list(found.docs)
    ({'d2': 0.5, 'd1': 0.25}, ['d2', 'd1'])
    """

    notes: tuple[Note, ...] = ()

    schema: ClassVar[str] = "rankings/1"
    fact_names: ClassVar[str] = "tag"

    def tables(self) -> Iterator[Table]:
        """Yield one row for each retrieved document."""
        rows = [
            {"query": query, "rank": rank, "doc": doc, "score": score}
            for query in self.queries
            for rank, (doc, score) in enumerate(self[query].items(), start=1)
        ]
        yield table("rankings", RANKINGS, rows)

    def at_terminal(self, *, digits: int = 4) -> Iterator[Table | str]:
        """Yield the table, only its first and last rows if it is long."""
        yield self.table().ends(SHOWN_ROWS)

    def __getitem__(self, query: str) -> dict[str, float]:
        """Return the scores of a query's documents by id, best first."""
        queries = list(self.queries)
        if query not in queries:
            raise GermaneError(f"unknown query {query!r}{did_you_mean(query, queries)}")
        rows = np.flatnonzero(self.query == queries.index(query))
        return dict(zip(self.docs.take(rows), self.score[rows].tolist(), strict=True))
