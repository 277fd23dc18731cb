"""Partitioning transduction: worked examples, its laws, and the cases in which no label can be told."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from germane.errors import GermaneError
from germane.learning.learners.transduction import PartitioningTransduction

NONE = None
BY_HAND: list[tuple[list[float], list[str | None], list[str | None], str]] = [
    # objects on a line, their labels, the labels found, and why
    ([0, 1, 2], ["a", NONE, NONE], ["a", "a", "a"], "no conflict: one cluster, one label"),
    ([0, 1, 9, 10], ["a", NONE, NONE, "b"], ["a", "a", "b", "b"], "parted between 1 and 9"),
    (
        [0, 1, 2, 3, 4, 5, 9, 10, 11],
        ["a", NONE, NONE, NONE, NONE, NONE, "b", NONE, NONE],
        ["a", "a", "a", "a", "a", "a", "b", "b", "b"],
        "5 is nearer to the labelled b, but lies in the cluster of a",
    ),
    (
        [0, 1, 10, 11, 20, 21],
        ["a", NONE, "b", NONE, "a", NONE],
        ["a", "a", "b", "b", "a", "a"],
        "the means 10 and 10 coincide; 0 and 10 part 0 1 from the rest, which is parted again",
    ),
    ([0, 1, 4, 5, 9], ["a", "a", "b", "b", "c"], ["a", "a", "b", "b", "c"], "nothing is missing, nothing changes"),
]


@pytest.mark.parametrize(("line", "given", "expected", "why"), BY_HAND)
def test_partitioning_by_hand(line: list[float], given: list[str | None], expected: list[str | None], why: str) -> None:
    found = PartitioningTransduction().fit_predict([[x] for x in line], given)
    assert found.tolist() == expected, why


def test_a_cluster_without_labels_is_left_or_asks_its_nearest() -> None:
    """a and b at both ends, and two objects without a label in the middle, which is a cluster of its own."""
    X = [[0], [1], [16], [17], [30], [31], [32]]
    y = ["a", "b", None, None, "b", "a", "b"]
    leaving = PartitioningTransduction().fit(X, y)
    assert leaving.transduction_.tolist() == ["a", "b", None, None, "b", "a", "b"]
    assert [(one.members.tolist(), one.case) for one in leaving.clusters_ if one.num_labelled == 0] == [
        ([2, 3], "no labels")
    ]
    assert str(leaving.table()).endswith("2 objects without a label\n")
    nearest = PartitioningTransduction(without_labels="nearest").fit(X, y)
    assert nearest.transduction_.tolist() == ["a", "b", "b", "b", "b", "a", "b"]
    assert nearest.num_without_ == 0


def test_objects_that_are_alike_take_the_commonest_label_and_none_in_a_tie() -> None:
    alike = PartitioningTransduction().fit([[5, 5]] * 4, ["a", "b", "b", None])
    assert alike.transduction_.tolist() == ["a", "b", "b", "b"]
    assert [one.case for one in alike.clusters_] == ["conflict"]
    tied = PartitioningTransduction().fit([[5, 5]] * 3 + [[9, 9]], [1, 2, -1, -1])
    assert tied.transduction_.tolist() == [1, 2, -1, -1]
    assert [one.case for one in tied.clusters_] == ["tie", "no labels"]


def test_corners_labelled_crosswise_are_parted_though_their_means_coincide() -> None:
    corners = [[0, 0], [0, 9], [9, 0], [9, 9]]
    near = [[x + 1, y] for x, y in corners]
    found = PartitioningTransduction().fit_predict(corners + near, [0, 1, 1, 0, *[-1] * 4])
    assert found.tolist() == [0, 1, 1, 0, 0, 1, 1, 0]


def test_a_conflict_in_one_place_is_parted_from_what_lies_elsewhere() -> None:
    found = PartitioningTransduction().fit([[4], [4], [4], [0], [9]], ["a", "b", "b", None, None])
    assert found.transduction_.tolist() == ["a", "b", "b", None, None]
    assert [(one.members.tolist(), one.case) for one in found.clusters_] == [
        ([0, 1, 2], "conflict"),
        ([3], "no labels"),
        ([4], "no labels"),
    ]


def test_tiny_and_huge_features_are_parted_too() -> None:
    for unit in (1e-300, 1e300):
        found = PartitioningTransduction().fit_predict([[0.0], [unit / 9], [unit]], [0, -1, 1])
        assert found.tolist() == [0, 0, 1]


# Laws


def made_objects(seed: int) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.int64]]:
    """Ninety objects on a grid, some of them alike, a third labelled, at random: plenty of conflicts."""
    random = np.random.default_rng(seed)
    labels = random.integers(0, 3, 90)
    return random.integers(0, 12, (90, 2)).astype(np.float64), np.where(random.random(90) < 0.3, labels, -1)


Transduce = Callable[[npt.NDArray[np.float64], npt.NDArray[np.int64]], PartitioningTransduction]


def transduce(X: npt.NDArray[np.float64], y: npt.NDArray[np.int64]) -> PartitioningTransduction:
    return PartitioningTransduction().fit(X, y)


def broken_rules(how: Transduce) -> list[str]:
    """Which of the algorithm's promises do not hold for made objects."""
    broken = []
    for seed in range(20):
        X, y = made_objects(seed)
        found = how(X, y)
        if not np.array_equal(np.sort(np.concatenate([one.members for one in found.clusters_])), np.arange(len(X))):
            broken.append("clusters are a partition")
        if (found.transduction_[y >= 0] != y[y >= 0]).any():
            broken.append("labels that are given stay")
        for one in found.clusters_:
            labels = set(y[one.members]) - {-1}
            if len(labels) > 1 and (X[one.members] != X[one.members[0]]).any():
                broken.append("no conflict that could be resolved is left")
            if len(labels) == 1 and set(found.transduction_[one.members]) != labels:
                broken.append("all objects of a cluster have its label")
    return broken


