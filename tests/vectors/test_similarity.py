"""The bound on rounding: no product of a block is farther from its score than the window, and it is not idle."""

from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from germane.errors import GermaneError
from germane.vectors import on_numpy
from germane.vectors.matrix import Vectors
from germane.vectors.pairs import Pairs
from germane.vectors.similarity import Similarity, similarity_called, window

Values = npt.NDArray[Any]
REALS = [similarity_called(name) for name in ("dot", "cosine", "euclidean")]


def spread(random: np.random.Generator, num: int) -> Values:
    """Components of very different size."""
    return random.standard_normal((num, 96)) * 10.0 ** random.integers(-6, 7, (num, 96))


def cancelling(random: np.random.Generator, num: int) -> Values:
    """Sums whose terms take each other away almost wholly."""
    half = random.standard_normal((num, 48))
    return np.concatenate((half, -half * (1 + 1e-6 * random.standard_normal((num, 48)))), axis=1)


def one_sided(random: np.random.Generator, num: int) -> Values:
    """Every rounding in the same direction: terms that are all just above a power of two."""
    return 1 + random.random((num, 96)) * 2.0**-12


def usual(random: np.random.Generator, num: int) -> Values:
    return random.standard_normal((num, 96))


def excess(similarity: Similarity, make: Any, times: float = 1.0) -> float:
    """The largest distance of a quick value from its score, in windows."""
    random = np.random.default_rng(5)
    queries, docs = (Vectors.of(make(random, num).astype(np.float32)) for num in (20, 300))
    squared, norms = queries.all_squared_norms(), np.sqrt(docs.all_squared_norms())
    every = Pairs.of(np.repeat(np.arange(20), 300), np.tile(np.arange(300), 20))
    score = on_numpy.Scoring(queries, docs, similarity, squared, np.float32).scores(every)
    exact = similarity.quick(score, squared[every.query], docs.dimensions).reshape(20, 300)
    quick = queries.rows(slice(None), np.float32) @ docs.rows(slice(None), np.float32).T
    adjustment = similarity.adjustment(norms**2)
    if adjustment is not None:
        scale, offset = (each.astype(np.float32) for each in adjustment)
        quick = quick * scale + offset
    limit = times * window(similarity, np.sqrt(squared), float(norms.max()), docs.dimensions, 2.0**-24)
    return float((np.abs(quick.astype(np.float64) - exact) / limit[:, None]).max())


@pytest.mark.parametrize("make", [usual, spread, cancelling, one_sided])
@pytest.mark.parametrize("similarity", REALS, ids=lambda each: each.name)
def test_no_product_is_farther_from_its_score_than_the_window(similarity: Similarity, make: Any) -> None:
    assert excess(similarity, make) <= 1


@pytest.mark.parametrize("similarity", REALS, ids=lambda each: each.name)
def test_a_window_that_is_a_thousand_times_smaller_is_caught(similarity: Similarity) -> None:
    assert max(excess(similarity, make, times=0.001) for make in (usual, spread, cancelling, one_sided)) > 1


def test_a_score_does_not_depend_on_the_precision_of_the_rows() -> None:
    random = np.random.default_rng(2)
    queries, docs = (Vectors.of(random.standard_normal((5, 37)).astype(np.float32)) for _ in range(2))
    pairs = Pairs.of(np.arange(5), np.arange(5))
    squared = queries.all_squared_norms()
    for similarity in REALS:
        scorings = (on_numpy.Scoring(queries, docs, similarity, squared, real) for real in (np.float32, np.float64))
        single, double = (scoring.scores(pairs) for scoring in scorings)
        assert single.tolist() == double.tolist()


def test_a_similarity_is_called_by_its_name() -> None:
    with pytest.raises(GermaneError, match=r"hamming\), found 'cos'; did you mean cosine"):
        similarity_called("cos")
