"""Products and solutions of matrices in pieces so small that the linear algebra library starts no threads for them.

On a machine that does other work too, threads that wait for each other cost many times what they save: a product of
3,000 × 300 numbers took 12 ms in one thread, and 60 to 90 ms in two, on two cores shared with other processes.
"""

from __future__ import annotations

import numpy as np

from germane.errors import GermaneError
from germane.tables.ids import FloatArray

SIDE = 64
"""A product of three such sides, 2**18 multiplications, is the most that OpenBLAS does without threads."""


def add_gram(total: FloatArray, left: FloatArray, right: FloatArray) -> None:
    """Add the upper triangle of leftᵀ·right, which must be symmetric, to `total`; blocks on the diagonal in full."""
    rows, columns = left.shape
    for i in range(0, columns, SIDE):
        for j in range(i, columns, SIDE):
            block = total[i : i + SIDE, j : j + SIDE]
            for k in range(0, rows, SIDE):
                block += left[k : k + SIDE, i : i + SIDE].T @ right[k : k + SIDE, j : j + SIDE]


def solve_upper_given(matrix: FloatArray, right: FloatArray) -> FloatArray:
    """Solve matrix·x = right for a positive definite matrix of which the upper triangle is given; it is overwritten.

    >>> solve_upper_given(np.array([[4.0, 2.0], [0.0, 3.0]]), np.array([8.0, 8.0])).round(12).tolist()
    [1.0, 2.0]
    """
    size = len(matrix)
    x = right.copy()
    inverses: list[FloatArray] = []
    for k in range(0, size, SIDE):  # matrix = Uᵀ·U, and Uᵀ·x = right is solved on the way
        end = min(k + SIDE, size)
        corner = matrix[k:end, k:end]
        try:
            lower = np.linalg.cholesky(np.triu(corner).T + np.triu(corner, 1))
        except np.linalg.LinAlgError:
            raise GermaneError(
                "the Hessian lost its positive curvature to rounding",
                hint="features of very different sizes do this: scale them, or take a smaller C",
            ) from None
        inverse = np.linalg.inv(lower)
        inverses.append(inverse)
        x[k:end] = inverse @ x[k:end]
        for j in range(end, size, SIDE):
            matrix[k:end, j : j + SIDE] = inverse @ matrix[k:end, j : j + SIDE]
            x[j : j + SIDE] -= x[k:end] @ matrix[k:end, j : j + SIDE]
        add_gram(matrix[end:, end:], -matrix[k:end, end:], matrix[k:end, end:])
    for inverse, k in zip(reversed(inverses), range(SIDE * (len(inverses) - 1), -1, -SIDE), strict=True):
        end = min(k + SIDE, size)
        for j in range(end, size, SIDE):
            x[k:end] -= matrix[k:end, j : j + SIDE] @ x[j : j + SIDE]
        x[k:end] = inverse.T @ x[k:end]
    return x


def times_rows(matrix: FloatArray, vector: FloatArray) -> FloatArray:
    """matrix·vector."""
    return np.asarray(np.einsum("ij,j->i", matrix, vector))


def times_columns(vector: FloatArray, matrix: FloatArray) -> FloatArray:
    """vector·matrix."""
    return np.asarray(np.einsum("i,ij->j", vector, matrix))


def dot(one: FloatArray, other: FloatArray) -> float:
    """The product of two vectors."""
    return float(np.einsum("i,i->", one, other))
