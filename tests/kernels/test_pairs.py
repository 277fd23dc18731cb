"""Sums over open pairs: the kernel and its reference against pairs written out."""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from germane import kernels
from germane.kernels import reference_pairs as reference

Floats = npt.NDArray[np.float64]
IMPLEMENTATIONS = [kernels, reference]


class Ranking(NamedTuple):
    score: Floats
    order: npt.NDArray[np.int64]
    grade: npt.NDArray[np.int64]
    bounds: npt.NDArray[np.int64]
    weight: Floats


class Sums(NamedTuple):
    loss: float
    slope: Floats
    open_pairs: Floats
    differences: Floats


def ranking(queries: list[list[tuple[int, float]]], weight: list[float] | None = None) -> Ranking:
    """Each query as (grade, score) of its rows; grades are numbered from 1 without gaps."""
    grades = [np.unique([grade for grade, _ in rows], return_inverse=True)[1] + 1 for rows in queries if rows]
    score = np.array([score for rows in queries for _, score in rows], dtype=np.float64)
    number = np.repeat(np.arange(len(queries)), [len(rows) for rows in queries])
    return Ranking(
        score,
        np.lexsort((score, number)),
        np.concatenate([np.zeros(0), *grades]).astype(np.int64),
        np.cumsum([0, *(len(rows) for rows in queries)]),
        np.array(weight or [1.0] * len(queries)),
    )


def by_writing_out_pairs(given: Ranking, values: Floats) -> Sums:
    loss, slope, open_pairs = 0.0, np.zeros(len(given.score)), np.zeros(len(given.score))
    differences = np.zeros(values.shape)
    for query, weight in enumerate(given.weight.tolist()):
        rows = range(given.bounds[query], given.bounds[query + 1])
        for better in rows:
            for worse in rows:
                hinge = 1 - given.score[better] + given.score[worse]
                if given.grade[better] > given.grade[worse] and hinge > 0:
                    loss += weight * hinge**2
                    for row, other, sign in ((better, worse, -1), (worse, better, 1)):
                        slope[row] += weight * sign * hinge
                        open_pairs[row] += weight
                        differences[row] += weight * (values[row] - values[other])
    return Sums(loss, slope, open_pairs, differences)


def by(implementation: Any, given: Ranking, values: Floats) -> Sums:
    loss, slope, open_pairs = implementation.hinge_sums(*given)
    return Sums(loss, slope, open_pairs, implementation.pair_differences(*given, open_pairs, values))


def disagreements(implementation: Any, given: Ranking, values: Floats) -> list[str]:
    expected, found = by_writing_out_pairs(given, values), by(implementation, given, values)
    return [name for name in Sums._fields if not np.allclose(getattr(found, name), getattr(expected, name), atol=1e-9)]


def farthest(one: Sums, other: Sums) -> float:
    return max(float(np.abs(np.subtract(getattr(one, name), getattr(other, name))).max()) for name in Sums._fields)


HAND = [
    # (grade, score) of rows             loss   slope               open          why
    ([(1, 0.0), (0, 0.0)],               1.0,   [-1.0, 1.0],        [1, 1],       "not yet told apart"),
    ([(1, 1.0), (0, 0.0)],               0.0,   [0.0, 0.0],         [0, 0],       "a margin of exactly 1 is enough"),
    ([(1, 0.0), (0, 1.0)],               4.0,   [-2.0, 2.0],        [1, 1],       "the wrong way round"),
    ([(1, 0.0), (1, 5.0)],               0.0,   [0.0, 0.0],         [0, 0],       "equal grades form no pair"),
    ([(2, 0.5), (1, 0.0), (0, 0.0)],     1.5,   [-1.0, -0.5, 1.5],  [2, 2, 2],    "three grades, three pairs"),
]  # fmt: skip


@pytest.mark.parametrize("implementation", IMPLEMENTATIONS)
@pytest.mark.parametrize(("rows", "loss", "slope", "open_pairs", "why"), HAND)
def test_sums_by_hand(
    implementation: Any,
    rows: list[tuple[int, float]],
    loss: float,
    slope: list[float],
    open_pairs: list[int],
    why: str,
) -> None:
    found = by(implementation, ranking([rows]), np.zeros((len(rows), 1)))
    assert (found.loss, found.slope.tolist(), found.open_pairs.tolist()) == (loss, slope, open_pairs), why


# Scores in quarters: many ties, many margins of exactly 1, and no rounding that could tell implementations apart.
ROWS = st.lists(st.tuples(st.integers(0, 6), st.integers(-9, 9).map(lambda quarters: quarters / 4)), max_size=12)
QUERIES = st.lists(st.tuples(ROWS, st.sampled_from([1.0, 0.25, 3.0])), max_size=4)


@pytest.mark.parametrize("implementation", IMPLEMENTATIONS)
@given(queries=QUERIES)
def test_sums_are_those_of_pairs_written_out(
    implementation: Any, queries: list[tuple[list[tuple[int, float]], float]]
) -> None:
    made = ranking([rows for rows, _ in queries], [weight for _, weight in queries])
    values = np.random.default_rng(len(made.score)).normal(size=(len(made.score), 3))
    assert disagreements(implementation, made, values) == []


class CountsTies:
    """A broken specimen: takes pairs of equal grades for pairs."""

    pair_differences: Callable[..., Any] = staticmethod(kernels.pair_differences)

    @staticmethod
    def hinge_sums(score: Any, order: Any, grade: Any, bounds: Any, weight: Any) -> Any:
        return kernels.hinge_sums(score, order, np.arange(len(grade)) + 1, bounds, weight)


def test_the_law_catches_pairs_of_equal_grades() -> None:
    made = ranking([[(1, 0.0), (1, 0.0), (0, 0.0)]])
    assert disagreements(CountsTies, made, np.ones((3, 1))) != []


@pytest.mark.skipif(kernels.hinge_sums is reference.hinge_sums, reason="no compiled extension")
def test_kernel_and_reference_agree_on_long_lists_of_many_grades() -> None:
    random = np.random.default_rng(3)
    rows = list(zip(random.integers(0, 300, 2000).tolist(), random.normal(size=2000).tolist(), strict=True))
    made = ranking([rows[:500], [], rows[500:501], rows[501:]])
    values = random.normal(size=(2000, 5))
    assert farthest(by(kernels, made, values), by(reference, made, values)) < 1e-6


@pytest.mark.parametrize("implementation", IMPLEMENTATIONS)
def test_far_scores_lose_no_digits_to_a_constant(implementation: Any) -> None:
    near = ranking([[(1, 0.25), (0, 0.5), (1, -0.5), (0, 0.0)]])
    far = near._replace(score=near.score + 2.0**20)
    values = np.arange(8.0).reshape(4, 2)
    apart = farthest(by(implementation, near, values), by(implementation, far, values))
    assert apart < (1e-3 if implementation is reference else 1e-12)


@pytest.mark.parametrize("implementation", IMPLEMENTATIONS)
def test_nothing_in_nothing_out(implementation: Any) -> None:
    found = by(implementation, ranking([]), np.zeros((0, 2)))
    assert (found.loss, found.slope.shape, found.differences.shape) == (0, (0,), (0, 2))
    assert by(implementation, ranking([[(1, 0.0), (0, 0.0)]]), np.zeros((2, 0))).differences.shape == (2, 0)
