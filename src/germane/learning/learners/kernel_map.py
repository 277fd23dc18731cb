"""Kernels (inner products after an implicit mapping), and their approximation by a few hundred explicit features.

A linear learner on such features approximates the kernel learner, in time linear in the number of rows instead of
quadratic. The fitted map is stored with the model, as numbers.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Literal, get_args

import numpy as np

from germane.errors import GermaneError
from germane.learning.learners.estimator import array_from_json, array_to_json
from germane.tables.columns.ids import FloatArray

KernelName = Literal["linear", "rbf", "polynomial"]
Gamma = float | Literal["scale"]


@dataclass(frozen=True)
class KernelFunction:
    """A kernel. linear: x·z;  rbf: exp(-gamma·|x - z|²);  polynomial: (gamma·x·z + coef0)^degree.

    The mapping (x₁², x₂², √2·x₁x₂) of the lectures is the polynomial of degree 2 with gamma 1 and coef0 0:

    >>> quadratic = KernelFunction("polynomial", gamma=1.0, degree=2, coef0=0.0)
    >>> quadratic(np.array([[1.0, 2.0]]), np.array([[3.0, 4.0]])).item()      # 1·9 + 4·16 + √2·2 · √2·12
    121.0
    """

    name: KernelName
    gamma: float = 1.0
    degree: int = 2
    coef0: float = 1.0

    def __post_init__(self) -> None:
        if self.name not in get_args(KernelName):
            raise GermaneError(f"expected kernel to be one of {', '.join(get_args(KernelName))}, found {self.name!r}")
        if not 0 < self.gamma < math.inf:
            raise GermaneError(f"expected a positive gamma, found {self.gamma!r}")
        if self.degree < 1 or self.degree != int(self.degree):
            raise GermaneError(f"expected a degree of 1 or more, found {self.degree!r}")
        if not 0 <= self.coef0 < math.inf:
            raise GermaneError(
                f"expected a coef0 of 0 or more, found {self.coef0!r}", hint="a negative coef0 does not give a kernel"
            )

    def __call__(self, rows: FloatArray, others: FloatArray) -> FloatArray:
        """Return the kernel of each of `rows` with each of `others`."""
        products: FloatArray = rows @ others.T
        if self.name == "linear":
            return products
        if self.name == "polynomial":
            return np.asarray((self.gamma * products + self.coef0) ** self.degree)
        squares = np.einsum("ij,ij->i", rows, rows)[:, None] + np.einsum("ij,ij->i", others, others)
        return np.asarray(np.exp(-self.gamma * np.maximum(squares - 2 * products, 0)))


def gamma_of(gamma: Gamma, features: FloatArray) -> float:
    """Return gamma as a number; "scale" is 1 / (columns · variance of all values), as in scikit-learn.

    >>> gamma_of("scale", np.array([[0.0, 2.0], [2.0, 0.0]])), gamma_of(3.0, np.zeros((1, 1)))
    (0.5, 3.0)
    """
    if gamma != "scale":
        try:
            return float(gamma)
        except (TypeError, ValueError):
            raise GermaneError(f'expected "scale" or a number as gamma, found {gamma!r}') from None
    spread = features.shape[1] * float(features.var())
    return 1 / spread if spread > 0 else 1.0


SMALLEST_SHARE = 1e-12
"""Share of the largest eigenvalue below which a direction is treated as rounding error."""


@dataclass(frozen=True, eq=False)
class FittedFourier:
    """A fitted Fourier map: (cos, sin) of the rows' products with random frequencies."""

    frequencies: FloatArray

    def transform(self, features: FloatArray) -> FloatArray:
        angles = features @ self.frequencies
        return np.concatenate((np.cos(angles), np.sin(angles)), axis=1) / math.sqrt(angles.shape[1])

    def to_json(self) -> dict[str, Any]:
        return {"map": "FourierMap", "frequencies": array_to_json(self.frequencies)}


@dataclass(frozen=True, eq=False)
class FittedNystroem:
    """A fitted Nyström map: kernels with some training rows, projected so that products approximate the kernel."""

    kernel: KernelFunction
    landmarks: FloatArray
    projection: FloatArray

    def transform(self, features: FloatArray) -> FloatArray:
        return self.kernel(features, self.landmarks) @ self.projection

    def to_json(self) -> dict[str, Any]:
        return {
            "map": "NystroemMap",
            "kernel": asdict(self.kernel),
            "landmarks": array_to_json(self.landmarks),
            "projection": array_to_json(self.projection),
        }


