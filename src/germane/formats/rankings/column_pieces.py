"""Read runs and judgments piece by piece from Parquet and Arrow files."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np

from germane import kernels
from germane.formats.files.arrow_tables import ArrowTable
from germane.formats.rankings.entry import Detected
from germane.formats.rankings.pieces import Advance, Heads, Piece, StrictReaderNeededError
from germane.formats.rows.column_names import Roles, find_roles
from germane.tables.columns.id_columns import decoded, from_arrow, is_text
from germane.tables.columns.ids import FloatArray, Ids

ROWS_AT_ONCE = 1 << 17


def column_roles(table: ArrowTable, detected: Detected) -> Roles:
    """Return the roles of the columns."""
    return find_roles(list(table.schema.names), detected.kind, detected.source)


def column_pieces(table: ArrowTable, detected: Detected, advance: Advance | None = None) -> Iterator[Piece]:
    """Yield the rows; they are numbered from 1, as lines."""
    names = list(table.schema.names)
    roles = column_roles(table, detected)
    if roles.stratum is not None or roles.inclusion is not None:
        raise StrictReaderNeededError
    start = 0
    for batch in table.batches(None, ROWS_AT_ONCE):  # other columns may be damaged too
        batch.validate(full=True)  # a damaged file may have offsets that point anywhere
        if batch.num_rows:
            yield _piece(partial(_column, batch, names), roles, start)
            start += batch.num_rows
        if advance is not None:
            advance(start, None)


def _column(batch: Any, names: list[str], place: int) -> Any:
    return batch.column(names[place])


def _piece(column: Callable[[int], Any], roles: Roles, start: int) -> Piece:
    docs, value = _ids(column(roles.doc)), _numbers(column(roles.value))
    rank = None if roles.rank is None else _numbers(column(roles.rank))
    if roles.rank_only:
        value, rank = -value, value
    label = roles.group if roles.group is not None else roles.tag
    groups = None if label is None else _heads(column(label))
    line = np.arange(start + 1, start + len(value) + 1)
    return Piece(_heads(column(roles.query)), docs, value, rank, groups, line, line)


def _heads(column: Any) -> Heads:
    ids = _ids(column)
    starts = np.flatnonzero(kernels.changes(ids.data, ids.offsets))
    return Heads(ids.take(starts), np.append(starts, len(ids)))


def _ids(column: Any) -> Ids:
    import pyarrow as pa

    column = decoded(column)
    if column.null_count or not (pa.types.is_integer(column.type) or is_text(column.type)):
        raise StrictReaderNeededError
    ids = from_arrow(column)
    if (np.diff(ids.offsets) == 0).any():
        raise StrictReaderNeededError
    return ids


def _numbers(column: Any) -> FloatArray:
    import pyarrow as pa

    if column.null_count or not (pa.types.is_integer(column.type) or pa.types.is_floating(column.type)):
        raise StrictReaderNeededError
    values = np.asarray(column.to_numpy(zero_copy_only=False)).astype(np.float64, copy=False)
    if not np.isfinite(values).all():
        raise StrictReaderNeededError
    return values
