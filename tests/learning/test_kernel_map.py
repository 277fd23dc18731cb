"""Approximated kernels against the kernels."""

import json
from typing import Any

import numpy as np
import pytest
from sklearn.metrics.pairwise import polynomial_kernel, rbf_kernel

from germane.errors import GermaneError
from germane.learning.learners.kernel_map import FourierMap, KernelFunction, NystroemMap, fitted_map_from_json, gamma_of

X = np.random.default_rng(4).normal(size=(50, 3))


def farthest(made: Any, kernel: Any) -> float:
    mapped = made.fit(X).transform(X)
    return float(np.abs(mapped @ mapped.T - kernel).max())


def test_kernels_are_those_of_sklearn() -> None:
    assert KernelFunction("rbf", 0.7)(X, X[:5]) == pytest.approx(rbf_kernel(X, X[:5], 0.7))
    cubic = KernelFunction("polynomial", 0.7, 3, 2.0)
    assert cubic(X, X[:5]) == pytest.approx(polynomial_kernel(X, X[:5], 3, 0.7, 2.0))


def test_fourier_features_come_nearer_the_more_they_are() -> None:
    exact = rbf_kernel(X, gamma=0.5)
    errors = [farthest(FourierMap(components, gamma=0.5), exact) for components in (32, 512, 8192)]
    assert errors[0] > errors[1] > errors[2]
    assert errors[2] < 5 / np.sqrt(8192)  # five standard deviations
    assert farthest(FourierMap(8192, gamma=1.0), exact) > 0.1  # a wrong width is caught


@pytest.mark.parametrize("kernel", ["rbf", "polynomial"])
def test_nystroem_is_exact_when_all_rows_are_landmarks(kernel: Any) -> None:
    exact = KernelFunction(kernel, gamma_of("scale", X))(X, X)
    assert farthest(NystroemMap(50, kernel), exact) < 1e-6
    assert farthest(NystroemMap(3, kernel), exact) > 0.01


def test_equal_landmarks_leave_no_empty_directions() -> None:
    fitted = NystroemMap(10).fit(np.vstack((X[:2], X[:2])))
    assert fitted.projection.shape == (4, 2)


def test_the_seed_decides() -> None:
    maps = [made.fit(X).transform(X[:2]).tolist() for made in (FourierMap(8), FourierMap(8), FourierMap(8, seed=2))]
    assert maps[0] == maps[1] != maps[2]


@pytest.mark.parametrize("made", [FourierMap(8), NystroemMap(8), NystroemMap(8, "polynomial")], ids=str)
def test_fitted_maps_survive_json(made: Any) -> None:
    fitted = made.fit(X)
    again = fitted_map_from_json(json.loads(json.dumps(fitted.to_json())))
    assert again.transform(X).tolist() == fitted.transform(X).tolist()


WRONG: list[tuple[Any, str]] = [
    (FourierMap(7), "even number"),
    (FourierMap(8, gamma=-1.0), "positive gamma"),
    (FourierMap(8, gamma="auto"), '"scale" or a number'),  # type: ignore[arg-type]
    (NystroemMap(0), "at least one component"),
    (NystroemMap(kernel="cosine"), "expected kernel"),  # type: ignore[arg-type]
    (NystroemMap(degree=0), "degree of 1"),
    (NystroemMap(coef0=-1.0), "coef0 of 0"),
]


@pytest.mark.parametrize(("made", "message"), WRONG)
def test_wrong_parameters_are_told(made: Any, message: str) -> None:
    with pytest.raises(GermaneError, match=message):
        made.fit(X)


def test_damaged_files_are_told() -> None:
    written = FourierMap(8).fit(X).to_json()
    for damage, message in (
        ({"map": "Other"}, "FourierMap or NystroemMap"),
        ({"frequencies": {**written["frequencies"], "shape": [9, 9]}}, "bytes for an array of shape"),
        ({"frequencies": {**written["frequencies"], "dtype": "|O"}}, "array of type"),
        ({"frequencies": {**written["frequencies"], "base64": "?"}}, "base64"),
    ):
        with pytest.raises(GermaneError, match=message):
            fitted_map_from_json({**written, **damage})