@dataclass(frozen=True)
class FourierMap:
    """Random Fourier features of the kernel exp(-gamma·|x - z|²).

    Formula:    (cos ω·x, sin ω·x) / √(components/2) for components/2 frequencies ω, each coordinate normal with
                variance 2·gamma; the mean of a product is the kernel, its standard deviation at most 1/√components
    Reference:  Rahimi & Recht, "Random features for large-scale kernel machines", NIPS 2007.

    >>> FourierMap(components=4).fit(np.array([[0.0], [1.0]])).transform(np.array([[0.5]])).shape
    (1, 4)
    """

    components: int = 512
    gamma: Gamma = "scale"
    seed: int = 1

    def fit(self, features: FloatArray) -> FittedFourier:
        if self.components < 2 or self.components % 2:
            raise GermaneError(f"expected an even number of components, 2 or more, found {self.components}")
        width = math.sqrt(2 * KernelFunction("rbf", gamma_of(self.gamma, features)).gamma)
        normal = _normals(features.shape[1] * self.components // 2, self.seed)
        return FittedFourier(width * normal.reshape(features.shape[1], -1))

    def to_json(self) -> dict[str, Any]:
        return {"map": "FourierMap", **asdict(self)}


@dataclass(frozen=True)
class NystroemMap:
    """Nyström's approximation of a kernel from a sample of the training rows.

    Formula:    k(x, landmarks) · K^(-1/2), where K is the kernel among the landmarks, sampled without replacement;
                exact for rows that are landmarks, and for all rows if all are landmarks
    Reference:  Williams & Seeger, "Using the Nyström method to speed up kernel machines", NIPS 2000.
    Edge cases: With fewer rows than components, all rows are used. Empty directions (equal landmarks) are dropped.

    >>> rows = np.array([[0.0], [1.0], [2.0]])
    >>> mapped = NystroemMap(components=3, kernel="rbf", gamma=1.0).fit(rows).transform(rows)
    >>> round((mapped @ mapped.T)[0, 1].item(), 9), round(math.exp(-1), 9)
    (0.367879441, 0.367879441)
    """

    components: int = 256
    kernel: Literal["rbf", "polynomial"] = "rbf"
    gamma: Gamma = "scale"
    degree: int = 2
    coef0: float = 1.0
    seed: int = 1

    def fit(self, features: FloatArray) -> FittedNystroem:
        if self.components < 1:
            raise GermaneError(f"expected at least one component, found {self.components}")
        kernel = KernelFunction(self.kernel, gamma_of(self.gamma, features), self.degree, self.coef0)
        drawn = np.argsort(np.random.PCG64(self.seed).random_raw(len(features)), kind="stable")[: self.components]
        landmarks = features[np.sort(drawn)]
        values, vectors = np.linalg.eigh(kernel(landmarks, landmarks))
        holds = values > SMALLEST_SHARE * values.max(initial=0)
        # Contiguous, as after reading from a file, so that results are equal bit for bit.
        return FittedNystroem(kernel, landmarks, np.ascontiguousarray(vectors[:, holds] / np.sqrt(values[holds])))

    def to_json(self) -> dict[str, Any]:
        return {"map": "NystroemMap", **asdict(self)}


FeatureMap = FourierMap | NystroemMap
FittedMap = FittedFourier | FittedNystroem


def feature_map_from_json(given: Mapping[str, Any]) -> FeatureMap:
    """Return a map's parameters from a JSON object."""
    parameters = {key: value for key, value in given.items() if key != "map"}
    return FourierMap(**parameters) if _map_name(given) == "FourierMap" else NystroemMap(**parameters)


def fitted_map_from_json(given: Mapping[str, Any]) -> FittedMap:
    """Return a fitted map from a JSON object."""
    if _map_name(given) == "FourierMap":
        return FittedFourier(array_from_json(given["frequencies"]))
    landmarks, projection = array_from_json(given["landmarks"]), array_from_json(given["projection"])
    return FittedNystroem(KernelFunction(**given["kernel"]), landmarks, projection)


def _map_name(given: Mapping[str, Any]) -> str:
    if (name := given.get("map")) not in ("FourierMap", "NystroemMap"):
        raise GermaneError(f"expected FourierMap or NystroemMap, found {name!r}")
    return str(name)


def _normals(count: int, seed: int) -> FloatArray:
    """Return normal numbers by the Box-Muller method from raw words of PCG64: equal in every version of NumPy."""
    words = np.random.PCG64(seed).random_raw(2 * ((count + 1) // 2))
    uniform = ((words >> np.uint64(11)) + 0.5) * 2.0**-53
    radius, angle = np.sqrt(-2 * np.log(uniform[0::2])), 2 * math.pi * uniform[1::2]
    return np.stack((radius * np.cos(angle), radius * np.sin(angle)), axis=1).ravel()[:count]
