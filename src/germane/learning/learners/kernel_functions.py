"""Kernels: the products of two rows after a mapping that is never carried out."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Literal, get_args

import numpy as np

from germane.errors import GermaneError
from germane.tables.columns.ids import FloatArray

KernelName = Literal["linear", "rbf", "polynomial"]
Gamma = float | Literal["scale"]


@dataclass(frozen=True)
class KernelFunction:
    """linear: x·z;  rbf: exp(-gamma·|x - z|²);  polynomial: (gamma·x·z + coef0)^degree.

    The lectures' mapping (x₁², x₂², √2·x₁x₂) is the polynomial of degree 2 with gamma 1 and coef0 0:

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
            raise GermaneError(f"expected kernel {', '.join(get_args(KernelName))}, found {self.name!r}")
        if not 0 < self.gamma < math.inf:
            raise GermaneError(f"expected a positive gamma, found {self.gamma!r}")
        if self.degree < 1 or self.degree != int(self.degree):
            raise GermaneError(f"expected a degree of 1 or more, found {self.degree!r}")
        if not 0 <= self.coef0 < math.inf:
            raise GermaneError(f"expected a coef0 of 0 or more, found {self.coef0!r}: else it is no kernel")

    def __call__(self, rows: FloatArray, others: FloatArray) -> FloatArray:
        """The kernel of each of `rows` with each of `others`."""
        products: FloatArray = rows @ others.T
        if self.name == "linear":
            return products
        if self.name == "polynomial":
            return np.asarray((self.gamma * products + self.coef0) ** self.degree)
        squares = np.einsum("ij,ij->i", rows, rows)[:, None] + np.einsum("ij,ij->i", others, others)
        return np.asarray(np.exp(-self.gamma * np.maximum(squares - 2 * products, 0)))

    def to_json(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def from_json(cls, given: Mapping[str, Any]) -> KernelFunction:
        return cls(**given)


def gamma_of(gamma: Gamma, features: FloatArray) -> float:
    """A number as it is; "scale" is 1 / (columns · variance of all values), as in scikit-learn.

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
