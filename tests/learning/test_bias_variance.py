"""Bias, variance and noise: examples on paper, the identity as a law, and cases whose answer is known."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from germane.errors import GermaneError, InputError
from germane.learning.data.error_decomposition import BiasVariance, bias_variance, decompose

SQUARED_BY_HAND = [
    # predictions   labels   bias²  variance  noise  loss   why
    ([1, 3], [2], 0, 1, 0, 1, "right on average, one off each time"),
    ([4, 4], [5], 1, 0, 0, 1, "always the same, always one off"),
    ([1, 3], [2, 6], 4, 1, 4, 9, "losses 1 25 1 9 are 9 on average"),
    ([0, 0, 3], [1], 0, 2, 0, 2, "losses 1 1 4"),
    ([7], [7], 0, 0, 0, 0, "one draw has no variance"),
]


@pytest.mark.parametrize(("said", "labels", "bias", "variance", "noise", "loss", "why"), SQUARED_BY_HAND)
def test_squared_loss_by_hand(
    said: list[float], labels: list[float], bias: float, variance: float, noise: float, loss: float, why: str
) -> None:
    found = decompose([[value] for value in said], [labels])
    assert [found.bias, found.variance, found.noise, found.expected_loss] == [bias, variance, noise, loss], why


ZERO_ONE_BY_HAND = [
    # predictions  labels  bias  variance  adds  noise  adds  loss   why
    ("aaab", "a", 0, 1 / 4, 1 / 4, 0, 0, 1 / 4, "right as a rule: to waver costs"),
    ("aaab", "b", 1, 1 / 4, -1 / 4, 0, 0, 3 / 4, "wrong as a rule: to waver helps"),
    ("aaac", "b", 1, 1 / 4, 0, 0, 0, 1, "wrong as a rule, and wavering to another error helps nothing"),
    ("aa", "aab", 0, 0, 0, 1 / 3, 1 / 3, 1 / 3, "a third of the labels are noise"),
    ("bb", "aab", 1, 0, 0, 1 / 3, -1 / 3, 2 / 3, "an error that agrees with the noise: a third of it is forgiven"),
    ("aab", "aab", 0, 1 / 3, 1 / 3, 1 / 3, 1 / 9, 4 / 9, "9 meetings: 4 of a and a, 1 of b and b"),
]


@pytest.mark.parametrize(
    ("said", "labels", "bias", "variance", "variance_adds", "noise", "noise_adds", "loss", "why"), ZERO_ONE_BY_HAND
)
def test_zero_one_loss_by_hand(
    said: str,
    labels: str,
    bias: float,
    variance: float,
    variance_adds: float,
    noise: float,
    noise_adds: float,
    loss: float,
    why: str,
) -> None:
    found = decompose([[label] for label in said], [list(labels)], loss="zero_one")
    parts = [found.bias, found.variance, found.variance_effect, found.noise, found.noise_effect, found.expected_loss]
    assert parts == pytest.approx([bias, variance, variance_adds, noise, noise_adds, loss]), why


def test_totals_are_means_over_labels() -> None:
    found = decompose([[1, 0]], [[1, 1, 4], 4])  # losses 0 0 9, and 16
    assert found.expected_loss == 25 / 4


# The law: the parts add up to the loss, whatever was predicted

Made = tuple[npt.NDArray[Any], list[list[Any]]]


def made_up(kind: str) -> Iterator[Made]:
    """Predictions and labels of all shapes: one class to five, one draw to nine, labels repeated or not."""
    random = np.random.default_rng(5)
    for draws, items, classes in itertools.product([1, 2, 9], [1, 7], [1, 2, 5]):
        size = random.integers(1, 5, items)
        if kind == "squared":
            yield random.normal(size=(draws, items)), [random.normal(3, classes, n).tolist() for n in size]
        else:
            yield random.integers(0, classes, (draws, items)), [random.integers(0, classes, n).tolist() for n in size]


def not_adding_up(loss: str, split: Callable[[Made], BiasVariance]) -> list[int]:
    """Which of the made predictions have parts that do not sum to the loss, in all or at any item."""
    wrong = []
    for number, (predictions, labels) in enumerate(made_up(loss)):
        found = split((predictions, labels))
        miss = (lambda a, b: (a - b) ** 2) if loss == "squared" else (lambda a, b: float(a != b))
        losses = [[miss(said, true) for said in column for true in labels[i]] for i, column in enumerate(predictions.T)]
        at_items = found.item_bias + found.item_variance_effect + found.item_noise_effect
        in_all = found.bias + found.variance_effect + found.noise_effect
        if not (
            np.allclose(at_items, [np.mean(values) for values in losses], rtol=1e-12, atol=1e-12)
            and np.isclose(in_all, np.mean(list(itertools.chain(*losses))), rtol=1e-12, atol=1e-12)
            and np.allclose(found.item_loss, at_items, rtol=1e-12, atol=1e-12)
        ):
            wrong.append(number)
    return wrong


@pytest.mark.parametrize("loss", ["squared", "zero_one"])
def test_the_parts_add_up_to_the_expected_loss(loss: str) -> None:
    assert not_adding_up(loss, lambda made: decompose(*made, loss=loss)) == []


def test_the_law_catches_a_variance_with_n_minus_1() -> None:
    def unbiased(made: Made) -> BiasVariance:
        found = decompose(*made)
        draws = len(made[0])
        return replace(found, item_variance_effect=found.item_variance * draws / max(1, draws - 1))

    assert not_adding_up("squared", unbiased) != []


def test_the_law_catches_variance_that_always_adds() -> None:
    def without_signs(made: Made) -> BiasVariance:
        found = decompose(*made, loss="zero_one")
        return replace(found, item_variance_effect=found.item_variance)

    assert not_adding_up("zero_one", without_signs) != []


def test_the_effects_are_those_of_domingos_theorems() -> None:
    """c1 and c2 as printed in the paper, by counting; the case that was wrong, with its conditions."""
    for predictions, labels in made_up("zero_one"):
        found = decompose(predictions, labels, loss="zero_one")
        for i, said in enumerate(predictions.T):
            best, main = found.optimal[i], found.main[i]
            wavering = [y for y in said if y != main]
            c2 = 1.0 if main == best else -float(np.mean([y == best for y in wavering])) if wavering else 0.0
            assert found.item_variance_effect[i] == pytest.approx(c2 * found.item_variance[i])
            others = [(y, t) for y in said for t in labels[i] if best not in (y, t)]
            met = float(np.mean([y == t for y, t in others])) if others else 0.0
            c1 = np.mean(said == best) - np.mean(said != best) * met
            assert found.item_noise_effect[i] == pytest.approx(c1 * found.item_noise[i])


# Answers that are known


class Mean:
    """Predicts the mean of what it was trained on, whatever it is asked."""

    def fit(self, X: Any, y: npt.NDArray[np.float64]) -> Mean:
        self.mean = float(np.mean(y))
        return self

    def predict(self, X: Any) -> npt.NDArray[np.float64]:
        return np.full(len(X), self.mean)


class Polynomial:
    """Least squares on the powers of one feature."""

    def __init__(self, degree: int) -> None:
        self.degree = degree

    def fit(self, X: npt.NDArray[np.float64], y: npt.NDArray[np.float64]) -> Polynomial:
        self.weights = np.linalg.lstsq(np.vander(X[:, 0], self.degree + 1), y, rcond=None)[0]
        return self

    def predict(self, X: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        predicted: npt.NDArray[np.float64] = np.vander(X[:, 0], self.degree + 1) @ self.weights
        return predicted


def test_all_bootstrap_samples_of_a_mean_have_its_variance() -> None:
    """Of 1 2 6 there are 27 samples; the mean is 3, its variance 14 / 3 / 3."""
    means = [[np.mean(sample)] for sample in itertools.product([1, 2, 6], repeat=3)]
    found = decompose(means, [5])
    assert (found.bias, found.variance) == pytest.approx(((3 - 5) ** 2, 14 / 9))


def test_the_bootstrap_comes_near_it() -> None:
    found = bias_variance(Mean(), [[0], [1], [2]], [1, 2, 6], [[0]], [5], resamples=4000, seed=3)
    assert found.variance == pytest.approx(14 / 9, rel=0.08)
    assert found.bias == pytest.approx(4, rel=0.08)


def test_disjoint_training_sets_have_the_variance_of_a_mean_of_their_size() -> None:
    y = np.random.default_rng(1).normal(0, 2, 5000)
    found = bias_variance(Mean, np.zeros((5000, 1)), y, [[0]], [0], resamples=500, resampling="disjoint")
    assert found.variance == pytest.approx(4 / 10, rel=0.15)


def test_capacity_trades_bias_for_variance_and_the_loss_is_a_u() -> None:
    random = np.random.default_rng(2)
    X, X_test = np.sort(random.uniform(-1, 1, (60, 1)), axis=0), np.linspace(-0.9, 0.9, 40)[:, None]
    y = np.sin(3 * X[:, 0]) + random.normal(0, 0.3, 60)
    degrees = [0, 1, 3, 6, 12]
    found = [bias_variance(Polynomial(d), X, y, X_test, np.sin(3 * X_test[:, 0]), resamples=100) for d in degrees]
    losses, variances = [one.expected_loss for one in found], [one.variance for one in found]
    best = int(np.argmin(losses))
    assert 0 < best < len(degrees) - 1
    assert losses[: best + 1] == sorted(losses[: best + 1], reverse=True)
    assert losses[best:] == sorted(losses[best:])
    assert variances[best:] == sorted(variances[best:])  # what is too simple wavers too: with where the rows lie
    assert found[0].bias > 20 * found[best].bias


def test_repeated_test_rows_are_one_item_whose_labels_tell_the_noise() -> None:
    found = bias_variance(Mean, [[0], [1]], [3, 3], [[7], [8], [7]], [1, 3, 5], resamples=5)
    assert found.num_labels.tolist() == [2, 1]
    assert found.item_noise.tolist() == [4, 0]
    assert found.expected_loss == 8 / 3
    assert found.notes[1] == ("noise estimated from 1 item with repeated labels; for the other 1, bias includes noise")


def test_rows_with_the_same_gaps_are_the_same() -> None:
    rows = [[1.0, float("nan")], [1.0, float("nan")]]
    assert bias_variance(Mean, [[0, 0], [1, 1]], [3, 3], rows, [0, 1], resamples=5).num_labels.tolist() == [2]


# Draws, inputs and errors


def test_the_seed_decides_and_is_stated() -> None:
    X, y = np.arange(20.0)[:, None], np.arange(20.0)
    first, again, other = (bias_variance(Mean, X, y, [[0]], [0], resamples=9, seed=seed) for seed in (4, 4, 5))
    assert first.predictions.tolist() == again.predictions.tolist() != other.predictions.tolist()
    assert first.notes[0] == "9 training sets of 20 rows (bootstrap, seed 4)"


def test_disjoint_training_sets_share_no_row_and_say_what_is_left() -> None:
    seen: list[list[float]] = []

    class Memory(Mean):
        def fit(self, X: Any, y: npt.NDArray[np.float64]) -> Memory:
            seen.append(y.tolist())
            super().fit(X, y)
            return self

    found = bias_variance(Memory, np.zeros((11, 1)), np.arange(11), [[0]], [0], resamples=3, resampling="disjoint")
    rows = list(itertools.chain(*seen))
    assert [len(part) for part in seen] == [3, 3, 3]
    assert len(set(rows)) == 9
    assert found.notes[0] == "3 training sets of 3 rows (disjoint, seed 0); 2 rows unused"


def test_a_learner_that_is_given_is_left_alone() -> None:
    learner = Mean()
    bias_variance(learner, [[0], [1]], [1, 2], [[0]], [0], resamples=3)
    assert not hasattr(learner, "mean")


def test_learners_of_scikit_learn_take_frames_sparse_rows_and_text() -> None:
    pandas = pytest.importorskip("pandas")
    sparse = pytest.importorskip("scipy.sparse")
    tree = pytest.importorskip("sklearn.tree").DecisionTreeClassifier(random_state=0)
    X = np.repeat([[0.0, 1.0], [1.0, 0.0], [1.0, 1.0]], 6, axis=0)
    y = np.repeat(["a", "b", "a"], 6)
    expected = bias_variance(tree, X, y, X[::3], y[::3], loss="zero_one", resamples=20)
    assert expected.expected_loss == 0
    for rows in (pandas.DataFrame(X, columns=["u", "v"]), sparse.csr_array(X)):
        test_rows = rows.iloc[::3] if hasattr(rows, "iloc") else rows[::3]
        found = bias_variance(tree, rows, pandas.Series(y), test_rows, y[::3], loss="zero_one", resamples=20)
        assert found.predictions.tolist() == expected.predictions.tolist()
        assert found.num_labels.tolist() == [2, 2, 2]


def test_ties_are_counted() -> None:
    found = decompose([["b"], ["a"]], ["b"], loss="zero_one")
    assert found.main.tolist() == ["a"]
    assert found.notes[1] == "1 item with tied predictions or labels; using the first in sorted order"


class Failing(Mean):
    def fit(self, X: Any, y: Any) -> Failing:
        raise ValueError("needs two classes")


BAD = [
    (lambda: decompose([[1]], [1], loss="square"), "unknown loss 'square'; did you mean squared"),
    (lambda: decompose([1, 2], [1]), r"predictions: expected training sets × items, found shape \(2,\)"),
    (lambda: decompose([[1, 2]], [1]), "labels: expected 2 entries, one for each item, found 1"),
    (lambda: decompose([[1]], [[]]), "expected a label or a list of labels for item 0"),
    (lambda: decompose([["a"]], ["a"]), "squared loss requires numbers, found .*\nHint: for labels, use"),
    (lambda: decompose([[np.nan]], [1]), "predictions: expected finite numbers"),
    (lambda: decompose([["1"]], [1], loss="zero_one"), "text never equals a number"),
    (lambda: decompose([["a"]], [None], loss="zero_one"), "labels: expected labels that are all text"),
    (lambda: bias_variance(Mean, [[0]], [1, 2], [[0]], [1]), "y: expected 1 values, one for each row"),
    (lambda: bias_variance(Mean, [], [], [[0]], [1]), "X: expected rows with at least one column, found none"),
    (lambda: bias_variance(Mean, [[0]], [1], [[0]], [1], resamples=1), "expected at least 2 training sets, found 1"),
    (
        lambda: bias_variance(Mean, [[0]], [1], [[0]], [1], resamples=2, resampling="disjoint"),
        "1 rows cannot be cut into 2",
    ),
    (lambda: bias_variance(Mean, [[0]], [1], [[0]], [1], resampling="boot"), "unknown resampling 'boot'"),
    (lambda: bias_variance(7, [[0]], [1], [[0]], [1]), "expected a learner with fit and predict"),  # type: ignore[arg-type]
    (lambda: bias_variance(Failing, [[0]], [1], [[0]], [1]), "failed on training set 1 of 200, with 1 distinct labels"),
]


@pytest.mark.parametrize(("call", "message"), BAD)
def test_what_cannot_be_split_is_refused(call: Callable[[], object], message: str) -> None:
    with pytest.raises((GermaneError, InputError), match=message):
        call()
