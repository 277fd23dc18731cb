"""The law of shapes: a column in any shape is read as the list is, or is an error of germane; so are mappings by id.

It runs over every public function (`public_calls.doors`) and over the registries of coefficients, of measures of
decisions and of tests, and over every argument of a call that works that is a column.
"""

from __future__ import annotations

import inspect
import re
import warnings
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import germane as ge
from germane.errors import GermaneError
from germane.measures.decisions.measure import DECISION_MEASURES
from germane.stats.rankings.coefficients import COEFFICIENTS
from germane.stats.significance.paired_tests import PAIRED_TESTS
from germane.stats.significance.unpaired_tests import UNPAIRED_TESTS
from tests.laws.column_shapes import NUMBERS, READ, REFUSED, holds_numbers, is_column, plain
from tests.laws.public_calls import CALLS, EXCUSED, Arguments, door_of, doors

Door = Callable[..., Any]
COLUMNS_OF: dict[str, Arguments] = {
    "numbers": {"y_true": [1.0, 2.0, 3.0, 5.0], "y_pred": [1.5, 2.0, 2.5, 4.0]},
    "densities": {"values": [-0.5, -1.0, -0.75]},
}
ARRAYS = re.compile(r"ArrayLike|NDArray|FloatArray|LabelsLike|ScoresLike|Sequence\[(?!str\])")
NOT_IN_THE_CALL = {
    "Qrels.from_columns": {"inclusion"},
    "learning.NaiveBayes": {"categorical", "priors"},
    "search": {"queries"},
    "learn": {"C"},
    "retrieve": {"costs"},
    "compare": {"labels"},
    "explain": {"y_pred", "labels"},
    "plot": {"y_pred", "y_proba", "labels", "rules", "cluster", "slices"},
    "report": {"y_pred", "y_score", "y_proba", "sample_weight", "labels", "rules", "cluster", "slices"},
    "learning.k_folds": {"groups"},
    "learning.split_by_share": {"groups"},
}
"""Arguments that are arrays only at times, or go the way of one that is in the call."""


def of_registries() -> Iterator[tuple[str, Door, Arguments]]:
    """Functions of registries, with a call that works."""
    scored = {"a": [3.0, 1.0, 2.0, 5.0], "b": [2.0, 1.0, 4.0, 3.0]}
    for entry in COEFFICIENTS:
        yield entry.name, lambda a, b, entry=entry: entry(a, b), scored
    for measure in DECISION_MEASURES:
        if measure.of in COLUMNS_OF:
            first, second = COLUMNS_OF[measure.of], measure
            yield measure.name, lambda measure=second, **columns: measure(*columns.values()), first
    for name, test in ((each.name, each) for each in PAIRED_TESTS):
        yield name, lambda differences, test=test: test(differences, "two"), {"differences": [0.5, -0.25, 0.375, 0.875]}
    for name, unpaired in ((each.name, each) for each in UNPAIRED_TESTS):
        both = {"treatment": [3.0, 1.0, 2.0], "control": [2.0, 1.5, 4.0]}
        yield name, lambda treatment, control, unpaired=unpaired: unpaired(treatment, control, "two"), both


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("shapes")


@cache
def functions() -> dict[str, Door]:
    return dict(doors())


