"""Scores of vectors and counts above thresholds: the kernel against its reference, bit for bit."""

from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from germane import kernels
from germane.kernels import reference_vectors as reference

DOT, COSINE, EUCLIDEAN = 0, 1, 2
needs_kernel = pytest.mark.skipif(
    kernels.pair_sums is reference.pair_sums, reason="there is no compiled extension to compare with the reference"
)
both = pytest.mark.parametrize("engine", [kernels, reference], ids=["kernel", "reference"])
Rows = npt.NDArray[np.int64]


@both
def test_sums_by_hand(engine: Any) -> None:
    queries, docs = np.array([[1.0, 2.0, 3.0]]), np.array([[0.0, 1.0, -1.0], [2.0, 0.0, 0.0]])
    query, doc, out = np.zeros(2, dtype=np.int64), np.arange(2), np.empty(2)
    engine.pair_sums(queries, docs, query, doc, DOT, out)
    assert out.tolist() == [2 - 3, 2]
    engine.pair_sums(queries, docs, query, doc, EUCLIDEAN, out)
    assert out.tolist() == [-(1 + 1 + 16), -(1 + 4 + 9)]
    engine.squared_norms(docs, out)
    assert out.tolist() == [2, 4]


@both
def test_sums_run_in_sixteen_lanes_and_then_in_halves(engine: Any) -> None:
    # Lane 0 holds components 0 and 16, which cancel; one after the other they would swallow the 1 between them.
    queries = np.array([[1e16, 1.0, *[0.0] * 14, -1e16]])
    out = np.empty(1)
    engine.pair_sums(queries, np.ones((1, 17)), np.zeros(1, dtype=np.int64), np.zeros(1, dtype=np.int64), DOT, out)
    assert out.tolist() == [1.0]


@both
def test_no_pairs_are_no_sums(engine: Any) -> None:
    nothing, beyond = np.zeros(0, dtype=np.int64), np.array([7.0])
    engine.pair_sums(np.ones((1, 2)), np.ones((1, 2)), nothing, nothing, DOT, beyond[:0])
    engine.squared_norms(np.ones((0, 2)), beyond[:0])
    assert beyond.tolist() == [7.0]  # nothing was written past the end


@needs_kernel
@pytest.mark.parametrize("real", [np.float32, np.float64])
@pytest.mark.parametrize("kind", [DOT, EUCLIDEAN])
@given(seed=st.integers(0, 2**32 - 1), dimensions=st.integers(1, 70))
@settings(max_examples=25)
def test_sums_are_those_of_the_reference_to_the_last_bit(real: Any, kind: int, seed: int, dimensions: int) -> None:
    random = np.random.default_rng(seed)
    queries, docs = (random.standard_normal((num, dimensions)).astype(real) for num in (3, 7))
    query, doc = random.integers(0, 3, 20), random.integers(0, 7, 20)
    found, expected = np.empty(20), np.empty(20)
    kernels.pair_sums(queries, docs, query, doc, kind, found)
    reference.pair_sums(queries, docs, query, doc, kind, expected)
    assert found.tolist() == expected.tolist()
    kernels.squared_norms(docs, found[:7])
    reference.squared_norms(docs, expected[:7])
    assert found[:7].tolist() == expected[:7].tolist()


def counted(engine: Any, docs: Any, thresholds: list[list[float]], products: Any = None, *, exact: bool) -> list[Rows]:
    """Count documents of one component against the thresholds of queries that are all (1)."""
    start = np.cumsum([0, *map(len, thresholds)])
    threshold = np.array([value for row in thresholds for value in row], dtype=np.float64)
    queries = np.ones((len(thresholds), 1))
    products = np.repeat(docs.T, len(queries), axis=0) if products is None else products
    low = np.array([min(row, default=np.inf) for row in thresholds])
    high = np.array([max(row, default=np.inf) for row in thresholds])
    counts = [
        np.zeros(size, dtype=np.int64) for size in (len(threshold) + len(thresholds), len(threshold), len(threshold))
    ]
    limit = np.full(len(queries), 0.0 if exact else 1e-9)
    engine.count_block(
        products, np.zeros(0), np.zeros(0), queries, docs, np.ones(len(queries)), np.abs(docs[:, 0]), DOT, exact, start,
        threshold, threshold, limit, np.nextafter(low - limit, -np.inf), np.nextafter(high + limit, np.inf),
        np.arange(len(docs)), np.zeros(len(threshold), dtype=np.int64) + 2, *counts, 0, len(queries),
    )  # fmt: skip
    counts[0][start[:-1] + np.arange(len(thresholds))] = 0  # those above no threshold: not kept, or not wholly
    return counts


@both
@pytest.mark.parametrize("exact", [True, False])
def test_counts_by_hand(engine: Any, exact: bool) -> None:
    docs = np.array([[1.0], [2.0], [2.0], [2.0], [5.0], [0.0]])
    histogram, equal, ahead = counted(engine, docs, [[2.0, 4.0], [], [-1.0]], exact=exact)
    # Of the first query: 1 stands above both thresholds (5), three equal 2 and stand above none; n = 0 is not kept.
    assert histogram.tolist() == [0, 0, 1, 0, 0, 6]
    assert equal.tolist() == [3, 0, 0]
    assert ahead.tolist() == [1, 0, 0], "of the documents at places 1, 2 and 3 one comes before place 2"


@both
def test_a_masked_document_is_not_counted(engine: Any) -> None:
    docs = np.array([[1.0], [2.0], [3.0]])
    products = np.array([[1.0, -np.inf, 3.0]])
    histogram, equal, _ = counted(engine, docs, [[0.5]], products, exact=False)
    assert (histogram.tolist(), equal.tolist()) == ([0, 2], [0])


@needs_kernel
@pytest.mark.parametrize("exact", [True, False])
@given(seed=st.integers(0, 2**32 - 1))
@settings(max_examples=50)
def test_counts_are_those_of_the_reference(exact: bool, seed: int) -> None:
    random = np.random.default_rng(seed)
    # More documents than the kernel looks at together, and values that are often equal.
    docs = random.integers(-9, 10, (int(random.integers(1, 1300)), 1)) / 2
    thresholds = [sorted((random.integers(-12, 13, int(random.integers(0, 40))) / 2).tolist()) for _ in range(3)]
    found, expected = (counted(engine, docs, thresholds, exact=exact) for engine in (kernels, reference))
    for ours, theirs in zip(found, expected, strict=True):
        assert ours.tolist() == theirs.tolist()
