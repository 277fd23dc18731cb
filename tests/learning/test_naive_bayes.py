"""Naive Bayes with values missing: on paper, against marginalising by brute force, and against scikit-learn."""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from germane.errors import GermaneError, InputError
from germane.learning.data.columns import columns_of, is_missing
from germane.learning.learners.naive_bayes import Categories, Gaussian, NaiveBayes

# Eight patients; a dash is a test that was not done.
PATIENTS = [
    # cough  fever  ill
    ("yes", "high", "ill"),
    ("yes", None, "ill"),
    ("no", "high", "ill"),
    (None, "low", "ill"),
    ("no", "low", "well"),
    ("no", None, "well"),
    ("yes", "low", "well"),
    ("no", "low", "well"),
]
TESTS, STATES = [row[:2] for row in PATIENTS], [row[2] for row in PATIENTS]

# With alpha 1: P(cough | ill) = (2+1)/(3+2), P(cough | well) = (1+1)/(4+2), P(high | ill) = 3/5, P(high | well) = 1/5.
PATIENTS_BY_HAND = [
    # row             odds of ill to well
    (("yes", "high"), Fraction(3, 5) * Fraction(3, 5) / (Fraction(1, 3) * Fraction(1, 5))),
    (("yes", None), Fraction(3, 5) / Fraction(1, 3)),
    ((None, "low"), Fraction(2, 5) / Fraction(4, 5)),
    ((None, None), Fraction(1)),
]


@pytest.mark.parametrize(("row", "odds"), PATIENTS_BY_HAND)
def test_missing_features_are_left_out_by_hand(row: tuple[str | None, str | None], odds: Fraction) -> None:
    model = NaiveBayes().fit(TESTS, STATES)
    assert model.classes_.tolist() == ["ill", "well"]
    assert model.predict_proba([row])[0] == pytest.approx([float(odds / (1 + odds)), float(1 / (1 + odds))])


def test_a_gaussian_column_by_hand() -> None:
    model = NaiveBayes(var_smoothing=0).fit([[1], [3], [None], [7], [7], [10]], ["a", "a", "a", "b", "b", "b"])
    (column,) = model.columns_
    assert isinstance(column, Gaussian)
    assert column.mean.tolist() == [2, 8]
    assert column.variance.tolist() == [1, 2]


def test_a_row_without_anything_has_the_prior() -> None:
    model = NaiveBayes().fit([["x"], ["x"], ["y"], [None]], [1, 1, 0, 1])
    assert model.predict_proba([[None]])[0] == pytest.approx([0.25, 0.75])
    assert NaiveBayes(priors=[0.9, 0.1]).fit([["x"], ["y"]], [0, 1]).predict([[None]]).tolist() == [0]


def test_equal_classes_give_the_first() -> None:
    assert NaiveBayes().fit([["x"], ["x"]], ["b", "a"]).predict([["x"]]).tolist() == ["a"]


# The law: to skip is to marginalise


def made_table(seed: int) -> tuple[list[list[Any]], list[str], list[list[str]]]:
    """Forty rows of three columns of categories, a quarter of the values missing."""
    random = np.random.default_rng(seed)
    values = [["u", "v"], ["p", "q", "r"], ["0", "1", "2", "3"]]
    rows = [[None if random.random() < 0.25 else str(random.choice(column)) for column in values] for _ in range(40)]
    return rows, random.choice(["a", "b", "c"], 40).tolist(), values


Predict = Callable[[NaiveBayes, list[list[Any]]], npt.NDArray[np.float64]]


def unlike_marginalising(predict: Predict) -> list[tuple[Any, ...]]:
    """Rows with values missing whose probabilities are not the sum over every way of filling them in."""
    rows, labels, values = made_table(3)
    model = NaiveBayes(alpha=0.5).fit(rows, labels)
    wrong = []
    for row in itertools.product(*[[None, *column] for column in values]):
        filled = itertools.product(
            *[column if given is None else [given] for given, column in zip(row, values, strict=True)]
        )
        joint = np.exp(model.predict_joint_log_proba(list(filled))).sum(axis=0)
        if not np.allclose(predict(model, [list(row)])[0], joint / joint.sum(), rtol=1e-10):
            wrong.append(row)
    return wrong


