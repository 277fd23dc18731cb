"""Groups of items, such as patients or hospitals: the group of each item as a code, without a limit on their number."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from germane import kernels
from germane.errors import InputError
from germane.tables.columns.ids import BoolArray, IntArray, first_row
from germane.tables.columns.one_column import as_list, one_column
from germane.tables.decisions.confusion import Label


@dataclass(frozen=True, eq=False)
class Groups:
    """The names of the groups that occur, sorted, and the code of each item's group.

    >>> Groups.of(["b", "a", "b"], "slices")
    Groups(values=('a', 'b'), codes=array([1, 0, 1]))
    """

    values: tuple[Label, ...]
    codes: IntArray

    @classmethod
    def of(cls, column: Any, role: str, source: str = "groups") -> Groups:
        """Return the groups of a column; a missing value is an error."""
        given = one_column(column, role, source)
        values = given.tolist() if isinstance(given, np.ndarray) else as_list(given)
        absent = np.fromiter((value is None or value != value or value == "" for value in values), bool, len(values))  # noqa: PLR0124
        if (row := first_row(absent)) is not None:
            problem = f"expected a value in {role}, found {values[row]!r} in row {row + 1}"
            raise InputError(source, None, problem, hint="fill in the value or remove the row")
        try:
            codes, firsts = kernels.encode_objects(values)
        except TypeError:
            problem = f"expected text or numbers as {role}, found {type(values[0]).__name__}"
            raise InputError(source, None, problem, hint="use one value per item") from None
        found = [values[row] for row in firsts.tolist()]
        order = sorted(range(len(found)), key=lambda place: _sort_key(found[place]))
        place = np.empty(len(order), dtype=np.int64)
        place[order] = np.arange(len(order))
        return cls(tuple(found[at] for at in order), place[codes])

    def __len__(self) -> int:
        return len(self.values)

    def has(self, place: int) -> BoolArray:
        """Return for each item whether it is in the group of this index."""
        found: BoolArray = self.codes == place
        return found


def rows_of_column(column: Any, rows: IntArray) -> Any:
    """Return these rows of a column: a list, an array, or a column of pandas, polars or Arrow.

    >>> rows_of_column(["a", "b", "c"], np.asarray([2, 0]))
    ['c', 'a']
    """
    if column is None:
        return None
    if isinstance(column, np.ndarray):
        return column[rows]
    if hasattr(column, "iloc"):
        return column.iloc[rows]
    if hasattr(column, "gather"):
        return column.gather(rows)
    if hasattr(column, "take"):
        return column.take(rows)
    if isinstance(column, list | tuple):
        return [column[row] for row in rows.tolist()]
    return np.asarray(column)[rows]


def _sort_key(value: Any) -> tuple[bool, Any]:
    return (isinstance(value, str), value)
