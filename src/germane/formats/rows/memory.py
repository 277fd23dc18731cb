"""Build runs and judgments from in-memory objects: dicts, rows, NumPy arrays, data frames.

Columns of text, integers and bytes become ids without a Python object per row. Accepted column names are listed in
`germane.formats.rows.column_names`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import chain
from operator import getitem
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from germane.errors import InputError
from germane.formats.files.arrow_tables import ColumnAt, frame_columns
from germane.formats.rows.column_names import Kind, Roles, find_roles
from germane.formats.rows.columns import Columns
from germane.formats.rows.text import SWAPPED_QRELS, SWAPPED_RUN
from germane.tables.columns.array_columns import as_groups, as_ids, as_numbers, as_queries, as_tags
from germane.tables.columns.ids import FloatArray, Ids, to_bytes
from germane.tables.columns.stretches import Stretches
from germane.tables.rankings.qrels import Qrels
from germane.tables.rankings.run import Run


class ArrowStream(Protocol):
    """An object with Arrow's C stream interface: data frames of pandas, polars, pyarrow, DuckDB and others."""

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        """Return a capsule with the stream."""


QrelsLike = str | Path | Qrels | ArrowStream | Mapping[Any, Any] | Iterable[Any]
"""Judgments: a file, `Qrels`, grades by query and document, rows, columns or a data frame."""
EXPECTED = (
    "a dict of dicts, rows (query, document, {value}), a dict of columns, a tuple of arrays, "
    "a structured NumPy array or a data frame"
)


def run_from(data: object, *, name: str = "run", check_duplicates: bool = True) -> Run:
    """Build a run from an in-memory object; callers that check duplicates themselves can skip it here.

    >>> run_from({"q1": {"d1": 2.5, "d2": 1}})
    <run: 1 query, 2 documents>
    >>> run_from([("q1", "d1", 2.5), ("q1", "d2", 1)])
    <run: 1 query, 2 documents>
    >>> run_from({"qid": ["q1", "q1"], "docno": ["d1", "d2"], "score": [2.5, 1]})
    <run: 1 query, 2 documents>
    """
    if isinstance(data, Run):
        return data
    duplicates_checked = not check_duplicates or _is_dict_of_dicts(data)
    return columns_from(data, "run", name).to_run(name, duplicates_checked=duplicates_checked)


def qrels_from(
    data: object, *, scale: float | None = None, collection_size: int | None = None, name: str = "qrels"
) -> Qrels:
    """Build judgments from an in-memory object.

    >>> qrels_from([("q1", "d1", 2), ("q2", "d1", 0)])
    <qrels: 2 queries, 2 judged documents, grades 0 to 2>
    """
    if isinstance(data, Qrels):
        return data
    return columns_from(data, "qrels", name).to_qrels(name, scale=scale, collection_size=collection_size)


def columns_from(data: object, kind: Kind, source: str) -> Columns:
    """Convert an in-memory object to columns; `source` is its name in error messages."""
    columns = _columns(data, kind, source)
    if len(columns.queries) == 0:
        raise InputError(source, None, "expected rows, found none")
    return columns


def from_named_arrays(
    names: Sequence[str], column: ColumnAt, kind: Kind, source: str, metadata: Mapping[str, Any] | None = None
) -> Columns:
    """Convert a table with column names to columns; only columns with a role are read."""
    return _from_arrays(find_roles(names, kind, source), column, kind, source, metadata or {})


def _columns(data: object, kind: Kind, source: str) -> Columns:
    if isinstance(data, Run | Qrels):
        swapped = SWAPPED_QRELS if isinstance(data, Run) else SWAPPED_RUN
        raise InputError(
            source, None, f"expected {'a run' if kind == 'run' else 'judgments'}, found {data!r}", hint=swapped
        )
    if isinstance(data, Mapping):
        if not data:
            raise InputError(source, None, "expected queries, found an empty dict")
        return _from_dicts(data, kind, source) if _is_dict_of_dicts(data) else _from_mapping(data, kind, source)
    if hasattr(data, "__arrow_c_stream__"):
        return from_named_arrays(*frame_columns(data, source), kind, source)
    if isinstance(data, np.ndarray) and data.dtype.names:
        names = data.dtype.names
        return from_named_arrays(names, lambda column: data[names[column]], kind, source)
    if isinstance(data, tuple) and len(data) == 3 and all(hasattr(c, "__array__") and np.ndim(c) for c in data):
        return _from_arrays(Roles(0, 1, 2), data.__getitem__, kind, source, {})
    if isinstance(data, str | bytes | Path) or not isinstance(data, Iterable) or getattr(data, "ndim", 1) == 0:
        hint = f"use germane.read_{kind}(path) to read a file" if isinstance(data, str | bytes | Path) else None
        problem = f"expected {EXPECTED.format(value=_value_name(kind))}, found {type(data).__name__}"
        raise InputError(source, None, problem, hint=hint)
    return _from_rows(list(data), kind, source)


def _is_dict_of_dicts(data: object) -> bool:
    return isinstance(data, Mapping) and isinstance(next(iter(data.values()), None), Mapping)