def test_to_skip_is_to_marginalise() -> None:
    assert unlike_marginalising(lambda model, rows: model.predict_proba(rows)) == []


def test_the_law_catches_filling_in_the_commonest_value() -> None:
    commonest = ["u", "p", "0"]

    def imputing(model: NaiveBayes, rows: list[list[Any]]) -> npt.NDArray[np.float64]:
        return model.predict_proba([[c if v is None else v for v, c in zip(rows[0], commonest, strict=True)]])

    assert unlike_marginalising(imputing) != []


def test_to_skip_a_number_is_to_integrate_over_it() -> None:
    random = np.random.default_rng(0)
    X = random.normal(size=(30, 2)) + np.repeat([[0, 0], [1, 2]], 15, axis=0)
    model = NaiveBayes().fit(X, np.repeat([0, 1], 15))
    grid = np.linspace(-15, 15, 20_001)
    joint = np.exp(model.predict_joint_log_proba(np.column_stack([np.full(len(grid), 0.3), grid]))).sum(axis=0)
    assert model.predict_proba([[0.3, None]])[0] == pytest.approx(joint / joint.sum(), rel=1e-9)


def test_each_column_learns_from_the_rows_that_have_it() -> None:
    rows, labels, _ = made_table(4)
    whole = NaiveBayes(alpha=2).fit(rows, labels)
    for place, column in enumerate(whole.columns_):
        has = [i for i, row in enumerate(rows) if row[place] is not None]
        alone = NaiveBayes(alpha=2).fit([[rows[i][place]] for i in has], [labels[i] for i in has]).columns_[0]
        assert isinstance(column, Categories)
        assert isinstance(alone, Categories)
        assert column.probability.tolist() == alone.probability.tolist()
        assert column.probability.sum(axis=1) == pytest.approx([1, 1, 1])


# scikit-learn says the same of complete data


def test_complete_categories_are_as_in_scikit_learn() -> None:
    oracle = pytest.importorskip("sklearn.naive_bayes").CategoricalNB
    random = np.random.default_rng(6)
    X, y = np.column_stack([random.integers(0, k, 80) for k in (2, 3, 5)]), random.integers(0, 3, 80)
    for alpha in (0.1, 1, 3):
        ours, theirs = NaiveBayes("all", alpha=alpha).fit(X, y), oracle(alpha=alpha).fit(X, y)
        assert ours.predict_proba(X) == pytest.approx(theirs.predict_proba(X), rel=1e-10)
        assert ours.predict(X).tolist() == theirs.predict(X).tolist()


def test_complete_numbers_are_as_in_scikit_learn() -> None:
    oracle = pytest.importorskip("sklearn.naive_bayes").GaussianNB
    random = np.random.default_rng(7)
    X, y = random.normal(size=(80, 4)) * [1, 10, 0.1, 5], random.integers(0, 3, 80)
    for smoothing, priors in ((1e-9, None), (0.1, [0.2, 0.3, 0.5])):
        ours = NaiveBayes(var_smoothing=smoothing, priors=priors).fit(X, y)
        theirs = oracle(var_smoothing=smoothing, priors=priors).fit(X, y)
        assert ours.predict_joint_log_proba(X) == pytest.approx(theirs.predict_joint_log_proba(X), rel=1e-9)
        assert ours.predict(X).tolist() == theirs.predict(X).tolist()


