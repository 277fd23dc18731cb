"""Training data for learning to rank: one row of features per (query, document), grouped by query."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import numpy.typing as npt

from germane.arguments import checked
from germane.errors import InputError, unknown
from germane.tables.columns.aligned_columns import aligned_columns
from germane.tables.columns.array_columns import as_ids, as_queries
from germane.tables.columns.ids import FloatArray, Ids, IntArray, first_row
from germane.tables.columns.one_column import frame_columns, number_column, number_matrix, one_column
from germane.tables.columns.stretches import Stretches
from germane.tables.notes.counts import counted


@dataclass(frozen=True, eq=False)
class RankingData:
    """Features (rows × columns), their names, and each row's query (an index into `queries`), document and grade.

    It is checked on creation that all values are finite, every query has rows, and rows are grouped by query.

    >>> data = RankingData.of([[0.9, 3], [0.2, 4], [0.4, 2]], ["q1", "q1", "q2"], grade=[1, 0, 1], names=["α", "ω"])
    >>> data
    <ranking data: 2 queries, 3 rows, 2 features>
    >>> data.sizes, data.column("ω")
    (array([2, 1]), array([3., 4., 2.]))
    """

    features: FloatArray
    names: tuple[str, ...]
    query: IntArray
    queries: Ids
    docs: Ids | None = None
    grade: FloatArray | None = None
    name: str = "ranking data"

    @classmethod
    @checked
    def of(
        cls,
        features: npt.ArrayLike,
        query: Sequence[object],
        *,
        grade: npt.ArrayLike | None = None,
        docs: Sequence[object] | None = None,
        names: Sequence[str] | None = None,
        name: str = "ranking data",
    ) -> RankingData:
        """Return ranking data from a matrix and the query of each of its rows.

        Features are named by `names`, by the columns of a data frame, or 1, 2, 3 …
        """
        matrix = number_matrix(features, "feature", name)
        if names is None:
            frame = frame_columns(features)
            names = numbered_names(matrix.shape[1]) if frame is None else list(map(str, frame))
        given = aligned_columns({"query": query, "grade": grade, "docs": docs}, name)
        queries, stretches = as_queries(given["query"], name)
        called = tuple(map(str, one_column(names, "name of a feature", name)))
        ids = None if docs is None else as_ids(given["docs"], "document", name)
        grades = None if grade is None else number_column(given["grade"], "grade", name)
        return cls(matrix, called, stretches.rows, queries, ids, grades, name)

    def __post_init__(self) -> None:
        rows, columns = self.features.shape
        if len(self.names) != columns:
            raise InputError(self.name, None, f"expected {columns} feature names, found {len(self.names)}")
        if len(set(self.names)) < columns:
            twice = next(name for i, name in enumerate(self.names) if name in self.names[:i])
            raise InputError(self.name, None, f"duplicate feature {twice!r}")
        for what, column in {"queries": self.query, "documents": self.docs, "grades": self.grade}.items():
            if column is not None and len(column) != rows:
                raise InputError(self.name, None, f"expected {rows} {what}, one per row, found {len(column)}")
        if not np.isfinite(self.features).all():
            row, place = np.argwhere(~np.isfinite(self.features))[0].tolist()
            found = f"found {self.features[row, place]} for {self.names[place]} of {self.row_name(row)}"
            raise InputError(self.name, None, f"expected finite features, {found}")
        if self.grade is not None and (at := first_row(~np.isfinite(self.grade))) is not None:
            found = f"found {self.grade[at]} for {self.row_name(at)}"
            raise InputError(self.name, None, f"expected a finite grade, {found}")
        if rows == 0:
            raise InputError(self.name, None, "expected rows of features, found none")
        if (at := first_row(self.sizes == 0)) is not None:
            found = f"found none for query {self.queries[at]!r}"
            raise InputError(self.name, None, f"expected rows for each query, {found}")
        self._require_groups()

    def _require_groups(self) -> None:
        stretches = Stretches.of(self.query)
        if stretches.scattered:
            again = next(place for place, code in enumerate(stretches.code) if code in stretches.code[:place])
            row, query = int(stretches.start[again]), self.queries[int(stretches.code[again])]
            problem = f"expected rows grouped by query; query {query!r} occurs again at row {row + 1}"
            raise InputError(self.name, None, problem, hint="sort the rows by query")
        if self.docs is not None:
            order = np.lexsort((codes := self.docs.byte_order(), self.query))
            same = (np.diff(self.query[order]) == 0) & (np.diff(codes[order]) == 0)
            if same.any():
                row = int(order[1:][same].min())
                raise InputError(self.name, None, f"duplicate row: {self.row_name(row)}")

    @property
    def num_queries(self) -> int:
        return len(self.queries)

    @property
    def num_rows(self) -> int:
        return len(self.query)

    @cached_property
    def sizes(self) -> IntArray:
        """Number of rows of each query."""
        return np.bincount(self.query, minlength=self.num_queries)

    @property
    def grades(self) -> FloatArray:
        """The grades; an error where there are none."""
        if self.grade is None:
            raise InputError(self.name, None, "expected a grade for each row, found none")
        return self.grade

    def column(self, name: str) -> FloatArray:
        """Return one feature of all rows."""
        if name not in self.names:
            raise unknown("feature", name, self.names)
        return self.features[:, self.names.index(name)]

    def take_queries(self, queries: npt.ArrayLike) -> RankingData:
        """Return only the rows of these queries (their indices), in the present order."""
        wanted = np.unique(np.asarray(queries, dtype=np.int64))
        place = np.full(self.num_queries, -1, dtype=np.int64)
        place[wanted] = np.arange(len(wanted))
        rows = np.flatnonzero(place[self.query] >= 0)
        return replace(
            self,
            features=self.features[rows],
            query=place[self.query[rows]],
            queries=self.queries.take(wanted),
            docs=None if self.docs is None else self.docs.take(rows),
            grade=None if self.grade is None else self.grade[rows],
        )

    def with_features(self, features: FloatArray, names: Sequence[str] | None = None) -> RankingData:
        """Return the same rows with other features."""
        return replace(self, features=features, names=self.names if names is None else tuple(names))

    def row_name(self, row: int) -> str:
        """Return the description of a row for messages."""
        query = f"query {self.queries[int(self.query[row])]!r}"
        return f"row {row + 1}, {query}" if self.docs is None else f"{query}, document {self.docs[row]!r}"

    def digest(self) -> str:
        """Return the SHA-256 of all data except `name`; equal data have equal digests on every machine."""
        hashed = hashlib.sha256(repr((self.names, self.features.shape)).encode())
        numbers = [column for column in (self.features, self.grade) if column is not None]
        ids = [column for column in (self.queries, self.docs) if column is not None]
        columns = [
            *(column.astype("<f8") for column in numbers),
            self.query.astype("<i8"),
            *(column.data for column in ids),
            *(column.offsets.astype("<i8") for column in ids),
        ]
        for column in columns:
            hashed.update(f"{column.dtype.str}{column.shape}".encode())
            hashed.update(np.ascontiguousarray(column).tobytes())
        return hashed.hexdigest()

    def __repr__(self) -> str:
        return f"<{self.name}: {counted(self.num_queries, 'query')}, {self.num_rows} rows, {len(self.names)} features>"


def numbered_names(columns: int) -> tuple[str, ...]:
    """Return the default names of features.

    >>> numbered_names(3)
    ('1', '2', '3')
    """
    return tuple(map(str, range(1, columns + 1)))
