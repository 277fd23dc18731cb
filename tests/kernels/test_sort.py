import math
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from germane import kernels
from germane.kernels import reference_sort as reference

pytestmark = pytest.mark.skipif(
    kernels.score_range is reference.score_range, reason="there is no compiled extension to compare with the reference"
)

KINDS = ["<f8", "<f4", "<i8", "<i4"]
SCORE = st.one_of(
    st.sampled_from([0.0, -0.0, 1.0, -1.0, 0.5, math.inf, -math.inf, 5e-324, 1e308]),
    st.floats(allow_nan=False),
    st.integers(-3, 3).map(float),
)
ROWS = st.lists(st.tuples(SCORE, st.booleans()), min_size=1, max_size=60)


def columns(rows: list[tuple[float, bool]], kind: str = "<f8") -> tuple[npt.NDArray[Any], npt.NDArray[np.bool_]]:
    scores = np.asarray([score for score, _ in rows])
    if "i" in kind:
        scores = np.clip(scores, -(2.0**31), 2.0**31 - 1)
    with np.errstate(over="ignore"):
        return scores.astype(kind), np.asarray([truth for _, truth in rows])


@given(ROWS, st.sampled_from(KINDS))
def test_the_range_is_that_of_the_reference(rows: list[tuple[float, bool]], kind: str) -> None:
    scores, _ = columns(rows, kind)
    assert kernels.score_range(scores) == reference.score_range(scores)


@given(ROWS, st.integers(0, 70))
def test_the_first_nan_is_found(rows: list[tuple[float, bool]], place: int) -> None:
    scores, _ = columns(rows)
    scores = np.insert(scores, min(place, len(scores)), math.nan)
    assert kernels.score_range(scores) == reference.score_range(scores)
    assert kernels.score_range(scores)[2] == min(place, len(rows))


@given(ROWS, st.sampled_from(KINDS))
def test_counting_and_placing_keys(rows: list[tuple[float, bool]], kind: str) -> None:
    scores, truth = columns(rows, kind)
    lowest, highest, _ = reference.score_range(scores)
    shift = max(0, (highest - lowest).bit_length() - 3)
    counts = [np.zeros((2, 8), dtype=np.int64) for _ in range(2)]
    kernels.count_keys(scores, truth, lowest, shift, counts[0])
    reference.count_keys(scores, truth, lowest, shift, counts[1])
    assert counts[0].tolist() == counts[1].tolist()
    assert counts[0].sum() == len(rows)
    bucket_of = np.arange(8, dtype=np.int32)
    starts = (np.cumsum(counts[0]) - counts[0].ravel()).reshape(2, 8)
    keys = [np.zeros(len(rows), dtype=np.uint64) for _ in range(2)]
    kernels.place_keys(scores, truth, lowest, shift, bucket_of, starts.copy(), keys[0])
    reference.place_keys(scores, truth, lowest, shift, bucket_of, starts.copy(), keys[1])
    assert keys[0].tolist() == keys[1].tolist()


def sorted_by(kernel: Any, keys: npt.NDArray[np.uint64], num_positive: int) -> list[list[Any]]:
    spare = np.zeros(len(keys), dtype=np.uint64)
    above, wrong = np.zeros(len(keys), dtype=np.int64), np.zeros(len(keys), dtype=np.int64)
    count = kernel(keys.copy(), spare, num_positive, 3, 5, above, wrong)
    return [column[:count].tolist() for column in (spare, above, wrong)]


@given(st.lists(st.one_of(st.integers(0, 2**64 - 1), st.integers(0, 4)), max_size=120), st.integers(0, 120))
def test_a_bucket_is_sorted_as_by_the_reference(values: list[int], positives: int) -> None:
    keys, num_positive = np.asarray(values, dtype=np.uint64), min(positives, len(values))
    assert sorted_by(kernels.sort_bucket, keys, num_positive) == sorted_by(reference.sort_bucket, keys, num_positive)


@pytest.mark.parametrize("bits", [1, 11, 12, 22, 40, 63])
def test_a_large_bucket_with_digits_that_all_keys_share(bits: int) -> None:
    keys = np.random.default_rng(bits).integers(0, 2**bits, 3000).astype(np.uint64) << np.uint64(64 - bits - bits % 2)
    assert sorted_by(kernels.sort_bucket, keys, 1000) == sorted_by(reference.sort_bucket, keys, 1000)


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), max_size=30))
def test_the_area_is_that_of_the_reference(steps: list[tuple[int, int]]) -> None:
    tp, fp = np.cumsum(np.asarray(steps, dtype=np.int64).reshape(-1, 2), axis=0).T.copy()
    assert kernels.twice_area(tp, fp) == reference.twice_area(tp, fp)


def test_the_area_by_hand() -> None:
    # (0,0) to (0,1), (1,2), (2,2): a trapezoid of 1.5 and a rectangle of 2
    assert kernels.twice_area(np.array([1, 2, 2]), np.array([0, 1, 2])) == 7