def test_scikit_learn_takes_it_as_an_estimator() -> None:
    selection = pytest.importorskip("sklearn.model_selection")
    clone = pytest.importorskip("sklearn.base").clone
    random = np.random.default_rng(8)
    X, y = random.normal(size=(60, 2)) + np.repeat([[0], [3]], 30, axis=0), np.repeat(["a", "b"], 30)
    X[random.random(X.shape) < 0.2] = np.nan
    assert selection.cross_val_score(NaiveBayes(), X, y, cv=5).mean() > 0.8
    search = selection.GridSearchCV(NaiveBayes(), {"var_smoothing": [1e-9, 1.0]}, cv=3).fit(X, y)
    assert set(search.best_params_) == {"var_smoothing"}
    assert clone(NaiveBayes(alpha=3)).get_params()["alpha"] == 3
    assert NaiveBayes().set_params(alpha=2).alpha == 2


# Columns


def test_a_column_is_numbers_if_all_that_is_observed_are() -> None:
    model = NaiveBayes().fit(
        [[1, "a", True], [2, None, False], [4, "b", True], [None, "a", None], [7, "a", True]], [0, 1, 0, 1, 1]
    )
    assert [type(column) for column in model.columns_] == [Gaussian, Categories, Categories]
    named = NaiveBayes([0]).fit([[1, 5.0], [2, 6.0], [1, 7.5], [2, None], [1, 9]], [0, 1, 0, 1, 1])
    assert [type(column) for column in named.columns_] == [Categories, Gaussian]


def test_frames_arrays_and_lists_are_one() -> None:
    pandas = pytest.importorskip("pandas")
    rows: list[list[Any]] = [["x", 1.0], [None, 2.0], ["y", None], ["y", 4.0], ["x", 7.0]]
    labels = ["a", "a", "b", "b", "a"]
    frame = pandas.DataFrame(
        {"kind": pandas.array([row[0] for row in rows], dtype="string"), "pH": [r[1] for r in rows]}
    )
    expected = NaiveBayes().fit(rows, labels).predict_proba(rows)
    assert NaiveBayes(["kind"]).fit(frame, pandas.Series(labels)).predict_proba(frame).tolist() == expected.tolist()
    array = np.asarray(rows, dtype=object)
    assert NaiveBayes().fit(array, labels).predict_proba(array).tolist() == expected.tolist()
    assert is_missing(pandas.NA)
    with pytest.raises(InputError, match="expected columns 'kind', 'pH', found 'pH', 'kind'"):
        NaiveBayes().fit(frame, labels).predict(frame[["pH", "kind"]])


def test_an_unseen_category_is_an_error_or_skipped() -> None:
    X, y = [["x", "u"], ["y", "v"], ["y", "u"]], [0, 1, 1]
    with pytest.raises(
        InputError, match="column 0: row 1: 'z' did not occur in training, only 'x', 'y'\nHint: use `uns"
    ):
        NaiveBayes().fit(X, y).predict([["x", "u"], ["z", "u"]])
    skipping = NaiveBayes(unseen="skip").fit(X, y)
    assert skipping.predict_proba([["z", "u"]]).tolist() == skipping.predict_proba([[None, "u"]]).tolist()


def test_a_model_survives_json() -> None:
    X = [["x", 1.5], ["y", None], [None, 0.1], ["y", 8.25]]
    model = NaiveBayes(["column 0"], alpha=0.3).fit(X, ["a", "b", "a", "b"])
    again = NaiveBayes.from_json(json.loads(json.dumps(model.to_json())))
    assert again.predict_proba(X).tolist() == model.predict_proba(X).tolist()
    assert again.predict(X).tolist() == model.predict(X).tolist()
    assert again.get_params() == model.get_params()
    assert again.to_json() == model.to_json()


def test_numbers_as_categories_and_labels_survive_json() -> None:
    X = np.asarray([[1, 0], [2, 1], [1, 1]])
    model = NaiveBayes("all", priors=np.asarray([0.5, 0.5])).fit(X, np.asarray([0, 1, 1]))
    again = NaiveBayes.from_json(json.loads(json.dumps(model.to_json())))
    assert again.predict(X).tolist() == model.predict(X).tolist()
    assert again.classes_.dtype.kind == "i"