def test_the_algorithm_does_what_its_three_steps_say() -> None:
    assert broken_rules(transduce) == []


def test_the_laws_catch_one_cluster_for_all_and_labels_that_were_changed() -> None:
    def unparted(X: npt.NDArray[np.float64], y: npt.NDArray[np.int64]) -> PartitioningTransduction:
        return PartitioningTransduction().fit(np.zeros_like(X), y)

    def changing(X: npt.NDArray[np.float64], y: npt.NDArray[np.int64]) -> PartitioningTransduction:
        found = transduce(X, y)
        found.transduction_ = np.zeros_like(found.transduction_)
        return found

    assert "no conflict that could be resolved is left" in broken_rules(unparted)
    assert "labels that are given stay" in broken_rules(changing)


def test_neither_order_nor_place_nor_unit_matters() -> None:
    for seed in range(5):
        X, y = made_objects(seed)
        expected = transduce(X, y).transduction_
        order = np.random.default_rng(seed).permutation(len(X))
        assert transduce(X[order], y[order]).transduction_.tolist() == expected[order].tolist()
        assert transduce(X * 8, y).transduction_.tolist() == expected.tolist()
        X += np.random.default_rng(seed).normal(0, 0.1, X.shape)  # nothing is halfway, where rounding decides
        assert transduce(X + 64, y).transduction_.tolist() == transduce(X, y).transduction_.tolist()


def test_clusters_are_found_from_two_labels_each() -> None:
    random = np.random.default_rng(9)
    centres = np.asarray([[0, 0], [8, 0], [0, 8]])
    true = np.repeat([0, 1, 2], 100)
    X = centres[true] + random.normal(size=(300, 2))
    y = np.full(300, -1)
    y[[0, 1, 100, 101, 200, 201]] = true[[0, 1, 100, 101, 200, 201]]
    assert np.mean(transduce(X, y).transduction_ == true) > 0.99


# Labels in and out

LABELS = [
    # given, missing, found
    ([0, -1, 1], -1, [0, 0, 1]),
    ([0, None, 1], -1, [0, 0, 1]),
    ([0.0, float("nan"), 1.0], -1, [0.0, 0.0, 1.0]),
    ([-1, None, 1], None, [-1, -1, 1]),
    (["a", -1, "b"], -1, ["a", "a", "b"]),
    ([7, 0, 9], 0, [7, 7, 9]),
]


@pytest.mark.parametrize(("given", "missing", "expected"), LABELS)
def test_what_counts_as_missing(given: Sequence[Any], missing: int | None, expected: list[Any]) -> None:
    assert PartitioningTransduction(missing=missing).fit_predict([[0], [1], [9]], given).tolist() == expected


def test_frames_are_read_and_parameters_are_as_scikit_learn_expects() -> None:
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"u": [0, 1, 9], "v": [0.0, 0.0, 1.0]})
    model = PartitioningTransduction().set_params(without_labels="nearest")
    assert model.fit_predict(frame, pandas.Series(["a", None, "b"])).tolist() == ["a", "a", "b"]
    assert pytest.importorskip("sklearn.base").clone(model).get_params() == model.get_params()


BAD = [
    (lambda m: m.fit([[0], [1]], [0]), "y: expected 2 labels, one for each row .missing ones too., found 1"),
    (lambda m: m.fit([[0], [1]], [-1, None]), "y: expected at least one label, found none\nHint: label a few"),
    (lambda m: m.fit([[0], [1]], [0, "a"]), "y: expected labels that are all text or all numbers"),
    (lambda m: m.fit([[0], [1]], np.asarray(["a", -1])), "the label '-1' is text; is it missing.\nHint: use None"),
    (lambda m: m.fit([[0], [None]], [0, 1]), "column 0: row 1: missing value, so distances are undefined"),
    (lambda m: m.fit([["x"], [1]], [0, 1]), "column 0: row 0: expected a number, found 'x'\nHint: distances require"),
    (lambda m: m.fit([[0], [float("inf")]], [0, 1]), "column 0: row 1: expected a finite number"),
    (lambda m: m.set_params(without_labels="near").fit([[0]], [0]), "'near'; did you mean nearest"),
    (lambda m: m.set_params(without=1), "has no parameter 'without'"),
    (lambda m: m.table(), "is not fitted yet\nHint: call fit"),
]


@pytest.mark.parametrize(("call", "message"), BAD)
def test_what_cannot_be_partitioned_is_refused(
    call: Callable[[PartitioningTransduction], object], message: str
) -> None:
    with pytest.raises(GermaneError, match=message):
        call(PartitioningTransduction())


def test_one_object_is_told_as_one() -> None:
    tied = PartitioningTransduction().fit([[0], [0], [0]], [1, 2, -1])
    assert str(tied.table()).endswith("\n1 object without a label\n")
