"""Sets of labels as a table of items × labels: from sets, or from matrices of 0 and 1 as scikit-learn has them."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from germane.errors import InputError
from germane.tables.columns.aligned_columns import aligned_columns
from germane.tables.columns.ids import BoolArray
from germane.tables.columns.one_column import dense_array, frame_column, frame_columns, one_column, plain_array
from germane.tables.decisions.confusion import Label
from germane.tables.decisions.labels import as_values, is_hashable

INDICATOR_HINT = "1 means that an item (row) has a label (column); decide first, such as probabilities >= 0.5"


@dataclass(frozen=True, eq=False)
class _Given:
    """Truth or prediction as given: a matrix of 0 and 1 with the names of its columns if it has any, or sets."""

    matrix: BoolArray | None = None
    names: tuple[Label, ...] | None = None
    sets: Sequence[Collection[Any]] = ()
    open: bool = False
    """Whether these are lists of 0 and 1, which could be either."""


def label_tables(y_true: Any, y_pred: Any, labels: Any = None) -> tuple[BoolArray, BoolArray, tuple[Label, ...]]:
    """Return the true and the predicted labels as tables of items × labels, and the labels in the order of columns.

    A matrix of 0 and 1 (array, data frame, sparse matrix, tensor) has a row for each item and a column for each label.
    Anything else is a collection of labels for each item. Both may be mappings by id.

    >>> label_tables([{"a"}, {"a", "b"}], [{"b"}, set()])[0].tolist()
    [[True, False], [True, True]]
    >>> label_tables(np.asarray([[1, 0], [1, 1]]), np.asarray([[0, 1], [0, 0]]))[2]
    (0, 1)
    """
    columns = aligned_columns({"y_true": y_true, "y_pred": y_pred}, "label sets")
    declared = None if labels is None else _declared(labels)
    truth, predicted = (_given(columns[role], role, declared) for role in ("y_true", "y_pred"))
    num = [len(side.sets) if side.matrix is None else len(side.matrix) for side in (truth, predicted)]
    if num[0] != num[1]:
        raise _wrong(f"expected as many predicted sets as true ones, found {num[1]} and {num[0]}")
    if not num[0]:
        raise _wrong("expected at least one item, found none")
    if truth.open or predicted.open:
        truth, predicted = _settled(truth, predicted, declared)
    known = declared if declared is not None else _known(truth, predicted)
    if not known:
        raise _wrong("expected at least one label, found none in any set")
    return _table(truth, known, "y_true"), _table(predicted, known, "y_pred"), known


def indicator_matrix(given: Any, role: str) -> BoolArray:
    """Return a matrix of 0 and 1, items × labels, as truth values; any other value is an error.

    >>> indicator_matrix([[1, 0], [0, 1]], "truth").tolist()
    [[True, False], [False, True]]
    """
    dense = dense_array(given, role, "label sets")
    if dense is None and (names := frame_columns(given)) is not None:
        columns = [np.asarray(frame_column(given, name)) for name in names]
        dense = np.stack(columns, axis=1) if columns else np.zeros((0, 0))
    elif dense is None and isinstance(given, np.ndarray):
        dense = plain_array(given, role, "label sets")
    elif dense is None:
        try:
            dense = np.asarray(given)
        except ValueError:
            raise _wrong(f"expected items × labels as {role}, found rows of several lengths") from None
    if dense.ndim != 2:
        raise _wrong(f"expected items × labels as {role}, found an array of shape {dense.shape}")
    fits = (dense == 0) | (dense == 1) if dense.dtype.kind in "biufO" else np.zeros(dense.shape, dtype=np.bool_)
    if not fits.all():
        row, column = np.argwhere(~fits)[0].tolist()
        found = f"found {dense[row, column]!r} in row {row + 1}, column {column + 1}"
        raise _wrong(f"expected 0 or 1 for each item and label as {role}, {found}", INDICATOR_HINT)
    return np.asarray(dense.astype(np.bool_))


def _given(column: Any, role: str, declared: tuple[Label, ...] | None) -> _Given:
    names = frame_columns(column)
    if names is not None and not (len(names) == 1 and _holds_sets(frame_column(column, names[0]))):
        _require_two_columns(len(names), declared, role)
        return _Given(indicator_matrix(column, role), as_values(names))
    dense = dense_array(column, role, "label sets")
    array = dense if dense is not None else column if isinstance(column, np.ndarray) else None
    if array is not None and array.ndim == 2 and not (array.dtype.kind in "SUT" or _holds_text(array)):
        _require_two_columns(array.shape[1], declared, role)
        return _Given(indicator_matrix(column, role))
    rows = [*array] if array is not None and array.ndim == 2 else [*one_column(column, role, "label sets")]
    sets = [_collection(each, role, row) for row, each in enumerate(rows)]
    return _Given(sets=sets, open=_could_be_indicators(sets))


def _require_two_columns(num: int, declared: tuple[Label, ...] | None, role: str) -> None:
    if num == 1 and declared is None:
        hint = "for one label that items have or lack, add `labels=…`; for one label per item, use `task='classes'`"
        raise _wrong(f"expected a column for each label as {role}, found one column", hint)


def _holds_sets(column: Any) -> bool:
    first = next(iter(column), None)
    return isinstance(first, Collection) and not isinstance(first, str | bytes)


def _holds_text(array: npt.NDArray[Any]) -> bool:
    return array.dtype.kind == "O" and any(isinstance(value, str) for value in array.ravel()[:1].tolist())


def _collection(each: Any, role: str, row: int) -> Collection[Any]:
    if isinstance(each, str | bytes | Mapping) or not isinstance(each, Iterable):
        what = f"the text {each!r}" if isinstance(each, str) else f"{each!r} ({type(each).__name__})"
        raise _wrong(f"expected a set of labels in row {row + 1} of {role}, found {what}", "for example {'a', 'b'}")
    held = each.tolist() if isinstance(each, np.ndarray) else list(each)
    for label in held if isinstance(held, list) else [held]:
        if not is_hashable(label) or not isinstance(label, str | int | float | np.generic):
            raise _wrong(f"expected labels, text or numbers, in row {row + 1} of {role}, found {label!r}")
    return each if isinstance(each, set | frozenset) else held


def _could_be_indicators(sets: Sequence[Collection[Any]]) -> bool:
    """Whether all rows are lists of 0 and 1 of one length."""
    if not sets or any(isinstance(each, set | frozenset) for each in sets) or len({len(each) for each in sets}) != 1:
        return False
    values = [label for each in sets for label in each]
    return bool(values) and all(isinstance(v, int | float | np.generic) and v in (0, 1) for v in values)


def _settled(truth: _Given, predicted: _Given, declared: tuple[Label, ...] | None) -> tuple[_Given, _Given]:
    """Decide lists of 0 and 1: indicators where they cannot be sets, sets where the other side has sets."""
    sides = (truth, predicted)
    if not all(side.open or side.matrix is not None for side in sides):
        return truth, predicted

    repeats = any(len(set(each)) < len(each) for side in sides if side.open for each in side.sets)
    named = declared is not None and not {0, 1} & set(declared)
    if not (repeats or named or any(side.matrix is not None for side in sides)):
        width = min(len(side.sets[0]) for side in sides if side.open)
        problem = f"expected sets of labels or a matrix of 0 and 1, found lists of {width} that could be either"
        hint = "for a matrix pass np.asarray(y_true) and np.asarray(y_pred); for sets of the labels 0 and 1 pass sets"
        raise _wrong(problem, hint)
    first, second = (
        _Given(indicator_matrix([*side.sets], role)) if side.open else side
        for side, role in zip(sides, ("y_true", "y_pred"), strict=True)
    )
    return first, second


def _known(truth: _Given, predicted: _Given) -> tuple[Label, ...]:
    sides = (truth, predicted)
    matrices = [side.matrix for side in sides if side.matrix is not None]
    if not matrices:
        found = {label for side in sides for each in side.sets for label in each}
        return tuple(sorted(as_values([*found]), key=lambda label: (isinstance(label, str), label)))
    names = next((side.names for side in sides if side.names is not None), None)
    if len(matrices) == 1 and names is None:
        problem = "expected names for the columns of the matrix, since the other side has sets, found none"
        raise _wrong(problem, "name the columns in order: `labels=…`")
    return names if names is not None else tuple(range(matrices[0].shape[1]))


def _table(side: _Given, known: tuple[Label, ...], role: str) -> BoolArray:
    if side.matrix is None:
        place = {label: i for i, label in enumerate(known)}
        table = np.zeros((len(side.sets), len(known)), dtype=np.bool_)
        for row, each in enumerate(side.sets):
            for label in each:
                if label not in place:
                    problem = f"expected one of the declared labels in row {row + 1} of {role}, found {label!r}"
                    raise _wrong(problem, "declare it too: `labels=…`")
                table[row, place[label]] = True
        return table
    shape = side.matrix.shape
    if shape[1] != len(known):
        hint = "rows are items and columns are labels; pass the transpose" if shape[0] == len(known) else None
        raise _wrong(f"expected {len(known)} columns as {role}, one for each label, found shape {shape}", hint)
    if side.names is None or side.names == known:
        return side.matrix
    if set(side.names) != set(known):
        other = next(name for name in (*side.names, *known) if (name in side.names) != (name in known))
        raise _wrong(f"expected the columns of {role} to be the labels, found {other!r} on one side only")
    return np.ascontiguousarray(side.matrix[:, [side.names.index(label) for label in known]])


def _declared(labels: Any) -> tuple[Label, ...]:
    found = as_values([*labels] if isinstance(labels, str) else [*one_column(labels, "labels", "label sets")])
    if len(set(found)) < len(found):
        raise _wrong(f"expected each label once in labels, found {[*found]}")
    return found


def _wrong(problem: str, hint: str | None = None) -> InputError:
    return InputError("label sets", None, problem, hint=hint)
