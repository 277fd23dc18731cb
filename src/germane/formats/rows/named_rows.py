"""Rows that are objects with named values: the lines of JSONL, the rows of an Arrow table that is being checked."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from typing import Any

from germane.errors import InputError
from germane.formats.rows.column_names import Kind, Roles, find_roles
from germane.formats.rows.text import Duplicates, RowError, TextRow, show
from germane.tables.columns.ids import to_bytes

Numbered = tuple[int, dict[str, Any] | RowError]


def scan_objects(objects: Iterable[Numbered], kind: Kind, source: str) -> Iterator[TextRow | RowError]:
    """Each object as a row, or what is wrong with it. All must have the names that the first one has."""
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
        yield RowError(source, None, "empty", "expected rows, found none", hint="is this the right file?")


def _row(item: dict[str, Any], names: list[str], roles: Roles, number: int) -> TextRow:
    def get(column: int) -> Any:
        if names[column] not in item:
            raise ValueError(f"expected {names[column]!r} as in the first row, found only {', '.join(map(repr, item))}")
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
    """An id; raises ValueError for what can be none."""
    if isinstance(value, str | int | bytes) and not isinstance(value, bool) and value not in ("", b""):
        try:
            return to_bytes(value)
        except UnicodeEncodeError:
            pass
    raise ValueError(f"expected the id of {what}, text or a whole number, found {value!r}")


def number_value(value: object, what: str) -> float:
    """A finite number; raises ValueError for anything else."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        try:
            number = float(value)
        except OverflowError:
            number = math.inf
        if math.isfinite(number):
            return number
    shown = show(value) if isinstance(value, bytes) else repr(value)
    raise ValueError(f"expected a finite number as {what}, found {shown}")
