"""Missing values of a table of labels and scores: which values are missing, and the rows that lack one.

Missing are an empty cell, ``nan`` in any case, and the nulls of data frames and files. ``NA``, ``N/A``, ``#N/A``,
``<NA>``, ``null`` and ``none`` are missing among numbers and among truth values, but among words they are labels, since
a country or a gene may be called so. Nothing is filled in: such rows are an error, or are excluded and counted.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from germane.errors import GermaneError, InputError, did_you_mean
from germane.tables.columns.ids import BoolArray
from germane.tables.notes.note import Note

if TYPE_CHECKING:
    from germane.formats.decisions.labelled_values import Where

Missing = Literal["error", "exclude"]
HANDLINGS = ("error", "exclude")
MISSING = frozenset({"", "nan"})
"""Texts that are missing values in every column; letter case is ignored."""
MISSING_AMONG_VALUES = MISSING | {"na", "n/a", "#n/a", "<na>", "null", "none"}
"""Texts that are missing values among numbers and truth values."""
MISSING_HINT = 'exclude these rows with `missing="exclude"`, or fill in the values'


def is_missing(value: Any) -> bool:
    """Return whether a value in memory is missing: None, NaN, pandas' NA or an empty text.

    >>> [is_missing(value) for value in (None, float("nan"), "", " ", "nan", "NA", 0)]
    [True, True, True, True, True, False, False]
    """
    if isinstance(value, str):
        return value.strip().lower() in MISSING
    try:
        return value is None or bool(value != value)  # noqa: PLR0124 (only NaN differs from itself)
    except ValueError:
        return False  # comparing arrays is ambiguous
    except TypeError:
        return True  # pandas' NA cannot be compared


class MissingValues:
    """The rows that lack a value, counted by column over all parts of a table."""

    def __init__(self, handling: str | None = None) -> None:
        if handling not in (None, *HANDLINGS):
            problem = f"unknown way to handle missing values {handling!r}{did_you_mean(str(handling), HANDLINGS)}"
            raise GermaneError(problem, hint=f"choose from {', '.join(HANDLINGS)}")
        self.exclude = handling == "exclude"
        self.num_rows = self.num_incomplete = 0
        self.by_column: dict[str, int] = {}
        self._first: tuple[Where, int, str] | None = None

    def complete(self, absent: Mapping[str, BoolArray], num_rows: int, where: Where) -> BoolArray | None:
        """Count the missing values of a part, by column; return which rows are complete, or None if all are."""
        self.num_rows += num_rows
        self.by_column = dict.fromkeys(absent, 0) | self.by_column  # so that parts name columns in the same order
        lacking = {name: mask for name, mask in absent.items() if mask.any()}
        if not lacking:
            return None
        incomplete: BoolArray = np.logical_or.reduce(list(lacking.values()))
        self.num_incomplete += int(incomplete.sum())
        for name, mask in lacking.items():
            self.by_column[name] += int(mask.sum())
        if self._first is None:
            row = int(incomplete.argmax())
            self._first = where, row, next(name for name, mask in lacking.items() if mask[row])
        return ~incomplete

    def require_handled(self, source: str) -> None:
        """Raise the error about all rows that lack a value, unless they are excluded; or if no row is left."""
        if self._first is None:
            return
        where, row, name = self._first
        found = f"found none in {self.num_incomplete:,} of {self.num_rows:,} rows ({', '.join(self._counts)})"
        if not self.exclude:
            problem = f"expected a value in every row, {found}, first in column {name!r}"
            raise where.error(row, problem, MISSING_HINT)
        if self.num_incomplete == self.num_rows:
            hint = "name only columns that have values, or fill them in"
            raise InputError(source, None, f"expected some rows without missing values, {found}", hint=hint)

    @property
    def _counts(self) -> tuple[str, ...]:
        return tuple(f"{name}: {count:,}" for name, count in self.by_column.items() if count)

    def notes(self, *, several: bool = False) -> list[Note]:
        """Return the note on excluded rows; with several classifiers they stay paired."""
        if not (self.exclude and self.num_incomplete):
            return []
        whose = " for all classifiers" if several else ""
        return [excluded_note(self.num_incomplete, self.num_rows, self._counts, whose)]


def excluded_note(num_excluded: int, num_rows: int, counts: Sequence[str], whose: str = "") -> Note:
    """Return the note on rows that were excluded, with the number of missing values by column."""
    amount = f"{num_excluded:,} of {num_rows:,} rows"
    share = num_excluded / num_rows
    what = f"excluded{whose}, because values are missing; check whether they are missing at random"
    return Note("missing-excluded", amount, what, count=num_excluded, examples=tuple(counts), share=share)
