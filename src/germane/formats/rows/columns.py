"""The common form of all formats: columns of queries, documents and values, and the `Run` or `Qrels` built from them.

Rows may be objects with named values: the lines of JSONL, or the rows of an Arrow table that is being checked.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from germane.errors import InputError
from germane.formats.rows.column_names import Kind, Roles, find_roles
from germane.formats.rows.text import NUMBER, Duplicates, RowError, TextRow, show, without_problems
from germane.tables.columns.id_columns import find_duplicate
from germane.tables.columns.ids import FloatArray, Ids, IntArray, to_bytes
from germane.tables.columns.stretches import Stretches
from germane.tables.notes.counts import counted
from germane.tables.rankings.qrels import Qrels
from germane.tables.rankings.run import Run

Numbered = tuple[int, dict[str, Any] | RowError]


@dataclass(frozen=True, eq=False)
class Columns:
    """Columns with one entry per row. `value` is the score or the grade; `tags` are the distinct tags in order.

    `queries` may include queries without rows (empty rankings in a dict of dicts). `left_out` names parts of the input
    that are not used, such as a column ``title``.
    """

    queries: Ids
    stretches: Stretches
    doc: Ids
    value: FloatArray
    rank: FloatArray | None = None
    group: Ids | None = None
    tags: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()
    scale: float | None = None
    collection_size: int | None = None
    stratum: Ids | None = None
    inclusion: FloatArray | None = None

    @classmethod
    def from_rows(cls, rows: Iterable[TextRow | RowError], source: str, left_out: tuple[str, ...] = ()) -> Columns:
        """Build columns from rows; raise the first error among them."""
        good = list(without_problems(rows))
        codes: dict[bytes, int] = {}
        query = np.asarray([codes.setdefault(row.query, len(codes)) for row in good], dtype=np.int64)
        groups = [row.group for row in good if row.group is not None]
        strata = [row.stratum for row in good if row.stratum is not None]
        chances = [row.inclusion for row in good if row.inclusion is not None]
        left_out = with_extra_fields(left_out, sum(row.extra > 0 for row in good))
        docs, stretches = Ids.of(row.doc for row in good), Stretches.of(query)
        value, rank = np.asarray([row.value for row in good], dtype=np.float64), _ranks(good, source)
        tags = tuple(Ids.of(dict.fromkeys(row.tag for row in good if row.tag is not None)))
        group, stratum = (Ids.of(labels) if labels else None for labels in (groups, strata))
        chance = np.asarray(chances, dtype=np.float64) if chances else None
        known = None, None  # neither scale nor size of the collection
        return cls(Ids.of(codes), stretches, docs, value, rank, group, tags, left_out, *known, stratum, chance)

    @property
    def query(self) -> IntArray:
        """Index in `queries` of the query of each row."""
        return self.stretches.rows

    def to_run(self, name: str, *, duplicates_checked: bool = False, source: str | None = None) -> Run:
        """Build the run; its tag is None if rows name several. Errors name `source`."""
        tag = self.tags[0] if len(self.tags) == 1 else None
        run = Run(self.queries, self.stretches, self.doc, self.value, self.rank, tag, name)
        if not duplicates_checked:
            reject_duplicates(run, source)
        return run

    def to_qrels(self, name: str, *, scale: float | None = None, collection_size: int | None = None) -> Qrels:
        """Build the judgments; groups are kept only if there is more than one."""
        unjudged = np.flatnonzero(np.bincount(self.query, minlength=len(self.queries)) == 0)
        if len(unjudged):
            found = f"none for query {self.queries[int(unjudged[0])]!r}"
            hint = "remove the query, or add a document with grade 0"
            raise InputError(name, None, f"expected at least one judgment per query, found {found}", hint=hint)
        several = self.group is not None and len(set(self.group.to_bytes_list())) > 1
        return Qrels.from_columns(
            self.queries.take(self.query),
            self.doc,
            self.value,
            self.group if several else None,
            scale=self.scale if scale is None else scale,
            collection_size=self.collection_size if collection_size is None else collection_size,
            stratum=self.stratum,
            inclusion=self.inclusion,
            name=name,
        )


def with_extra_fields(left_out: tuple[str, ...], num_lines: int) -> tuple[str, ...]:
    """Add the fields beyond the layout, on this number of lines, to the unused parts."""
    return (*left_out, f"extra fields on {counted(num_lines, 'line')}") if num_lines else left_out


def reject_duplicates(run: Run, source: str | None = None) -> None:
    """Raise an `InputError` if a document is duplicated for a query."""
    if pair := find_duplicate(run.query, run.docs):
        first, again = pair
        found = f"{run.docs[first]!r} for query {run.queries[int(run.query[first])]!r}"
        found += f" in rows {first + 1} and {again + 1}"
        raise InputError(source or run.name, None, f"duplicate document {found}")


def _ranks(rows: Sequence[TextRow], source: str) -> FloatArray | None:
    if not rows or rows[0].rank is None:
        return None
    if problem := next(filter(None, (rank_problem(row, source) for row in rows)), None):
        raise problem
    return np.asarray([float(row.rank or 0) for row in rows], dtype=np.float64)


def rank_problem(row: TextRow, source: str) -> RowError | None:
    """Return the error in the rank of a row, or None; called only if ranks are used."""
    if row.rank is None or (NUMBER.fullmatch(row.rank) and np.isfinite(float(row.rank))):
        return None
    return RowError(source, row.line, "rank", f"expected a finite number as rank, found {show(row.rank)}")


def scan_objects(objects: Iterable[Numbered], kind: Kind, source: str) -> Iterator[TextRow | RowError]:
    """Yield each object as a row, or its error; all must have the keys of the first one."""
    duplicates = Duplicates(source)
    names: list[str] | None = None
    roles: Roles | None = None
    number = 0
    for number, item in objects:
        if isinstance(item, RowError):
            yield item
            continue
        if names is None or roles is None:
            names = list(item)
            try:
                roles = find_roles(names, kind, source, number)
            except InputError as error:
                yield RowError(source, number, "fields", error.problem, hint=error.hint)
                return
        try:
            row = _row(item, names, roles, number)
        except ValueError as error:
            yield RowError(source, number, "value", str(error))
            continue
        yield duplicates.check(row.query, row.doc, row.group, number) or row
    if number == 0:
        yield RowError(source, None, "empty", "expected rows, found none", hint="check that this is the right file")


def _row(item: dict[str, Any], names: list[str], roles: Roles, number: int) -> TextRow:
    def get(column: int) -> Any:
        if names[column] not in item:
            raise ValueError(f"expected {names[column]!r} as in the first row, found {', '.join(map(repr, item))}")
        return item[names[column]]

    def number_at(column: int | None) -> float | None:
        return None if column is None else number_value(get(column), names[column])

    value = number_value(get(roles.value), names[roles.value])
    rank = value if roles.rank_only else number_at(roles.rank)
    query, doc = id_value(get(roles.query), "a query"), id_value(get(roles.doc), "a document")
    others = (roles.group, "a group"), (roles.tag, "a tag"), (roles.stratum, "a stratum")
    group, tag, stratum = (None if column is None else id_value(get(column), what) for column, what in others)
    signed, rank_text = -value if roles.rank_only else value, None if rank is None else repr(rank).encode()
    return TextRow(number, query, doc, signed, rank_text, group, tag, 0, stratum, number_at(roles.inclusion))


def id_value(value: object, what: str) -> bytes:
    """Convert an id; raise a ValueError if it is not text or an integer."""
    if isinstance(value, str | int | bytes) and not isinstance(value, bool) and value not in ("", b""):
        try:
            return to_bytes(value)
        except UnicodeEncodeError:
            pass
    raise ValueError(f"expected {what} id (text or an integer), found {value!r}")


def number_value(value: object, what: str) -> float:
    """Convert a finite number; raise a ValueError for anything else."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        try:
            number = float(value)
        except OverflowError:
            number = math.inf
        if math.isfinite(number):
            return number
    shown = show(value) if isinstance(value, bytes) else repr(value)
    raise ValueError(f"expected a finite number as {what}, found {shown}")
