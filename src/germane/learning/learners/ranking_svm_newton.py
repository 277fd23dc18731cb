"""Newton's method for the squared hinge loss over all pairs, by order statistics: no pair is ever formed.

    f(w) = ½|w|² + C Σ weight · max(0, 1 - w·(better - worse))²    over all pairs of rows of a query, one graded better

With s = Xw, the gradient is w + 2C Xᵀg and the (generalised) Hessian I + 2C XᵀLX: g sums the hinges of each row's
active pairs, L is the Laplacian of the graph of active pairs, and both come from one pass over the rows sorted by
score. f is piecewise quadratic, so Newton's method with an exact line search ends after a few steps, at the minimum
itself. Rows are sorted by query and centred once, for all sums over pairs.

References: Lee & Lin, "Large-scale linear RankSVM", Neural Computation 26(4), 2014; Chapelle & Keerthi, "Efficient
algorithms for ranking with SVMs", Information Retrieval 13, 2010; Keerthi & DeCoste, JMLR 6, 2005 (the line search).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np

from germane import kernels
from germane.errors import GermaneError
from germane.tables.columns.ids import FloatArray, IntArray

PairWeight = Literal["pair", "query"]
"""Weight of a pair: 1, or an equal share of its query's weight of 1."""


@dataclass(frozen=True, eq=False)
class PairData:
    """Rows by query, without queries whose rows all have the same grade: they form no pairs.

    Features are centred by query, which changes no difference within a query and preserves precision.
    """

    features: FloatArray
    query: IntArray
    grade: IntArray
    """Rank of the row's grade among those of its query, from 1."""
    bounds: IntArray
    """Ends of the queries, preceded by 0."""
    weight: FloatArray
    """Weight of a pair of each query."""
    num_pairs: int

    @property
    def num_queries(self) -> int:
        return len(self.weight)

    def by_score(self, score: FloatArray) -> IntArray:
        """Return the rows sorted by query and then by ascending score."""
        return np.lexsort((score, self.query)).astype(np.int64, copy=False)


def pair_data(features: FloatArray, grades: FloatArray, query: IntArray, pair_weight: PairWeight) -> PairData:
    """Sort, count and centre the rows.

    >>> data = pair_data(np.array([[5.0], [1.0], [3.0]]), np.array([2.0, 0.0, 0.0]), np.array([7, 7, 7]), "query")
    >>> data.features.ravel().tolist(), data.grade.tolist(), data.num_pairs, data.weight.tolist()
    ([-2.0, 0.0, 2.0], [1, 1, 2], 2, [0.5])
    """
    if pair_weight not in get_args(PairWeight):
        raise GermaneError(f"expected pair_weight {' or '.join(get_args(PairWeight))}, found {pair_weight!r}")
    order = np.lexsort((grades, query))
    by_query, by_grade = query[order], grades[order]
    starts_query = np.append(True, by_query[1:] != by_query[:-1])[: len(order)]
    starts_grade = starts_query | np.append(True, by_grade[1:] != by_grade[:-1])[: len(order)]
    number = np.cumsum(starts_query) - 1
    rows = np.bincount(number)
    of_grade = np.bincount(np.cumsum(starts_grade) - 1)
    equal = np.bincount(number[starts_grade], weights=of_grade.astype(np.float64) ** 2)
    pairs = (rows.astype(np.float64) ** 2 - equal) / 2
    if not pairs.any():
        problem = f"expected two grades in at least one query, found none: {len(order):,} rows of {len(rows):,} queries"
        hint = "pairs are formed within a query, of rows with different grades; check the query of each row"
        raise GermaneError(problem, hint=hint)
    has_pairs = pairs > 0
    keep = has_pairs[number]
    grade = np.cumsum(starts_grade)
    grade = (grade - grade[starts_query][number] + 1)[keep]
    centred = features[order[keep]]
    bounds = np.append(0, np.cumsum(rows[has_pairs]))
    for begin, end in zip(bounds[:-1].tolist(), bounds[1:].tolist(), strict=True):
        centred[begin:end] -= centred[begin:end].mean(axis=0)
    pairs = pairs[has_pairs]
    return PairData(
        centred,
        np.repeat(np.arange(len(pairs)), rows[has_pairs]),
        grade,
        bounds,
        1 / pairs if pair_weight == "query" else np.ones(len(pairs)),
        int(pairs.sum()),
    )


Solver = Literal["hessian", "conjugate gradients"]

HESSIAN_UP_TO = 1000
"""Maximum number of features for which the Hessian is formed; for few features it is cheaper than many products."""

BLOCK = 1 << 20
"""Numbers per block of queries while the Hessian is formed: 8 MB."""

STEP_TOLERANCE = 1e-3
"""The line search ends at this share of the initial slope."""

ROUNDING = 1e-13
"""Share of the first gradient below which only rounding error is left."""


@dataclass(frozen=True, eq=False)
class Solution:
    """The minimum. f is strongly convex (½|w|²), so f(w) - min f ≤ ½|gradient|²; `gap` is that bound divided by f(w),
    valid up to the rounding of f(w) itself."""

    weights: FloatArray
    objective: float
    gradient_norm: float
    gap: float
    num_steps: int