# Errors

FITTED = NaiveBayes(alpha=0).fit([["x", "u"], ["y", "v"]], [0, 1])
BAD = [
    (lambda: NaiveBayes().predict([[1]]), "is not fitted yet\nHint: call fit"),
    (lambda: NaiveBayes().fit([], []), "X: expected rows with at least one column"),
    (lambda: NaiveBayes().fit([[1], [1, 2]], [0, 1]), "X: row 1: expected 1 values as in row 0, found 2"),
    (lambda: NaiveBayes().fit(np.zeros(3), [0, 1, 1]), r"X: expected rows × columns, found shape \(3,\)"),
    (lambda: NaiveBayes().fit([[1], [2]], [0]), "y: expected 2 labels, one for each row; found 1"),
    (lambda: NaiveBayes().fit([[1], [2]], [0, None]), "y: row 1: missing label\nHint: remove the row"),
    (lambda: NaiveBayes().fit([[1], [2]], [0, "a"]), "y: expected labels that are all text or all numbers"),
    (lambda: NaiveBayes().fit([[1.0], [float("inf")]], [0, 1]), "column 0: row 1: expected a finite number"),
    (lambda: NaiveBayes([]).fit([["a"], [1]], [0, 1]), "column 0: row 0: expected a number, found 'a'\nHint: list"),
    (
        lambda: NaiveBayes("all").fit([[[1]], [[2]]], [0, 1]),
        r"row 0: expected a category as text or number, found \[1\]",
    ),
    (lambda: NaiveBayes().fit([[1, 2], [None, 2]], [0, 1]), "column 0: no value in class 1, so nothing can be learned"),
    (lambda: NaiveBayes("all").fit([[None], [None]], [0, 1]), "column 0: no value in class .*0"),
    (lambda: NaiveBayes(alpha=0).fit([["x"], [None]], [0, 1]), "column 0: no value in class .*1"),
    (lambda: NaiveBayes().fit([[1], [1]], [0, 1]), "all values in class .*0.* are equal"),
    (lambda: FITTED.predict([["x", "v"]]), "X: row 0 is impossible under every class\nHint: use an alpha above 0"),
    (lambda: FITTED.predict([["x"]]), "X: expected 2 columns as in training, found 1"),
    (lambda: NaiveBayes(alpha=-1).fit([["x"]], [0]), "expected alpha of 0 or more, found -1"),
    (lambda: NaiveBayes(var_smoothing=-1).fit([["x"]], [0]), "expected var_smoothing of 0 or more, found -1"),
    (lambda: NaiveBayes(unseen="drop").fit([["x"]], [0]), "expected unseen to be one of error, skip, found 'drop'"),
    (lambda: NaiveBayes(priors=[0.5, 0.6]).fit([["x"], ["x"]], [0, 1]), "expected 2 priors, one per class"),
    (lambda: NaiveBayes(["z"]).fit([["x"]], [0]), "categorical: unknown column 'z'; choose from 'column 0'"),
    (lambda: NaiveBayes("first").fit([["x"]], [0]), "categorical to be a list of columns or \"all\", found 'first'"),
    (lambda: NaiveBayes().set_params(alfa=1), "has no parameter 'alfa'; did you mean alpha"),
    (lambda: NaiveBayes.from_json({"learner": "other"}), "expected a NaiveBayes model, found 'other'"),
    (
        lambda: columns_of(np.asarray([["a", "nan"]])),
        "row 0, column 1: 'nan' in an array of text may have been a missing",
    ),
]


@pytest.mark.parametrize(("call", "message"), BAD)
def test_what_cannot_be_learned_from_is_refused(call: Callable[[], object], message: str) -> None:
    with pytest.raises(GermaneError, match=message):
        call()