def result(door: Door, arguments: Arguments) -> Any:
    """What a call gives, comparable; or the error of germane that it raises."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return plain(door(**arguments))
        except GermaneError as error:
            return error


def columns_in(arguments: Arguments) -> list[str]:
    return [name for name, value in arguments.items() if is_column(value)]


def takes_any_order(door: Door, name: str) -> bool:
    parameter = inspect.signature(door).parameters.get(name)
    annotation = "" if parameter is None else str(parameter.annotation)
    annotation += "".join(str(getattr(ge.types, part, "")) for part in annotation.split(" | "))
    return "Iterable" in annotation or "Collection" in annotation


def misread(door: Door, call: Callable[[], Arguments]) -> Iterator[str]:
    """Shapes of a column that give another result than the list, or none that germane stands for."""
    expected = result(door, call())
    assert not isinstance(expected, GermaneError), expected
    for name in columns_in(call()):
        values = call()[name]
        for shape, make in {**READ, **(NUMBERS if holds_numbers(values) else {}), **REFUSED}.items():
            arguments = call()
            try:
                arguments[name] = make(values)
            except (TypeError, ValueError):  # the shape cannot hold such values
                continue
            try:
                found = result(door, arguments)
            except Exception as error:
                yield f"{name} as {shape}: {type(error).__name__}: {error}"
                continue
            if shape in ANY_RESULT or (shape == "set" and takes_any_order(door, name)):
                continue
            if not isinstance(found, GermaneError) and (shape in REFUSED or found != expected):
                yield f"{name} as {shape}: {str(found)[:80]}"


def misaligned(door: Door, call: Callable[[], Arguments]) -> Iterator[str]:
    """Mappings by id, and series with an index, that are not aligned and give a result all the same."""
    expected = result(door, call())
    names = columns_in(call())
    size = len(call()[names[0]]) if names else 0
    names = [name for name in names if len(call()[name]) == size]
    if len(names) < 2:
        return
    ids = [f"i{place}" for place in range(size)]
    backwards = {name: place % 2 == 1 for place, name in enumerate(names)}

    def mapped(name: str, *, keys: list[str] = ids) -> dict[str, Any]:
        pairs = list(zip(keys, call()[name], strict=True))
        return dict(reversed(pairs) if backwards[name] else pairs)

    def series(name: str) -> pd.Series:
        found = pd.Series(call()[name], index=ids)
        return found[::-1] if backwards[name] else found

    cases: dict[str, tuple[Arguments, bool]] = {
        "mappings in several orders": ({name: mapped(name) for name in names}, True),
        "one mapping, the others lists": ({names[0]: mapped(names[0])}, False),
        "mappings of other ids": (
            {name: mapped(name) for name in names} | {names[1]: mapped(names[1], keys=[*ids[:-1], "other"])},
            False,
        ),
        "series in several orders": ({name: series(name) for name in names}, False),
    }
    for case, (changed, may_be_read) in cases.items():
        try:
            found = result(door, call() | changed)
        except Exception as error:
            yield f"{case}: {type(error).__name__}: {error}"
            continue
        if not isinstance(found, GermaneError) and not (may_be_read and found == expected):
            yield f"{case}: {str(found)[:80]}"


WITH_COLUMNS = [
    name for name in CALLS if name not in ("learning.Agent.train", "learning.Agent.open", "learning.read_model")
]


FRAMES = "{} as (arrow table|frame|polars frame) with two columns: "
SEVERAL = dict.fromkeys(("classify numbers", "classify clusters"), FRAMES.format("y_pred")) | {
    "classify slices": FRAMES.format("slices")
}
"""Frames of which each column is a prediction, or a way to slice."""


@pytest.mark.parametrize("name", WITH_COLUMNS)
def test_a_column_is_read_as_the_list_or_refused(name: str, folder: Path) -> None:
    found = misread(functions()[door_of(name)], lambda: CALLS[name](folder))
    assert [one for one in found if not (name in SEVERAL and re.match(SEVERAL[name], one))] == []


@pytest.mark.parametrize("name", WITH_COLUMNS)
def test_columns_that_belong_together_are_aligned_or_refused(name: str, folder: Path) -> None:
    found = list(misaligned(functions()[door_of(name)], lambda: CALLS[name](folder)))
    if name == "learning.bias_variance":  # whose y and y_test are of different items
        found = [one for one in found if not one.startswith("series in several orders")]
    assert found == []


REGISTERED = list(of_registries())
ALLOWED = (
    # Rank-biased overlap compares lists that need not hold the same items.
    ([entry.name for entry in COEFFICIENTS if entry.kind != "correlation"], "mappings of other ids"),
    # Two groups are two sets of items, which belong to different queries.
    (list(UNPAIRED_TESTS.names), "series in several orders|treatment as|control as"),
    # Rows are queries and columns are what is tested: matrices and frames have that reading.
    ([*PAIRED_TESTS.names, *UNPAIRED_TESTS.names], r"(matrix|columns?|sparse row): \("),
)
"""Readings that functions of registries have besides, and why."""
ANY_RESULT = ("nothing in it",)
"""An empty list may be refused, or give an empty result."""


@pytest.mark.parametrize(("name", "door", "arguments"), REGISTERED, ids=[name for name, _, _ in REGISTERED])
def test_functions_of_registries_obey_too(name: str, door: Door, arguments: Arguments) -> None:
    found = [*misread(door, lambda: dict(arguments)), *misaligned(door, lambda: dict(arguments))]
    allowed = tuple(words for names, words in ALLOWED if name in names)
    assert [one for one in found if not any(re.search(words, one) for words in allowed)] == []


def test_every_public_function_is_in_the_law() -> None:
    called = {door_of(name) for name in CALLS} | set(EXCUSED)
    assert sorted(set(functions()) - called) == []
    assert sorted(called - set(functions())) == [], "calls of what is not there"


def test_every_array_that_a_public_function_takes_is_in_its_call(folder: Path) -> None:
    missing = []
    for name, function in functions().items():
        calls = [call for called, call in CALLS.items() if door_of(called) == name]
        if calls:
            given = {argument for call in calls for argument in call(folder)}
            for parameter in inspect.signature(function).parameters.values():
                is_array = ARRAYS.search(str(parameter.annotation)) and parameter.name not in given
                if is_array and parameter.name not in NOT_IN_THE_CALL.get(name, ()):
                    missing.append(f"{name}({parameter.name})")
    assert missing == []


# Specimens that the laws must catch -----------------------------------------------------------------------------------


def careless(y_true: Any, y_pred: Any) -> float:
    return float(np.mean([a == b for a, b in zip(list(y_true), list(y_pred), strict=False)]))


def test_the_laws_catch_a_function_that_iterates_over_whatever_it_is_given() -> None:
    call = {"y_true": [0, 1, 1, 0], "y_pred": [0, 1, 0, 0]}
    found = "\n".join([*misread(careless, lambda: dict(call)), *misaligned(careless, lambda: dict(call))])
    for shape in ("frame with two columns", "masked array", "text", "set", "function", "mappings in several orders"):
        assert shape in found
    assert "series in several orders" in found


def flattening(values: Any) -> float:
    return float(np.sum(np.asarray(values, dtype=np.float64).ravel() * np.arange(np.size(values))))


def test_the_law_catches_a_function_that_flattens() -> None:
    found = "\n".join(misread(flattening, lambda: {"values": [1.0, 2.0, 4.0]}))
    for shape in ("row of a matrix", "two columns", "single value", "tensor with a gradient: RuntimeError"):
        assert shape in found
