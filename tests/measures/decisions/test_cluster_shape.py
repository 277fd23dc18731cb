"""Internal indices of clusters: by hand, and equal to scikit-learn's on inputs that hypothesis makes."""

from __future__ import annotations

import math
import warnings
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from sklearn import metrics

from germane.errors import MeasureError
from germane.measures.decisions import cluster_shape
from germane.measures.decisions.cluster_shape import calinski_harabasz, davies_bouldin, silhouette, silhouettes

LINE = [[0.0], [1.0], [5.0], [6.0]]
BY_HAND = [
    # measure            vectors                        clusters      expected               why
    (silhouette,         LINE,                          [1, 1, 2, 2], (9 / 11 + 7 / 9) / 2,  "a = 1; b = 5.5, 4.5"),
    (silhouette,         LINE,                          [1, 2, 1, 2], -0.4,                  "a = 5; b = 3.5, 2.5"),
    (silhouette,         [[0.0], [1.0], [5.0]],         [1, 1, 2],    (0.8 + 0.75 + 0) / 3,  "alone counts 0"),
    (silhouette,         [[0.0], [1.0]],                [1, 2],       0.0,                   "all alone"),
    (silhouette,         LINE,                          [1, 1, 1, 1], math.nan,              "a single cluster"),
    (silhouette,         [[3.0]] * 4,                   [1, 1, 2, 2], 0.0,                   "a = b = 0"),
    (davies_bouldin,     LINE,                          ["a", "a", "b", "b"], 0.2,           "(0.5 + 0.5)/5"),
    (davies_bouldin,     LINE,                          [1, 2, 2, 1], math.inf,              "centres coincide"),
    (davies_bouldin,     [[0.0], [0.0], [4.0], [4.0]],  [1, 1, 2, 2], 0.0,                   "no scatter"),
    (davies_bouldin,     [[3.0]] * 4,                   [1, 1, 2, 2], 0.0,                   "all items equal"),
    (davies_bouldin,     LINE,                          [1, 1, 1, 1], math.nan,              "a single cluster"),
    (calinski_harabasz,  LINE,                          [1, 1, 2, 2], 50.0,                  "25/1 over 1/2"),
    (calinski_harabasz,  [[0.0], [0.0], [4.0], [4.0]],  [1, 1, 2, 2], math.inf,              "no scatter"),
    (calinski_harabasz,  [[3.0]] * 4,                   [1, 1, 2, 2], math.nan,              "all items equal"),
    (calinski_harabasz,  LINE,                          [1, 2, 3, 4], math.nan,              "all alone"),
    (calinski_harabasz,  LINE,                          [1, 1, 1, 1], math.nan,              "a single cluster"),
]  # fmt: skip


@pytest.mark.parametrize(("measure", "vectors", "clusters", "expected", "why"), BY_HAND)
def test_an_index_by_hand(measure: Any, vectors: Any, clusters: Any, expected: float, why: str) -> None:
    assert measure(vectors, clusters) == pytest.approx(expected, nan_ok=True), why


# Far enough from one another that the quick formula of scikit-learn for distances is exact to the last digits.
WHOLE = arrays(np.float64, st.tuples(st.integers(4, 25), st.integers(1, 4)), elements=st.integers(-50, 50).map(float))


@st.composite
def clustered(draw: Any) -> tuple[Any, Any]:
    vectors = draw(WHOLE)
    clusters = draw(st.lists(st.integers(0, 3), min_size=len(vectors), max_size=len(vectors)))
    assume(2 <= len(set(clusters)) < len(vectors))
    return vectors, np.asarray(clusters)


@settings(max_examples=60, deadline=None)
@given(given_items=clustered(), cells=st.sampled_from([1, 7, 1 << 22]))
def test_indices_are_those_of_scikit_learn_whatever_the_blocks(given_items: Any, cells: int) -> None:
    vectors, clusters = given_items
    with pytest.MonkeyPatch.context() as patch, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        patch.setattr(cluster_shape, "MOST_CELLS", cells)
        for distance in ("euclidean", "manhattan"):
            theirs = metrics.silhouette_samples(vectors, clusters, metric=distance)
            assert silhouettes(vectors, clusters, distance=distance) == pytest.approx(theirs, abs=1e-10)
        if vectors.any(axis=1).all():
            theirs = metrics.silhouette_samples(vectors, clusters, metric="cosine")
            assert silhouettes(vectors, clusters, distance="cosine") == pytest.approx(theirs, abs=1e-6)
        scatter = calinski_harabasz(vectors, clusters)
        if math.isfinite(scatter):
            assert scatter == pytest.approx(metrics.calinski_harabasz_score(vectors, clusters), rel=1e-10)
        ratio = davies_bouldin(vectors, clusters)
        if math.isfinite(ratio) and ratio < 1e6:
            assert ratio == pytest.approx(metrics.davies_bouldin_score(vectors, clusters), rel=1e-10, abs=1e-10)


def test_silhouette_of_real_numbers_is_that_of_scikit_learn_from_exact_distances() -> None:
    chance = np.random.default_rng(1)
    vectors, clusters = chance.normal(size=(300, 5)), chance.integers(0, 6, 300)
    exact = np.linalg.norm(vectors[:, None] - vectors, axis=2)
    assert silhouette(vectors, clusters) == pytest.approx(
        metrics.silhouette_score(exact, clusters, metric="precomputed"), rel=1e-10
    )
    assert davies_bouldin(vectors, clusters) == pytest.approx(
        metrics.davies_bouldin_score(vectors, clusters), rel=1e-10
    )


@pytest.mark.parametrize(
    ("compute", "said"),
    [
        (lambda: silhouette([[1.0], [math.nan]], [1, 2]), r"finite numbers as vector in row 2, found \[nan\]"),
        (lambda: silhouette([[1.0], [2.0]], [1, 2, 2]), "expected one vector per item, found 2 vectors and 3 items"),
        (lambda: silhouette([[1.0, 0.0], [0.0, 0.0]], [1, 2], distance="cosine"), "vector other than 0 in row 2"),
        (lambda: silhouette([[1.0], [2.0]], [1, 2], distance="hamming"), "as distance, found 'hamming'"),
        (lambda: silhouette(np.zeros((0, 2)), []), "expected at least one item, found none"),
    ],
)
def test_wrong_input_is_an_error(compute: Any, said: str) -> None:
    with pytest.raises(MeasureError, match=said):
        compute()
