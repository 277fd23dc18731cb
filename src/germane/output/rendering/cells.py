"""Values as text for people: digits, signs, small p-values and undefined values."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from germane.tables.results.columns import Column, Table, plain

UNDEFINED = "–"
OWN_DIGITS = {"effect": 2, "statistic": 2}
"""Decimal places of kinds of values for which more would be noise."""


@dataclass(frozen=True)
class Cells:
    """A column as text for people."""

    column: Column
    texts: list[str]
    """Texts without marks, which each format adds in its own way."""
    best: frozenset[int]
    """Rows with the best value among those that are compared."""

    @property
    def label(self) -> str:
        return self.column.label

    @property
    def right(self) -> bool:
        return self.column.is_number

    def mark(self, row: int) -> str:
        """Return the mark behind the number of a row."""
        return self.column.marks[row] if row < len(self.column.marks) else ""

    def marked(self) -> list[str]:
        """Return the texts with their marks, separated by a space."""
        return [f"{text} {self.mark(row)}" if self.mark(row) else text for row, text in enumerate(self.texts)]

    def aligned(self) -> list[str]:
        """Return the texts with marks padded to one width, so that numbers stay aligned in plain text."""
        widest = max((len(mark) for mark in self.column.marks), default=0)
        return [f"{text} {self.mark(row):<{widest}}" if widest else text for row, text in enumerate(self.texts)]


def cells_of(table: Table, digits: int) -> list[Cells]:
    """Return the columns for people, as text."""
    return [
        Cells(column, [text_of(column, value, digits) for value in column.values], _best(table, column, digits))
        for column in table.for_people()
    ]


def text_of(column: Column, value: Any, digits: int) -> str:
    """Return the text of one value of a column."""
    value = plain(value)
    if value is None or value == "":
        return (UNDEFINED if column.is_number else "") if column.empty is None else column.empty
    if not column.is_number or isinstance(value, str):
        return _words(value)
    digits = column.digits if column.digits is not None else OWN_DIGITS.get(column.kind, digits)
    if column.kind == "count" and value == value // 1:
        return f"{value:.0f}"
    if column.kind == "parameter":
        return repr(value).removesuffix(".0")
    if column.kind == "p":
        return p_text(value, digits)
    if column.kind in ("difference", "effect"):
        return signed(value, digits)
    if column.kind == "share":
        return f"{value:.{1 if column.digits is None else digits}%}"
    return number_text(value, digits)


def _words(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, (list, tuple)):
        return ", ".join(map(_words, value))
    return str(value)


def number_text(value: float, digits: int) -> str:
    """Format a number; one that rounds to 0 has no sign.

    >>> number_text(-0.00001, 4), number_text(math.inf, 2), number_text(math.nan, 2)
    ('0.0000', 'inf', '–')
    """
    if math.isnan(value):
        return UNDEFINED
    text = f"{value:.{digits}f}"
    return text.removeprefix("-") if float(text) == 0 else text


def signed(number: float, digits: int) -> str:
    """Format a difference with its sign; one that rounds to 0 is printed as +0.

    >>> signed(-0.00001, 4), signed(0.25, 2)
    ('+0.0000', '+0.25')
    """
    return UNDEFINED if math.isnan(number) else f"{round(number, digits) + 0.0:+.{digits}f}"


def p_text(p: float, digits: int) -> str:
    """Format a p-value; one that rounds to 0 is printed as below the smallest printable value.

    >>> p_text(0.00001, 4), p_text(0.25, 2)
    ('<0.0001', '0.25')
    """
    least = 10.0**-digits
    return UNDEFINED if math.isnan(p) else f"<{least:.{digits}f}" if p < least else f"{p:.{digits}f}"


def _best(table: Table, column: Column, digits: int) -> frozenset[int]:
    """Return the rows with the best printed value, among rows that differ only in the first column of words.

    Dimmed rows are ignored: they are not best, and do not prevent others from being best.
    """
    if column.better == "neither":
        return frozenset()
    names = [each.values for each in table.columns if not each.is_number][1:]
    groups: dict[tuple[Any, ...], list[int]] = {}
    for row in (row for row in range(len(table)) if not (table.dim and table.dim[row])):
        groups.setdefault(tuple(values[row] for values in names), []).append(row)
    best: list[int] = []
    for rows in groups.values():
        best += _best_of(column, [row for row in rows if plain(column.values[row]) is not None], digits)
    return frozenset(best)


def _best_of(column: Column, rows: Sequence[int], digits: int) -> list[int]:
    if len(rows) < 2:
        return []
    choose = max if column.better == "higher" else min
    best = text_of(column, choose(column.values[row] for row in rows), digits)
    found = [row for row in rows if text_of(column, column.values[row], digits) == best]
    return found if len(found) < len(rows) else []
