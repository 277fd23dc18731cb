"""Numbers, clusters, densities and sets of labels, against scikit-learn and by hand."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn import metrics as sk

import germane as ge
from germane.errors import GermaneError

NUMBERS = st.lists(
    st.tuples(st.integers(-9, 9), st.integers(-9, 9), st.sampled_from([1, 2, 0.5])), min_size=3, max_size=20
)


@settings(max_examples=15)
@given(NUMBERS, st.booleans())
def test_regression_is_that_of_sklearn(rows: Any, weighted: bool) -> None:
    truth, predicted, weights = zip(*rows, strict=True)
    (found,) = ge.classify(
        truth, predicted, sample_weight=weights if weighted else None, resamples=40, task="regression"
    )
    known = {"sample_weight": weights if weighted else None}
    assert found["MSE"].value == pytest.approx(sk.mean_squared_error(truth, predicted, **known))
    assert found["RMSE"].value == pytest.approx(sk.root_mean_squared_error(truth, predicted, **known))
    assert found["MAE"].value == pytest.approx(sk.mean_absolute_error(truth, predicted, **known))
    r_squared = found["R2"].value
    if len(set(truth)) == 1:
        assert math.isnan(r_squared) or math.isinf(r_squared), "scikit-learn says 0 or 1 here"
    else:
        assert r_squared == pytest.approx(sk.r2_score(truth, predicted, **known))
        assert found["explained_variance"].value == pytest.approx(
            sk.explained_variance_score(truth, predicted, **known)
        )


def test_whole_weights_of_numbers_are_repetition() -> None:
    (weighted,) = ge.classify([1, 2, 4, 3], [1, 3, 4, 1], sample_weight=[1, 2, 1, 3], resamples=100, task="regression")
    (repeated,) = ge.classify([1, 2, 2, 4, 3, 3, 3], [1, 3, 3, 4, 1, 1, 1], resamples=100, task="regression")
    assert {n: repr(e) for n, e in weighted.overall.items()} == {n: repr(e) for n, e in repeated.overall.items()}
    assert (weighted.num_rows, repeated.num_rows) == (4, 7)
    assert weighted["MAE"].has_interval
    assert not ge.classify([1, 2, 4], [1, 3, 4], sample_weight=[0.5, 1, 1], task="regression")["MAE"].has_interval


@settings(max_examples=15)
@given(st.lists(st.tuples(st.sampled_from("abc"), st.integers(0, 3)), min_size=2, max_size=20))
def test_clusters_are_those_of_sklearn(rows: Any) -> None:
    truth, clusters = zip(*rows, strict=True)
    (found,) = ge.classify(truth, clusters, task="clusters")
    assert found.num_rows == len(rows)
    if len(set(truth)) > 1 or len(set(clusters)) > 1:
        assert found["NMI"].value == pytest.approx(sk.normalized_mutual_info_score(truth, clusters), abs=1e-9)
        assert found["ARI"].value == pytest.approx(sk.adjusted_rand_score(truth, clusters), abs=1e-9)
    assert 0 <= found["purity"].value <= 1


SETS = st.lists(st.tuples(*[st.frozensets(st.sampled_from("abc"))] * 2), min_size=1, max_size=12)


@settings(max_examples=12)
@given(SETS)
def test_sets_of_labels_are_those_of_sklearn(rows: Any) -> None:
    truth, predicted = zip(*rows, strict=True)
    (found,) = ge.classify(truth, predicted, labels=list("abc"), resamples=40, task="label-sets")
    tables = [np.asarray([[label in each for label in "abc"] for each in column]) for column in (truth, predicted)]
    assert found["hamming_loss"].value == pytest.approx(sk.hamming_loss(*tables))
    assert found["subset_accuracy"].value == pytest.approx(sk.accuracy_score(*tables))
    for average in ("macro", "micro", "weighted"):
        for name, score in (("TPR", sk.recall_score), ("PPV", sk.precision_score)):
            truth_of, called = (table.any(axis=0) for table in tables)
            if average == "weighted" and not (truth_of & (called | (name == "TPR"))).any():
                assert math.isnan(found[name, average].value), "no label with items has the rate; scikit-learn says 0"
                continue
            theirs = score(*tables, average=average, zero_division=np.nan)
            assert found[name, average].value == pytest.approx(theirs, nan_ok=True), (name, average)


@pytest.mark.parametrize(
    ("assess", "said"),
    [
        (lambda: ge.classify(["a"], [1], task="regression"), "expected a number as true value in row 1, found 'a'"),
        (lambda: ge.classify([1, 2], [1], task="regression"), "2"),
        (lambda: ge.classify([1, math.nan], [1, 2], task="regression"), "(?i)nan"),
        (lambda: ge.classify([], [], task="regression"), "found none|at least"),
        (lambda: ge.classify([1, 2], [[1, 2], [2, 3]], task="regression"), "one column as prediction"),
        (
            lambda: ge.classify([1, 2], [1, 2], sample_weight=[1, -1], task="regression"),
            "expected a weight of 0 or more",
        ),
        (lambda: ge.classify(["a"], task="densities"), "expected a number as log-likelihood in row 1, found 'a'"),
        (lambda: ge.classify([math.nan, 1], task="densities"), "(?i)nan"),
        (lambda: ge.classify([], task="densities"), "found none|at least"),
        (lambda: ge.classify(["a"], [1, 2], task="clusters"), "1"),
        (lambda: ge.classify([], [], task="clusters"), "found none|at least"),
        (lambda: ge.classify([{"a"}], [], task="label-sets"), "as many predicted sets as true ones"),
        (lambda: ge.classify([], [], task="label-sets"), "at least one item"),
        (
            lambda: ge.classify(["a"], ["a"], task="label-sets"),
            "expected a set of labels in row 1 of y_true, found the text 'a'",
        ),
        (
            lambda: ge.classify([{"a"}], [{"b"}], labels=["a"], task="label-sets"),
            "one of the declared labels in row 1 of y_pred, found 'b'",
        ),
        (lambda: ge.classify([set()], [set()], task="label-sets"), "expected at least one label"),
    ],
)
def test_wrong_input_is_a_clear_error(assess: Any, said: str) -> None:
    with pytest.raises(GermaneError, match=said):
        assess()


def test_an_impossible_item_has_infinite_surprise() -> None:
    (found,) = ge.classify([-1.0, -math.inf], task="densities")
    assert found["log_likelihood"].value == -math.inf
    assert not found["log_likelihood"].has_interval


Y = np.asarray([[1, 0, 1], [0, 1, 0], [1, 1, 0]])
Q = np.asarray([[1, 0, 1], [0, 1, 1], [1, 1, 0]])
INDICATORS: dict[str, Callable[[Any], Any]] = {
    "array": lambda matrix: matrix,
    "truth values": lambda matrix: matrix == 1,
    "lists": lambda matrix: matrix.tolist(),
    "pandas": lambda matrix: pd.DataFrame(matrix, columns=list("abc")),
    "pandas with columns in another order": lambda matrix: pd.DataFrame(matrix, columns=list("abc"))[list("cab")],
    "polars": lambda matrix: pl.DataFrame(matrix, schema=list("abc")),
    "sparse": sparse.csr_array,
    "sparse matrix": sparse.coo_matrix,
}


@pytest.mark.parametrize("form", INDICATORS)
def test_matrices_of_0_and_1_are_read_as_scikit_learn_does(form: str) -> None:
    (found,) = ge.classify(
        INDICATORS[form](Y), INDICATORS["array" if form == "lists" else form](Q), resamples=40, task="label-sets"
    )
    assert found["subset_accuracy"].value == pytest.approx(sk.accuracy_score(Y, Q)) == pytest.approx(2 / 3)
    assert found["hamming_loss"].value == pytest.approx(sk.hamming_loss(Y, Q))
    for average in ("macro", "micro", "weighted", "samples"):
        assert found["F1", average].value == pytest.approx(sk.f1_score(Y, Q, average=average))


@settings(max_examples=15)
@given(st.integers(1, 30), st.integers(2, 5), st.integers(0, 9))
def test_a_matrix_and_its_sets_are_one(items: int, labels: int, seed: int) -> None:
    chance = np.random.default_rng(seed)
    truth, called = chance.integers(0, 2, (2, items, labels))
    assert truth.shape == (items, labels)
    sets = [[set(np.flatnonzero(row).tolist()) for row in matrix] for matrix in (truth, called)]
    (by_sets,) = ge.classify(*sets, labels=range(labels), resamples=40, task="label-sets")
    (by_matrix,) = ge.classify(truth, called, resamples=40, task="label-sets")
    assert {n: repr(e) for n, e in by_matrix.overall.items()} == {n: repr(e) for n, e in by_sets.overall.items()}


def test_frames_and_sets_meet_by_name_and_mappings_by_id() -> None:
    frame = pd.DataFrame([[1, 0], [1, 1]], columns=["a", "b"])
    assert ge.classify(frame, [{"a"}, {"b", "a"}], task="label-sets")["subset_accuracy"].value == 1
    (by_id,) = ge.classify({"x": {"a"}, "y": {"b"}}, {"y": {"b"}, "x": {"a"}}, task="label-sets")
    assert by_id["subset_accuracy"].value == 1


NO_LABEL_SETS = [
    # true                                     predicted                 options           what is said
    ([[1, 0], [0, 1]],                         [[1, 0], [0, 1]],         {},               "that could be either"),
    (np.asarray([[1], [0]]),                   np.asarray([[1], [0]]),   {},               "found one column"),
    (np.asarray([[0.2, 0.8]]),                 np.asarray([[1, 0]]),     {},               "expected 0 or 1"),
    (np.asarray([[1, 0, 1], [0, 0, 1]]),       np.asarray([[1, 0], [0, 1], [1, 1]]), {},   "as many predicted sets"),
    (np.asarray([[1, 0, 1], [0, 0, 1]]),       np.asarray([[1, 0], [0, 1]]), {},           "3 columns as y_pred"),
    (np.asarray([[1, 0], [0, 1]]),             [{"a"}, {"b"}],           {},               "names for the columns"),
    (pd.DataFrame([[1, 0]], columns=["a", "b"]), pd.DataFrame([[1, 0]], columns=["a", "c"]), {}, "on one side only"),
    ([{"a"}],                                  [{"a"}],                  {"labels": ["a", "a"]}, "each label once"),
    ([{("a", "b")}],                           [{"a"}],                  {},               "expected labels, text or"),
    (np.ones((2, 2, 2)),                       np.ones((2, 2, 2)),       {},               "found an array of shape"),
]  # fmt: skip


@pytest.mark.parametrize(("truth", "predicted", "options", "said"), NO_LABEL_SETS)
def test_sets_with_two_readings_or_none_are_refused(truth: Any, predicted: Any, options: Any, said: str) -> None:
    with pytest.raises(GermaneError, match=said):
        ge.classify(truth, predicted, **options, task="label-sets")
