"""Several labels per item as tables of items × labels: from sets, text, or matrices of 0 and 1, with scores."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from germane.tables.columns.aligned_columns import aligned_columns
from germane.tables.columns.ids import BoolArray, FloatArray
from germane.tables.columns.one_column import as_list, dense_array, frame_column, frame_columns, one_column
from germane.tables.decisions.confusion import Label
from germane.tables.decisions.label_matrices import SOURCE, NamedMatrix, indicator_matrix, score_matrix, wrong_labels
from germane.tables.decisions.label_text import sets_of_text
from germane.tables.decisions.labels import as_values, is_hashable


@dataclass(frozen=True, eq=False)
class LabelTables:
    """Tables of items × labels: the truth, and the predictions and the scores of each classifier, by name."""

    labels: tuple[Label, ...]
    truth: BoolArray
    predicted: Mapping[str, BoolArray]
    scores: Mapping[str, FloatArray]

    def __len__(self) -> int:
        return len(self.truth)


@dataclass(frozen=True, eq=False)
class _Given:
    """One table as given: a matrix with the names of its columns if it has any, or sets; `role` is for errors."""

    role: str
    matrix: npt.NDArray[Any] | None = None
    names: tuple[Label, ...] | None = None
    sets: Sequence[Collection[Any]] = ()
    open: bool = False
    """Whether these are lists of 0 and 1, which could be either."""

    def __len__(self) -> int:
        return len(self.sets) if self.matrix is None else len(self.matrix)


def label_tables(
    y_true: Any,
    predicted: Mapping[str, Any],
    scores: Mapping[str, Any] | None = None,
    labels: Any = None,
    *,
    separator: str | None = None,
    true_name: str = "y_true",
) -> LabelTables:
    """Return the true labels, predictions and scores as tables of items × labels, with the labels in their order.

    A matrix of 0 and 1 (array, data frame, sparse matrix, tensor) has a row for each item and a column for each label,
    and so have scores. Anything else is a collection of labels for each item, or text with a `separator`. All may be
    mappings by id; scores may also be columns by label. The keys of `predicted` and `scores` name them in errors.

    >>> found = label_tables([{"a"}, {"a", "b"}], {"y_pred": [{"b"}, set()]})
    >>> found.labels, found.truth.tolist(), found.predicted["y_pred"].tolist()
    (('a', 'b'), [[True, False], [True, True]], [[False, True], [False, False]])
    >>> label_tables(np.asarray([[1, 0], [1, 1]]), {"y_pred": np.asarray([[0, 1], [0, 0]])}).labels
    (0, 1)
    """
    if y_true is None:
        raise wrong_labels(f"expected the true labels of each item as {true_name}, found none")
    scored = dict(scores or {})
    by_label = {} if isinstance(y_true, Mapping) else {n: s for n, s in scored.items() if isinstance(s, Mapping)}
    given = {true_name: y_true, **predicted, **{name: s for name, s in scored.items() if name not in by_label}}
    columns = aligned_columns(given, SOURCE) | by_label
    declared = None if labels is None else _declared(labels)
    sides = [_given(columns[role], role, declared, separator) for role in (true_name, *predicted)]
    rated = [_scores(columns[role], role) for role in scored]
    for side in (*sides[1:], *rated):
        if len(side) != len(sides[0]):
            what = "predicted sets" if side in sides else f"rows of scores ({side.role})"
            raise wrong_labels(f"expected as many {what} as true ones, found {len(side)} and {len(sides[0])}")
    if not len(sides[0]):
        raise wrong_labels("expected at least one item, found none")
    sides = _settled(sides, rated, declared)
    known = declared if declared is not None else _known([*sides, *rated])
    if not known:
        raise wrong_labels("expected at least one label, found none in any set")
    truth, *called = (_table(side, known) for side in sides)
    numbers = {side.role: _table(side, known).astype(np.float64) for side in rated}
    return LabelTables(known, truth, dict(zip(predicted, called, strict=True)), numbers)


def _given(column: Any, role: str, declared: tuple[Label, ...] | None, separator: str | None) -> _Given:
    if isinstance(column, NamedMatrix):
        return _Given(role, indicator_matrix(column.values, role), column.names)
    names = frame_columns(column)
    if names is not None and not (len(names) == 1 and _holds_sets(frame_column(column, names[0]), separator)):
        _require_two_columns(len(names), declared, role)
        return _Given(role, indicator_matrix(column, role), as_values(names))
    dense = dense_array(column, role, SOURCE)
    array = dense if dense is not None else column if isinstance(column, np.ndarray) else None
    if array is not None and array.ndim == 2 and not (array.dtype.kind in "SUT" or _holds_text(array)):
        _require_two_columns(array.shape[1], declared, role)
        return _Given(role, indicator_matrix(column, role))
    rows = (
        [*array]
        if array is not None and array.ndim == 2 and separator is None
        else [*as_list(one_column(column, role, SOURCE))]
    )
    if separator is not None and all(isinstance(each, str) for each in rows):
        return _Given(role, sets=sets_of_text(rows, separator))
    sets = [_collection(each, role, row) for row, each in enumerate(rows)]
    return _Given(role, sets=sets, open=_could_be_indicators(sets))


def _scores(column: Any, role: str) -> _Given:
    if isinstance(column, NamedMatrix):
        return _Given(role, score_matrix(column.values, role), column.names)
    names = [*column] if isinstance(column, Mapping) else frame_columns(column)
    return _Given(role, score_matrix(column, role), None if names is None else as_values(names))


def _require_two_columns(num: int, declared: tuple[Label, ...] | None, role: str) -> None:
    if num == 1 and declared is None:
        hint = "for one label that items have or lack, add `labels=…`; for one label per item, use `task='classes'`"
        raise wrong_labels(f"expected a column for each label as {role}, found one column", hint)


def _holds_sets(column: Any, separator: str | None) -> bool:
    first = next(iter(column), None)
    return isinstance(first, Collection) and (separator is not None or not isinstance(first, str | bytes))


def _holds_text(array: npt.NDArray[Any]) -> bool:
    return array.dtype.kind == "O" and any(isinstance(value, str) for value in array.ravel()[:1].tolist())


def _collection(each: Any, role: str, row: int) -> Collection[Any]:
    if isinstance(each, str | bytes | Mapping) or not isinstance(each, Iterable):
        what = f"the text {each!r}" if isinstance(each, str) else f"{each!r} ({type(each).__name__})"
        hint = "for example {'a', 'b'}; for text such as 'a;b' add `separator=';'`"
        raise wrong_labels(f"expected a set of labels in row {row + 1} of {role}, found {what}", hint)
    held = each.tolist() if isinstance(each, np.ndarray) else list(each)
    for label in held if isinstance(held, list) else [held]:
        if not is_hashable(label) or not isinstance(label, str | int | float | np.generic):
            raise wrong_labels(f"expected labels, text or numbers, in row {row + 1} of {role}, found {label!r}")
    return each if isinstance(each, set | frozenset) else held


def _could_be_indicators(sets: Sequence[Collection[Any]]) -> bool:
    """Whether all rows are lists of numbers as a matrix of 0 and 1 has them, even if some of them are wrong."""
    if not sets or any(isinstance(each, set | frozenset) for each in sets):
        return False
    values = [label for each in sets for label in each]
    if not values or not all(isinstance(v, int | float | np.generic) for v in values):
        return False
    if len({len(each) for each in sets}) == 1 and all(v in (-1, 0, 1) for v in values):
        return True
    return any(len(set(each)) < len(each) for each in sets) and all(0 <= v <= 1 for v in values)


def _settled(sides: list[_Given], rated: Sequence[_Given], declared: tuple[Label, ...] | None) -> list[_Given]:
    """Decide lists of 0 and 1: indicators where they cannot be sets, sets where another side has sets."""
    opened = [side for side in sides if side.open]
    if not opened or not all(side.open or side.matrix is not None for side in sides):
        return sides
    repeats = any(len(set(each)) < len(each) for side in opened for each in side.sets)
    named = declared is not None and not {0, 1} & set(declared)
    if not (repeats or named or rated or any(side.matrix is not None for side in sides)):
        width = min(len(side.sets[0]) for side in opened)
        problem = f"expected sets of labels or a matrix of 0 and 1, found lists of {width} that could be either"
        hint = "for a matrix pass np.asarray(y_true) and np.asarray(y_pred); for sets of the labels 0 and 1 pass sets"
        raise wrong_labels(problem, hint)
    return [replace(s, matrix=indicator_matrix([*s.sets], s.role), open=False) if s.open else s for s in sides]


def _known(sides: Sequence[_Given]) -> tuple[Label, ...]:
    """Return the labels: the names of columns, else all that occur, else the numbers of the columns."""
    matrices = [side for side in sides if side.matrix is not None]
    if not matrices:
        _require_a_common_label(sides)
        found = {label for side in sides for each in side.sets for label in each}
        return tuple(sorted(as_values([*found]), key=lambda label: (isinstance(label, str), label)))
    named = next((side.names for side in matrices if side.names is not None), None)
    if named is None and len(matrices) < len(sides):
        problem = "expected names for the columns of the matrix, since the other side has sets, found none"
        raise wrong_labels(problem, "name the columns in order: `labels=…`")
    width = matrices[0].matrix.shape[1] if matrices[0].matrix is not None else 0
    return named if named is not None else tuple(range(width))


def _require_a_common_label(sides: Sequence[_Given]) -> None:
    """Refuse predictions that share no label with the truth."""
    true, *others = ({label for each in side.sets for label in each} for side in sides)
    for side, called in zip(sides[1:], others, strict=True):
        if true and called and not true & called:
            listed = [", ".join(repr(label) for label in sorted(each, key=str)[:5]) for each in (true, called)]
            problem = f"expected labels of the truth ({listed[0]}) in {side.role}, found only others: {listed[1]}"
            hint = "use the same labels on both sides; if no prediction is right, declare all labels: `labels=…`"
            raise wrong_labels(problem, hint)


def _table(side: _Given, known: tuple[Label, ...]) -> npt.NDArray[Any]:
    if side.matrix is None:
        place = {label: i for i, label in enumerate(known)}
        table = np.zeros((len(side.sets), len(known)), dtype=np.bool_)
        for row, each in enumerate(side.sets):
            for label in each:
                if label not in place:
                    problem = f"expected one of the declared labels in row {row + 1} of {side.role}, found {label!r}"
                    raise wrong_labels(problem, "declare it too: `labels=…`")
                table[row, place[label]] = True
        return table
    shape = side.matrix.shape
    if shape[1] != len(known):
        hint = "rows are items and columns are labels; pass the transpose" if shape[0] == len(known) else None
        raise wrong_labels(
            f"expected {len(known)} columns as {side.role}, one for each label, found shape {shape}", hint
        )
    if side.names is None or side.names == known:
        return side.matrix
    if set(side.names) != set(known):
        other = next(name for name in (*side.names, *known) if (name in side.names) != (name in known))
        raise wrong_labels(f"expected the columns of {side.role} to be the labels, found {other!r} on one side only")
    return np.ascontiguousarray(side.matrix[:, [side.names.index(label) for label in known]])


def _declared(labels: Any) -> tuple[Label, ...]:
    found = as_values([*labels] if isinstance(labels, str) else [*one_column(labels, "labels", SOURCE)])
    if len(set(found)) < len(found):
        raise wrong_labels(f"expected each label once in labels, found {[*found]}")
    return found
