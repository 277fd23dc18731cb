"""A run: the documents that a system retrieved, row by row."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from germane.arguments import checked
from germane.errors import InputError
from germane.tables.columns.aligned_columns import aligned_columns, require_nested, require_one_length
from germane.tables.columns.array_columns import as_ids, given_ids
from germane.tables.columns.ids import FloatArray, Ids, IntArray, first_row, names_of
from germane.tables.columns.one_column import number_column
from germane.tables.columns.stretches import Stretches
from germane.tables.notes.counts import counted
from germane.tables.results.result import Backend, reach

if TYPE_CHECKING:
    from germane.types import AnyFrame


@dataclass(frozen=True, eq=False)
class Run:
    """Retrieved documents in input order; `stretches` points into `queries`.

    `rank` is the rank column of the source, if it has one: it breaks ties with ``ties="rank"`` and is ignored
    otherwise. `tag` is the name of the system in the file.
    """

    queries: Ids
    stretches: Stretches
    docs: Ids
    score: FloatArray
    rank: FloatArray | None = None
    tag: str | None = None
    name: str = "run"

    @classmethod
    @checked
    def from_columns(
        cls,
        query: Iterable[object],
        doc: Iterable[object],
        score: Sequence[float] | FloatArray,
        rank: Sequence[float] | FloatArray | None = None,
        *,
        tag: str | None = None,
        name: str = "run",
    ) -> Run:
        """Return a run from columns with one entry per retrieved document.

        >>> Run.from_columns(["q1", "q1"], ["d1", "d2"], [2.0, 1.0])
        <run: 1 query, 2 documents>
        """
        given = aligned_columns({"query": query, "doc": doc, "score": score, "rank": rank}, name)
        queries, query_of_row = as_ids(given["query"], "query", name).numbered()
        docs, scores = given_ids(given["doc"], "document", name), number_column(given["score"], "score", name)
        ranks = None if rank is None else number_column(given["rank"], "rank", name)
        require_one_length({"queries": query_of_row, "documents": docs, "scores": scores, "ranks": ranks}, name)
        _require_finite(scores, lambda row: queries[int(query_of_row[row])], name)
        return cls(queries, Stretches.of(query_of_row), docs, scores, ranks, tag, name)

    @classmethod
    @checked
    def from_dict(cls, scores: Mapping[Any, Mapping[Any, float]], *, name: str = "run") -> Run:
        """Return a run from ``{query: {document: score}}``. A query without documents is an empty ranking."""
        require_nested(scores, "{query: {document: score}}", name)
        queries, stretches = Ids.of(scores), Stretches.of_sizes([len(docs) for docs in scores.values()])
        values = number_column([score for docs in scores.values() for score in docs.values()], "score", name)
        _require_finite(values, lambda row: queries[int(stretches.rows[row])], name)
        return cls(queries, stretches, Ids.of(doc for docs in scores.values() for doc in docs), values, name=name)

    @property
    def query(self) -> IntArray:
        """Query of each row, as an index into `queries`."""
        return self.stretches.rows

    def to_dict(self) -> dict[str, dict[str, float]]:
        """Return the scores as ``{query: {document: score}}``.

        >>> Run.from_dict({"q1": {"d1": 2.0}, "q2": {}}).to_dict()
        {'q1': {'d1': 2.0}, 'q2': {}}
        """
        found: dict[str, dict[str, float]] = {query: {} for query in self.queries}
        for query, doc, score in zip(names_of(self.queries, self.query), self.docs, self.score.tolist(), strict=True):
            found[query][doc] = score
        return found

    def to_frame(self, *, backend: Backend = "pandas") -> AnyFrame:
        """Return a frame with one row per retrieved document, in the order of the run: query, doc, score, rank, tag."""
        columns: dict[str, Any] = {"query": names_of(self.queries, self.query), "doc": list(self.docs)}
        columns |= {"score": self.score} | ({} if self.rank is None else {"rank": self.rank})
        columns |= {} if self.tag is None else {"tag": [self.tag] * len(self.docs)}
        made: AnyFrame = reach("frame_of_columns")(columns, backend)
        return made

    def __repr__(self) -> str:
        return f"<{self.name}: {counted(len(self.queries), 'query')}, {len(self.docs)} documents>"


def _require_finite(scores: FloatArray, query_of: Callable[[int], str], name: str) -> None:
    """Refuse infinite scores and NaN, which cannot be ranked."""
    if (row := first_row(~np.isfinite(scores))) is not None:
        raise InputError(name, None, f"expected a finite score, found {scores[row]} for query {query_of(row)!r}")
