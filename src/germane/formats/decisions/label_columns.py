"""Tables with several labels per item: text or lists in one column, or one column for each label, named by a prefix."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Unpack

import numpy as np

from germane.errors import GermaneError, InputError
from germane.formats.decisions.coded_columns import CodedText
from germane.formats.decisions.label_kinds import LabelKind, Read
from germane.formats.decisions.labelled_columns import Asked, ColumnNames
from germane.formats.decisions.labelled_rows import LabelledRows, asked_from, read_asked
from germane.formats.decisions.labelled_values import DECIMAL_COMMA, Where
from germane.formats.decisions.reading import TableOptions, reading_and_columns
from germane.formats.rows.column_names import plain_name
from germane.tables.columns.one_column import as_list
from germane.tables.decisions.label_matrices import NamedMatrix

STAR = "*"
"""Ending of a name that stands for all columns with this prefix, one for each label."""
INDICATORS = {0: False, 1: True, "0": False, "1": True, "false": False, "true": True}
"""Values of a column for one label; letter case is ignored."""
SETS = (list, tuple, set, frozenset, np.ndarray)
"""Types of a set of labels in a cell."""


@dataclass(frozen=True)
class AskedByLabel(Asked):
    """Columns of several labels: a name that ends in ``*`` stands for one column for each label."""

    @classmethod
    def of(cls, **columns: Unpack[ColumnNames]) -> AskedByLabel:
        """Build the request; probabilities are scores that are given by their prefix."""
        plain = Asked.of(**{role: columns.get(role) for role in ("truth", "weight", "id")})  # type: ignore[arg-type]
        several = {role: _several(columns.get(role)) for role in ("predicted", "score", "probabilities")}
        starred = tuple(name.removesuffix(STAR) + STAR for name in several["probabilities"])
        return cls(plain.truth, several["predicted"], (*several["score"], *starred), plain.weight, plain.id)

    def expanded(self, names: Sequence[str], source: str, line: int | None) -> Asked:
        """Return the request with the columns of a prefix instead of the prefix.

        Of several true columns the first is the truth, and the others are read as predictions are.
        """

        def all_of(asked: str) -> list[str]:
            found = columns_of_prefix(asked, names)
            if found is None:
                return [asked]
            if len(found) < 2:
                problem = f"expected a column for each label as {asked}, found {', '.join(found.values()) or 'none'}"
                listed = ", ".join(map(repr, names[:30])) + ", …" * (len(names) > 30)
                hint = f"use a common prefix of columns, such as 'true_*' for true_cat and true_dog; found {listed}"
                raise InputError(source, line, problem, hint=hint)
            every = [name for name in names if columns_of_prefix(asked, [name])]
            if len(every) > len(found):
                problem = f"expected one column for each label as {asked}, found {', '.join(map(repr, every))}"
                raise InputError(source, line, problem, hint="rename the columns of the label that has two")
            return every

        truth = [] if self.truth is None else all_of(self.truth)
        predicted = [name for asked in self.predicted for name in all_of(asked)]
        score = [name for asked in self.score for name in all_of(asked)]
        first = truth[0] if truth else None
        return Asked(first, (*truth[1:], *predicted), tuple(score), self.weight, self.id)


def columns_of_prefix(asked: str, names: Sequence[str]) -> dict[str, str] | None:
    """Return the columns of a name that ends in a star, by label; None for any other name.

    >>> columns_of_prefix("true_*", ["id", "true_cat", "true_dog"])
    {'cat': 'true_cat', 'dog': 'true_dog'}
    """
    if not asked.endswith(STAR):
        return None
    start = plain_name(asked.removesuffix(STAR)).rstrip("_") + "_"
    found = [name for name in names if plain_name(name).startswith(start) and name.strip()[len(start) :].strip()]
    return {name.strip()[len(start) :].strip(): name for name in found}


class LabelSetKind(LabelKind):
    """Labels of which an item may have several: as a list, or as text."""

    def of_values(self, columns: Mapping[str, Any], where: Where) -> Read:
        """Check typed columns: lists are sets of labels, and any other column has single labels or text."""
        lists = {name: held for name, column in columns.items() if (held := _lists(column, name, where)) is not None}
        rest = {name: column for name, column in columns.items() if name not in lists}
        found, absent = super().of_values(rest, where) if rest else ({}, {})
        plain = {name: as_list(column) for name, column in found.items()}
        return plain | lists, absent | {name: np.zeros(len(held), dtype=np.bool_) for name, held in lists.items()}

    def _require_decimals(
        self,
        coded: Mapping[str, CodedText],
        distinct: Mapping[str, Mapping[str, str]],
        present: Mapping[str, Set[str]],
        where: Where,
    ) -> None:
        """Refuse text that is not UTF-8; ``1,2`` may be two labels, and is not a number with a comma."""
        without = {name: {each for each in its if not DECIMAL_COMMA.fullmatch(each)} for name, its in present.items()}
        super()._require_decimals(coded, distinct, without, where)


def _lists(column: Any, name: str, where: Where) -> list[Any] | None:
    """Return a column of lists; None if it has none."""
    if isinstance(column, np.ndarray) and column.dtype.kind != "O":
        return None
    held = as_list(column)
    if not any(isinstance(each, SETS) for each in held):
        return None
    for row, each in enumerate(held):
        if not isinstance(each, SETS):
            problem = f"expected a list of labels in column {name!r}, as in other rows, found {each!r}"
            raise where.error(row, problem, "write an item without labels as an empty list")
    return held


@dataclass(frozen=True, eq=False)
class LabelSetColumns:
    """Columns of several labels by the name that was asked for: sets, text, or a matrix with the names of labels."""

    items: LabelledRows
    truth: tuple[str, Any]
    predicted: Mapping[str, Any]
    scores: Mapping[str, NamedMatrix]


def read_label_sets(data: Any, name: str = "data", **options: Unpack[TableOptions]) -> LabelSetColumns:
    """Read several labels per item from a file or an in-memory table; a name that ends in ``*`` is a prefix.

    >>> rows = {"true_a": [1, 0], "true_b": [1, 1], "p_a": [0.9, 0.2], "p_b": [0.4, 0.8]}
    >>> found = read_label_sets(rows, truth="true_*", probabilities="p")
    >>> found.truth[1].names, found.scores["p*"].values.tolist()
    (('a', 'b'), [[0.9, 0.4], [0.2, 0.8]])
    """
    reading, columns = reading_and_columns(options)
    reading.kind = LabelSetKind(reading.decimal)
    asked = AskedByLabel.of(**columns)
    if asked.weight is not None:
        raise GermaneError("weights are not supported for task label-sets", hint="remove `weight=`")
    if isinstance(data, str | Path):
        items = read_asked(data, asked, reading)
    else:
        items = asked_from(data, asked, reading, name=name)
    true_column = items.columns["truth"][0]
    held = {true_column: items.truth, **items.predicted}
    truth = asked.truth or true_column
    others = (name for name in items.predicted if not columns_of_prefix(truth, [name]))
    predicted = asked.predicted or tuple(others)
    if single := [each for each in asked.score or tuple(items.scores) if not each.endswith(STAR)]:
        problem = f"expected a score for each label, found one column: {single[0]!r}"
        hint = "name the columns by their common prefix, such as `score='p_*'` for p_cat and p_dog"
        raise InputError(items.source, None, problem, hint=hint)
    return LabelSetColumns(
        items,
        (truth, _column(truth, held, items)),
        {each: _column(each, held, items) for each in predicted},
        {each: _scores(each, items) for each in asked.score},
    )


def _column(asked: str, held: Mapping[str, Any], items: LabelledRows) -> Any:
    """Return one column, or the matrix of those with a prefix."""
    by_label = columns_of_prefix(asked, [*held])
    if by_label is None:
        column = as_list(held[_found(asked, held)])
        return column if isinstance(column[0], SETS) else [_text(value) for value in column]
    columns = [_indicators(held[name], name, items.source) for name in by_label.values()]
    return NamedMatrix(tuple(by_label), np.stack(columns, axis=1))


def _text(value: Any) -> str:
    """Return a cell as text; a column in which every item has one label that is a number was read as numbers."""
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)


def _found(asked: str, held: Mapping[str, Any]) -> str:
    """Return the name in the table of a column, which may be spelled in another way."""
    return next(name for name in held if name == asked or plain_name(name) == plain_name(asked))


def _scores(asked: str, items: LabelledRows) -> NamedMatrix:
    by_label = columns_of_prefix(asked, [*items.scores]) or {}
    return NamedMatrix(tuple(by_label), np.stack([items.scores[name] for name in by_label.values()], axis=1))


def _indicators(column: Any, name: str, source: str) -> np.ndarray[Any, np.dtype[np.bool_]]:
    """Return a column of 0 and 1 as truth values."""
    values = [value.lower() if isinstance(value, str) else value for value in as_list(column)]
    found = [None if isinstance(value, SETS) else INDICATORS.get(value) for value in values]
    if None in found:
        row = found.index(None)
        problem = f"expected 0 or 1 in column {name!r}, found {values[row]!r} in row {row + 1}"
        hint = "for scores of each label use `score='PREFIX_*'`, and `threshold=` to decide"
        raise InputError(source, None, problem, hint=hint)
    return np.asarray(found, dtype=np.bool_)


def _several(names: Any) -> tuple[str, ...]:
    if names is None:
        return ()
    return (str(names),) if isinstance(names, str | int) else tuple(map(str, names))
