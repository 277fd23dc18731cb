from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import confusion_matrix

from germane import kernels
from germane.errors import InputError
from germane.kernels import reference_labels
from germane.tables.decisions import count_confusion as counting
from germane.tables.decisions.confusion import Confusion
from germane.tables.decisions.count_confusion import count_confusion

FORMS: dict[str, Any] = {
    "list": list,
    "int64": np.asarray,
    "int8": lambda values: np.asarray(values, dtype=np.int8),
    "every second": lambda values: np.repeat(values, 2)[::2],
    "wide apart": lambda values: np.asarray(values) * 10**15,
    "floats": lambda values: np.asarray(values, dtype=np.float64),
    "text": lambda values: [f"class {value}" for value in values],
    "fixed width": lambda values: np.asarray([f"class {value}" for value in values]),
    "objects": lambda values: np.asarray([f"class {value}" for value in values], dtype=object),
}
pytestmark = pytest.mark.filterwarnings("ignore:A single label was found:UserWarning:sklearn")
FEW = settings(max_examples=20)  # for each form, and sklearn takes a millisecond
PAIRS = st.lists(st.tuples(st.integers(-2, 3), st.integers(-2, 3)), min_size=1, max_size=30)


@pytest.fixture(params=["compiled", "reference"], autouse=True)
def _kernels(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    if request.param == "reference":
        for name in ("count_pairs", "encode_rows", "encode_objects"):
            monkeypatch.setattr(kernels, name, getattr(reference_labels, name))


@pytest.mark.parametrize("form", FORMS)
@FEW
@given(pairs=PAIRS)
def test_counts_are_those_of_sklearn(form: str, pairs: list[tuple[int, int]]) -> None:
    truth, predicted = (FORMS[form](list(column)) for column in zip(*pairs, strict=True))
    found = count_confusion(truth, predicted)
    assert found.counts.tolist() == confusion_matrix(truth, predicted).tolist()
    assert found.labels == tuple(np.unique([*truth, *predicted]).tolist())
    assert (found.num_rows, found.weighted) == (len(pairs), False)


@FEW
@given(pairs=PAIRS, labels=st.lists(st.integers(-2, 5), min_size=1, max_size=8, unique=True))
def test_labels_order_and_choose_as_in_sklearn(pairs: list[tuple[int, int]], labels: list[int]) -> None:
    truth, predicted = (np.asarray(column) for column in zip(*pairs, strict=True))
    if not set(labels) & set(truth.tolist()):
        return  # sklearn refuses that
    found = count_confusion(truth, predicted, labels=labels, others="drop")
    expected = confusion_matrix(truth, predicted, labels=labels)
    assert found.counts.tolist() == expected.tolist()
    assert (found.labels, found.num_rows) == (tuple(labels), expected.sum())


@FEW
@given(pairs=PAIRS, data=st.data())
def test_weights_are_those_of_sklearn(pairs: list[tuple[int, int]], data: st.DataObject) -> None:
    weight = st.sampled_from([0.0, 0.25, 1.0, 2.0, 3.0])
    weights = data.draw(st.lists(weight, min_size=len(pairs), max_size=len(pairs)).filter(any))
    truth, predicted = (np.asarray(column) for column in zip(*pairs, strict=True))
    found = count_confusion(truth, predicted, sample_weight=weights)
    assert found.counts.tolist() == confusion_matrix(truth, predicted, sample_weight=weights).tolist()
    assert found.weighted is (0.25 in weights)
    assert found.num_rows == len(pairs)


@given(pairs=PAIRS, data=st.data())
def test_whole_weights_mean_repetition(pairs: list[tuple[int, int]], data: st.DataObject) -> None:
    weights = data.draw(st.lists(st.integers(1, 3), min_size=len(pairs), max_size=len(pairs)))
    truth, predicted = (np.asarray(column) for column in zip(*pairs, strict=True))
    weighted = count_confusion(truth, predicted, sample_weight=weights)
    assert weighted.counts.dtype == np.int64
    repeated = count_confusion(np.repeat(truth, weights), np.repeat(predicted, weights))
    assert weighted.counts.tolist() == repeated.counts.tolist()


def test_many_rows_in_several_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(counting, "ROWS_AT_ONCE", 100)
    monkeypatch.setattr(counting, "num_threads", lambda: 3)
    truth, predicted = np.random.default_rng(1).integers(0, 5, (2, 1234))
    for form in (np.int64, np.int16):
        found = count_confusion(truth.astype(form), predicted.astype(form))
        assert found.counts.tolist() == confusion_matrix(truth, predicted).tolist()


def test_a_label_that_comes_late(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(counting, "FIRST_LOOK", 2)
    assert counts(count_confusion(np.array([1, 1, -5]), np.array([1, 1, 7]))) == {(1, 1): 2, (-5, 7): 1}
    assert counts(count_confusion(np.array([1, 1, -(10**9)]), np.array([1, 1, 7]))) == {(1, 1): 2, (-(10**9), 7): 1}


def counts(confusion: Confusion) -> dict[tuple[Any, Any], int]:
    """The pairs that occur."""
    rows = zip(confusion.labels, confusion.counts.tolist(), strict=True)
    return {(t, p): n for t, row in rows for p, n in zip(confusion.labels, row, strict=True) if n}


def test_truth_values_and_numbers() -> None:
    truth = np.array([True, False, True])
    assert count_confusion(truth, truth).labels == (False, True)
    assert count_confusion(truth, np.array([1, 0, 0])).counts.tolist() == [[1, 0], [1, 1]]
    assert count_confusion(truth.tolist(), np.array([1, 0, 0])).counts.tolist() == [[1, 0], [1, 1]]


def test_an_ordered_category_keeps_its_order_and_what_occurs() -> None:
    grades = ["low", "middle", "high", "highest"]
    truth = pd.Categorical(["high", "low"], grades, ordered=True)
    assert count_confusion(truth, ["middle", "low"]).labels == ("low", "middle", "high")
    assert count_confusion(["middle", "low"], truth).labels == ("low", "middle", "high")


ERRORS: list[tuple[Any, Any, dict[str, Any], str]] = [
    ([1, 2], [1], {}, "found 1 and 2"),
    ([], [], {}, "at least one row"),
    ([1, 2], ["1", "2"], {}, r"numbers \(1\) as truth and text \('1'\) as prediction"),
    (np.array([0, 1]), np.array([0, 7]), {"labels": [0, 1]}, "found 7 as prediction in row 2"),
    (["a", "b"], ["a", "a"], {"labels": ["a"]}, "found 'b' as truth in row 2"),
    (np.array([0, 1]), np.array([0, 1]), {"labels": ["0", "1"]}, "declare them as they are"),
    ([1, 2], [1, 2], {"labels": [1, 1]}, "distinct labels"),
    ([1, 2], [1, 2], {"sample_weight": [1]}, "expected 2 weights"),
    ([1, 2], [1, 2], {"sample_weight": [1, -1]}, "found -1 in row 2"),
    ([1, 2], [1, 2], {"sample_weight": [1, float("nan")]}, "found nan in row 2"),
    ([1, 2], [1, 2], {"sample_weight": [0, 0]}, "at least one weight above 0"),
    ([1, 2], [1, 2], {"sample_weight": ["1", "2"]}, "numbers as weights"),
]


@pytest.mark.parametrize(("truth", "predicted", "options", "message"), ERRORS, ids=[row[-1] for row in ERRORS])
def test_bad_input_is_an_error(truth: Any, predicted: Any, options: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        count_confusion(truth, predicted, **options)


def test_any_byte_but_0_is_true() -> None:
    mask = np.asarray([255, 0, 1], dtype=np.uint8).view(np.bool_)
    counted = count_confusion(mask, mask)
    assert (counted.labels, counted.counts.tolist()) == ((False, True), [[1, 0], [0, 2]])


def test_counts_beyond_what_is_exact_are_sums_of_weights() -> None:
    huge = Confusion.of_matrix([[1e20, 1], [1, 1]], labels=np.asarray(["no", "yes"]))
    assert (huge.weighted, huge.counts[0, 0], huge.labels) == (True, 1e20, ("no", "yes"))
