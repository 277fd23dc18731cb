from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from germane import kernels
from germane.kernels import reference_labels as reference

pytestmark = pytest.mark.skipif(
    kernels.count_pairs is reference.count_pairs, reason="there is no compiled extension to compare with the reference"
)

EXTREME = st.sampled_from([2**63 - 1, -(2**63), 2**40])


@given(st.lists(st.tuples(st.integers(-3, 3), st.integers(-3, 3)), max_size=40), st.integers(-5, 2), st.integers(1, 9))
def test_pairs_are_counted_as_by_the_reference(pairs: list[tuple[int, int]], lowest: int, size: int) -> None:
    check_pairs(pairs, lowest, size)


@given(st.lists(st.tuples(st.one_of(st.integers(0, 2), EXTREME), st.integers(0, 2)), max_size=9))
def test_a_row_far_outside_is_found(pairs: list[tuple[int, int]]) -> None:
    check_pairs(pairs, 0, 3)


@pytest.mark.parametrize("size", [45, 46, 60])  # up to 45 × 45 cells there are four tables that take turns
def test_large_tables(size: int) -> None:
    rng = np.random.default_rng(size)
    check_pairs(rng.integers(0, size, (500, 2)).tolist(), 0, size)


def check_pairs(pairs: list[Any], lowest: int, size: int) -> None:
    truth, predicted = np.asarray(pairs, dtype=np.int64).reshape(-1, 2).T.copy()
    found = []
    for kernel in (kernels.count_pairs, reference.count_pairs):
        counts = np.ones((size, size), dtype=np.int64)
        found.append((kernel(truth, predicted, lowest, size, counts), counts.tolist()))
    assert found[0] == found[1]


def as_lists(encoded: tuple[Any, Any]) -> tuple[list[int], list[int]]:
    codes, firsts = encoded
    return codes.tolist(), firsts.tolist()


@given(st.integers(1, 19).flatmap(lambda w: st.lists(st.binary(min_size=w, max_size=w), min_size=1, max_size=50)))
def test_rows_are_encoded_as_by_the_reference(rows: list[bytes]) -> None:
    matrix = np.frombuffer(b"".join(rows), dtype=np.uint8).reshape(len(rows), -1)
    assert as_lists(kernels.encode_rows(matrix, 1000)) == as_lists(reference.encode_rows(matrix, 1000))


@pytest.mark.parametrize("different", [511, 512, 513, 1000])  # the table of the kernel grows at 512
@pytest.mark.parametrize("width", [8, 24])
def test_many_different_rows(different: int, width: int) -> None:
    numbers = np.random.default_rng(1).permutation(different).repeat(2)
    matrix = np.repeat(numbers.reshape(-1, 1), width // 8, axis=1).view(np.uint8)
    assert as_lists(kernels.encode_rows(matrix, 1000)) == as_lists(reference.encode_rows(matrix, 1000))


@pytest.mark.parametrize("most", [1, 5, 99, 100])
def test_too_many_different_rows_are_told_by_one_more(most: int) -> None:
    matrix = np.arange(100).view(np.uint8).reshape(-1, 8)
    for kernel in (kernels.encode_rows, reference.encode_rows):
        assert len(kernel(matrix, most)[1]) == min(most + 1, 100)


OBJECT = st.one_of(st.none(), st.booleans(), st.integers(-2, 2), st.text(max_size=2), st.floats(allow_nan=False))


@given(st.lists(OBJECT, max_size=50))
def test_objects_are_encoded_as_by_the_reference(values: list[Any]) -> None:
    assert as_lists(kernels.encode_objects(values)) == as_lists(reference.encode_objects(values))


def test_equal_objects_at_many_addresses() -> None:
    values = [f"label {i % 7}" for i in range(5000)]
    assert as_lists(kernels.encode_objects(values)) == as_lists(reference.encode_objects(values))
