"""Columns that belong together: ``{id: value}`` is aligned by id, everything else goes by position.

Two pandas series whose indexes hold the same labels in another order are ambiguous, which is an error.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from germane.errors import InputError
from germane.tables.columns.one_column import library_of

MAX_LISTED_IDS = 3
"""Maximum number of ids listed in an error message."""


def aligned_columns(columns: Mapping[str, Any], source: str = "values") -> dict[str, Any]:
    """Return the columns by name, item by item: mappings as lists in the order of the first one's ids.

    >>> aligned_columns({"x": {"a": 1, "b": 2}, "y": {"b": 20, "a": 10}})
    {'x': [1, 2], 'y': [10, 20]}
    >>> aligned_columns({"x": {"a": 1}, "y": [1]})
    Traceback (most recent call last):
    germane.errors.InputError: values: expected y by id, as x is, found a list
    Hint: pass every column as {id: value}, or all of them as lists
    """
    given = {name: column for name, column in columns.items() if column is not None}
    by_id = {name: column for name, column in given.items() if isinstance(column, Mapping)}
    if not by_id:
        _require_one_order(given, source)
        return dict(columns)
    first, ids = next((name, list(column)) for name, column in by_id.items())
    for name, column in given.items():
        if name not in by_id:
            problem = f"expected {name} by id, as {first} is, found a {type(column).__name__}"
            raise InputError(source, None, problem, hint="pass every column as {id: value}, or all of them as lists")
        require_same_ids(by_id[first], column, (first, name), source)
    return {name: None if column is None else [column[one] for one in ids] for name, column in columns.items()}


def require_same_ids(
    first: Mapping[Any, Any], second: Mapping[Any, Any], names: tuple[str, str], source: str = "values"
) -> None:
    """Refuse two mappings with different ids."""
    for have, lack, (owner, other) in ((first, second, names), (second, first, names[::-1])):
        missing = [one for one in have if one not in lack]
        if missing:
            listed = ", ".join(map(repr, missing[:MAX_LISTED_IDS])) + ", …" * (len(missing) > MAX_LISTED_IDS)
            found = f"found {len(missing)} missing from {other}: {listed}"
            hint = "keep the ids that both have, and check that ids match: '1' and 1 are two ids"
            raise InputError(source, None, f"expected the same ids in {owner} and {other}, {found}", hint=hint)


def require_one_length(columns: Mapping[str, Any], source: str = "values") -> None:
    """Refuse columns of several lengths; None stands for a column that was not given.

    >>> require_one_length({"queries": [1, 2], "scores": [1]}, "run")
    Traceback (most recent call last):
    germane.errors.InputError: run: expected columns of one length, found 2 queries, 1 scores
    """
    sizes = {name: len(column) for name, column in columns.items() if column is not None}
    if len(set(sizes.values())) > 1:
        found = ", ".join(f"{size} {name}" for name, size in sizes.items())
        raise InputError(source, None, f"expected columns of one length, found {found}")


def require_nested(given: Any, expected: str, source: str) -> None:
    """Refuse anything but a mapping of mappings; its keys are ids."""
    if not isinstance(given, Mapping):
        raise InputError(source, None, f"expected {expected}, found {type(given).__name__}")
    for outer, inner in given.items():
        if not isinstance(inner, Mapping):
            raise InputError(source, None, f"expected {expected}, found {type(inner).__name__} for {outer!r}")
        for one in (outer, *inner):
            if isinstance(one, bool) or not isinstance(one, str | bytes | int | np.integer):
                raise InputError(source, None, f"expected ids that are text or integers, found {one!r}")


def _require_one_order(given: Mapping[str, Any], source: str) -> None:
    series = [each for each in given.items() if library_of(each[1]) == "pandas" and hasattr(each[1], "reindex")]
    indexed = [(name, column.index) for name, column in series if hasattr(column, "index")]
    for name, labels in indexed[1:]:
        first, index = indexed[0]
        if len(index) != len(labels) or index.equals(labels) or not (index.is_unique and labels.is_unique):
            continue
        if np.all(labels.isin(index)):
            problem = f"expected {name} in the order of {first}, found the same index labels in another order"
            hint = f"to align by label pass {name}.reindex({first}.index); to go by position pass .to_numpy()"
            raise InputError(source, None, problem, hint=hint)