def _from_dicts(data: Mapping[Any, Any], kind: Kind, source: str) -> Columns:
    for query, docs in data.items():
        if not isinstance(docs, Mapping):
            problem = f"expected a dict of documents for query {query!r}, found {type(docs).__name__}"
            raise InputError(source, None, problem)
    queries = as_ids(list(data), "query", source)
    if len(set(queries.to_bytes_list())) < len(data):
        raise InputError(source, None, "duplicate query: two ids are equal as text, such as 1 and '1'")
    docs = _join(data.values())
    if docs is None:  # not all of them text
        per_query = [as_ids(list(inner), "document", source) for inner in data.values()]
        for query, ids in zip(queries, per_query, strict=True):
            if len(set(ids.to_bytes_list())) < len(ids):
                problem = f"duplicate document for query {query!r}: two ids are equal as text, such as 1 and '1'"
                raise InputError(source, None, problem)
        docs = Ids.of(chain.from_iterable(ids.to_bytes_list() for ids in per_query))
    sizes = [len(inner) for inner in data.values()]
    values = list(chain.from_iterable(inner.values() for inner in data.values()))
    return Columns(queries, Stretches.of_sizes(sizes), docs, as_numbers(values, _value_name(kind), source))


def _join(documents: Iterable[Mapping[Any, Any]]) -> Ids | None:
    """Convert the keys of all dicts to ids; None if some are not text."""
    parts: list[bytes] = []
    lengths: list[np.ndarray[Any, np.dtype[np.int64]]] = []
    for inner in documents:
        keys: Iterable[Any] = inner
        try:
            text = "".join(inner)
            if text.isascii():
                parts.append(text.encode("ascii"))
            else:  # a character may be several bytes
                keys = [to_bytes(key) for key in inner]
                parts.extend(keys)
        except (TypeError, UnicodeEncodeError):
            return None
        lengths.append(np.fromiter(map(len, keys), dtype=np.int64, count=len(inner)))
        if not lengths[-1].all():
            return None  # an empty id, which as_ids reports
    offsets = np.concatenate((np.zeros(1, dtype=np.int64), *lengths)).cumsum()
    return Ids(np.frombuffer(b"".join(parts), dtype=np.uint8), offsets)


def _from_mapping(data: Mapping[Any, Any], kind: Kind, source: str) -> Columns:
    names = [str(name) for name in data]
    arrays = list(data.values())
    if not all(hasattr(array, "__len__") and not isinstance(array, str | bytes) for array in arrays):
        found = {type(array).__name__ for array in arrays}
        problem = f"expected a dict of dicts or a dict of columns, found a dict of {' and '.join(sorted(found))}"
        raise InputError(source, None, problem)
    return from_named_arrays(names, arrays.__getitem__, kind, source)


def _from_rows(rows: list[Any], kind: Kind, source: str) -> Columns:
    if not rows:
        raise InputError(source, None, "expected rows, found none")
    first = rows[0]
    is_dict = isinstance(first, Mapping)
    if is_dict or hasattr(first, "_fields"):
        names = list(first) if is_dict else list(first._fields)
        roles = find_roles([str(name) for name in names], kind, source)
    elif isinstance(first, Sequence) and not isinstance(first, str | bytes) and len(first) == 3:
        names, roles = [0, 1, 2], Roles(0, 1, 2)
    else:
        problem = f"expected rows (query, document, {_value_name(kind)}), dicts or named tuples, found {first!r}"
        raise InputError(source, None, problem)
    for number, row in enumerate(rows, start=1):
        if type(row) is not type(first) or (not is_dict and len(row) != len(first)):
            found = f"{row!r} as row {number}, {first!r} as row 1"
            raise InputError(source, None, f"expected rows of the same type and length, found {found}")
    field: Callable[[Any, Any], Any] = getattr if hasattr(first, "_fields") and not is_dict else getitem
    try:
        arrays = {column: [field(row, names[column]) for row in rows] for column in roles.columns}
    except KeyError as error:
        raise InputError(source, None, f"expected {error.args[0]!r} in every row, found a row without it") from None
    return _from_arrays(roles, arrays.__getitem__, kind, source, {})


def _from_arrays(roles: Roles, column: ColumnAt, kind: Kind, source: str, metadata: Mapping[str, Any]) -> Columns:
    queries, codes = as_queries(column(roles.query), source)
    docs = as_ids(column(roles.doc), "document", source)
    value = as_numbers(column(roles.value), "rank" if roles.rank_only else _value_name(kind), source)
    rank: FloatArray | None = None
    if roles.rank_only:
        rank, value = value, -value
    elif roles.rank is not None:
        rank = as_numbers(column(roles.rank), "rank", source)
    if not len(codes) == len(docs) == len(value):
        found = f"{len(codes)} queries, {len(docs)} documents, {len(value)} values"
        raise InputError(source, None, f"expected columns of equal length, found {found}")
    group = None if roles.group is None else as_groups(column(roles.group), source)
    tags = () if roles.tag is None else as_tags(column(roles.tag), source)
    stratum = None if roles.stratum is None else as_groups(column(roles.stratum), source)
    chance = None if roles.inclusion is None else as_numbers(column(roles.inclusion), "inclusion probability", source)
    kept = metadata.get("scale"), metadata.get("collection_size")
    return Columns(queries, codes, docs, value, rank, group, tags, roles.left_out, *kept, stratum, chance)


def _value_name(kind: Kind) -> str:
    return "score" if kind == "run" else "grade"
