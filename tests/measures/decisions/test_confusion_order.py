"""Clusters of confusion: the best order by trying all, blocks that were put in, the lectures' matrices."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from germane.measures.decisions import confusion_order
from germane.measures.decisions.confusion_order import (
    best_order,
    block_starts,
    cluster_order,
    mutual_confusion,
    spread_cost,
)
from germane.tables.decisions.confusion import Confusion

MATRICES = st.integers(1, 6).flatmap(
    lambda k: st.lists(st.integers(0, 5), min_size=k * k, max_size=k * k).map(lambda c: np.asarray(c).reshape(k, k))
)


@settings(max_examples=30)
@given(matrix=MATRICES)
def test_the_exact_order_is_the_best_of_all(matrix: Any) -> None:
    mutual = mutual_confusion(matrix)
    costs = [spread_cost(mutual, np.asarray(order)) for order in itertools.permutations(range(len(matrix)))]
    assert spread_cost(mutual, best_order(mutual)) == min(costs)


@settings(max_examples=30)
@given(matrix=MATRICES)
def test_the_blocks_are_the_best_of_all_cuts(matrix: Any) -> None:
    mutual = mutual_confusion(matrix)
    K = len(mutual)
    mean = mutual.sum() / max(1, K * (K - 1))

    def gathered(starts: tuple[int, ...]) -> float:
        ends = (*starts[1:], K)
        return float(
            sum(
                mutual[i, j] - mean
                for begin, end in zip(starts, ends, strict=True)
                for i, j in itertools.combinations(range(begin, end), 2)
            )
        )

    cuts = [(0, *cut) for r in range(K) for cut in itertools.combinations(range(1, K), r)]
    found = tuple(block_starts(mutual).tolist())
    assert found in cuts
    assert gathered(found) == pytest.approx(max(map(gathered, cuts)), abs=1e-9)


@settings(max_examples=30)
@given(matrix=MATRICES, weighted=st.booleans())
def test_the_search_is_never_worse_than_the_given_order(matrix: Any, weighted: bool) -> None:
    mutual = mutual_confusion(matrix / 4 if weighted else matrix)
    given_order = np.arange(len(mutual))
    for start in (given_order, confusion_order._spectral_order(mutual)):
        found = confusion_order._searched(mutual, start)
        assert sorted(found.tolist()) == given_order.tolist()
        assert spread_cost(mutual, found) <= spread_cost(mutual, start)
    assert spread_cost(mutual, best_order(mutual)) <= spread_cost(mutual)


def test_the_search_knows_what_every_move_costs() -> None:
    """No single move helps any more: seen by trying each of them."""
    rng = np.random.default_rng(1)
    mutual = mutual_confusion(rng.poisson(0.7, (15, 15)))
    found = best_order(mutual)
    cost = spread_cost(mutual, found)
    for at, to in itertools.product(range(15), repeat=2):
        assert spread_cost(mutual, np.insert(np.delete(found, at), to, found[at])) >= cost


def test_blocks_that_were_put_in_are_found() -> None:
    rng = np.random.default_rng(0)
    block = rng.permutation(np.repeat(np.arange(8), 5))
    counts = rng.poisson(np.where(block[:, None] == block, 6, 0.05))
    found = cluster_order(Confusion.of_matrix(counts))
    assert {frozenset(group) for group in found} == {frozenset(np.flatnonzero(block == b).tolist()) for b in range(8)}
    assert found == cluster_order(Confusion.of_matrix(counts))


def test_matrices_of_the_lectures() -> None:
    people = Confusion.of_matrix([[13, 4, 2], [2, 15, 1], [5, 1, 57]], labels=["woman", "man", "child"])
    # woman-child 7, woman-man 6, man-child 2; the mean is 5.
    assert cluster_order(people) == (("man",), ("woman", "child"))
    animals = Confusion.of_matrix([[5, 3, 0], [2, 3, 1], [0, 2, 11]], labels=["cat", "dog", "rabbit"])
    assert cluster_order(animals) == (("cat", "dog"), ("rabbit",))


@pytest.mark.parametrize("classes", [1, 3, 20])
def test_without_confusion_the_order_stays_and_each_class_is_alone(classes: int) -> None:
    assert cluster_order(Confusion.of_matrix(np.eye(classes, dtype=int))) == tuple((c,) for c in range(classes))