@dataclass(frozen=True, eq=False)
class Hinges:
    """Sums over pairs at given scores."""

    score: FloatArray
    order: IntArray
    loss: float
    slope: FloatArray
    open_pairs: FloatArray

    @classmethod
    def at(cls, data: PairData, score: FloatArray) -> Hinges:
        order = data.by_score(score)
        return cls(score, order, *kernels.hinge_sums(score, order, data.grade, data.bounds, data.weight))

    def laplacian_times(self, data: PairData, values: FloatArray) -> FloatArray:
        """Return L·values, for a column of values."""
        differences = kernels.pair_differences(
            self.score, self.order, data.grade, data.bounds, data.weight, self.open_pairs, values[:, None]
        )
        return np.asarray(differences[:, 0])

    def hessian(self, data: PairData, C: float) -> FloatArray:
        """Return I + 2C XᵀLX, summed over blocks of whole queries."""
        columns = data.features.shape[1]
        total = np.zeros((columns, columns))
        for first, last in _blocks(data.bounds, max(1, BLOCK // max(columns, 1))):
            begin, end = data.bounds[first], data.bounds[last]
            differences = kernels.pair_differences(
                self.score[begin:end],
                self.order[begin:end] - begin,
                data.grade[begin:end],
                data.bounds[first : last + 1] - begin,
                data.weight[first:last],
                self.open_pairs[begin:end],
                data.features[begin:end],
            )
            total += data.features[begin:end].T @ differences
        total *= 2 * C
        total.flat[:: columns + 1] += 1
        return total


def minimise(data: PairData, C: float, *, tol: float, max_iter: int, solver: Solver | None = None) -> Solution:
    """Minimise f to a gap of `tol`; an error if that is not reached."""
    if solver is None:
        solver = "hessian" if data.features.shape[1] <= HESSIAN_UP_TO else "conjugate gradients"
    weights = np.zeros(data.features.shape[1])
    hinges = Hinges.at(data, np.zeros(len(data.features)))
    first_norm = math.inf
    for num_steps in range(max_iter + 1):
        objective = 0.5 * float(weights @ weights) + C * hinges.loss
        gradient = weights + 2 * C * hinges.slope @ data.features
        squared_norm = float(gradient @ gradient)
        if not math.isfinite(squared_norm) or not math.isfinite(objective):
            problem = f"the objective overflows: features reach {np.abs(data.features).max():g}, C = {C:g}"
            raise GermaneError(problem, hint="scale the features, or use a smaller C")
        norm = math.sqrt(squared_norm)
        gap = 0.5 * squared_norm / objective if objective > 0 else 0.0
        if num_steps == 0:
            first_norm = norm
        if gap <= tol or norm <= ROUNDING * first_norm:
            return Solution(weights, objective, norm, gap, num_steps)
        if solver == "hessian":
            direction = _newton_direction(hinges.hessian(data, C), gradient)
        else:
            direction = _conjugate_gradients(data, hinges, C, gradient, norm / first_norm)
        along = data.features @ direction
        step, hinges = _line_search(data, hinges, C, weights, direction, along, float(gradient @ direction))
        weights = weights + step * direction
    hint = "use a larger max_iter, a larger tol, a smaller C or scaled features"
    raise GermaneError(
        f"the ranking SVM did not converge within {max_iter} steps (relative gap {gap:g}, tolerance {tol:g})", hint=hint
    )


def _newton_direction(hessian: FloatArray, gradient: FloatArray) -> FloatArray:
    """Solve hessian·direction = -gradient; the Hessian is overwritten."""
    from scipy.linalg import LinAlgError, cho_factor, cho_solve

    try:
        factor = cho_factor(hessian, overwrite_a=True, check_finite=False)
    except LinAlgError:
        hint = "scale the features, which may differ too much in size, or use a smaller C"
        raise GermaneError("the Hessian is not positive definite after rounding", hint=hint) from None
    return np.asarray(cho_solve(factor, -gradient, check_finite=False))


def _line_search(
    data: PairData,
    hinges: Hinges,
    C: float,
    weights: FloatArray,
    direction: FloatArray,
    along: FloatArray,
    first_slope: float,
) -> tuple[float, Hinges]:
    """Minimise f along a line by Newton's method in one dimension, within a bracket."""
    start, turn = float(weights @ direction), float(direction @ direction)
    low, high, step = 0.0, math.inf, 1.0
    while True:
        found = Hinges.at(data, hinges.score + step * along)
        slope = start + step * turn + 2 * C * float(found.slope @ along)
        if abs(slope) <= STEP_TOLERANCE * abs(first_slope) or not low < step < high:
            return step, found
        low, high = (low, step) if slope > 0 else (step, high)
        curvature = turn + 2 * C * float(along @ found.laplacian_times(data, along))
        step -= slope / curvature
        if not low < step < high:
            step = 2 * low if math.isinf(high) else (low + high) / 2


def _conjugate_gradients(data: PairData, hinges: Hinges, C: float, gradient: FloatArray, progress: float) -> FloatArray:
    """Return Newton's direction by products with the Hessian, more exactly near the minimum.

    The preconditioner is the Hessian's diagonal without cross terms of pairs, which are small for centred rows.
    """
    diagonal = 1 + 2 * C * np.einsum("i,ij,ij->j", hinges.open_pairs, data.features, data.features)
    direction = np.zeros(len(gradient))
    residual = -gradient
    scaled = residual / diagonal
    search = scaled
    size = float(residual @ scaled)
    enough = size * min(0.1, math.sqrt(progress)) ** 2
    for _ in range(2 * len(gradient)):
        along = hinges.laplacian_times(data, data.features @ search)
        product = search + 2 * C * along @ data.features
        length = size / float(search @ product)
        direction += length * search
        residual = residual - length * product
        scaled = residual / diagonal
        before, size = size, float(residual @ scaled)
        if size <= enough:
            break
        search = scaled + (size / before) * search
    return direction


def _blocks(bounds: IntArray, most_rows: int) -> list[tuple[int, int]]:
    """Return ranges of whole queries with at most `most_rows` rows, but at least one query each."""
    blocks, first = [], 0
    while first < len(bounds) - 1:
        last = max(first + 1, int(np.searchsorted(bounds, bounds[first] + most_rows, side="right")) - 1)
        blocks.append((first, last))
        first = last
    return blocks
