"""Max-T: p-values adjusted by the joint distribution of all |t| of a family, which accounts for correlated tests.

A sign flip negates the differences of a query in all columns at once. The single-step version flips the centred
differences, so that one distribution serves every hypothesis, and gives simultaneous intervals. The step-down version
flips the differences themselves, which is exact under the global null hypothesis, but gives no intervals.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import numpy.typing as npt

from germane.errors import GermaneError
from germane.stats.intervals.resampling import EXACT_UP_TO, require_draws, sign_flips
from germane.stats.significance.columns import EQUAL, column_means, standard_errors
from germane.stats.significance.outcomes import SAME, p_of_draws
from germane.tables.columns.ids import BoolArray, FloatArray, IntArray


@dataclass(frozen=True, eq=False)
class MaxT:
    """Single-step max-T of a family by the wild bootstrap: adjusted p-values and matching simultaneous intervals.

    Formula:    p = (b + 1) / (B + 1), where in b of B flips the largest |t| of the family, of the centred differences
        with signs flipped by query, reaches this |t|; up to 20 queries, all flips are enumerated.
        Interval: mean ± c·s/√n, where c is the largest |t| that is not significant
    Reference:  Wu, Annals of Statistics 1986; Chernozhukov, Chetverikov & Kato, Annals of Statistics 2013.
    Edge cases: a NaN difference is a query missing from the column; a column of only NaN gives NaN. A column of zeros
        has p = 1; constant differences other than 0 have no spread, and p is NaN.

    >>> MaxT(np.asarray([[1.0, 0], [2, 1], [3, 2]])).p          # 2 of 4 flips, and the data, reach the second |t|
    array([0.2, 0.6])
    """

    differences: FloatArray
    resamples: int = 100_000
    seed: int = 0

    @cached_property
    def p(self) -> FloatArray:
        """The adjusted p-value of each column."""
        observed, largest = self._family, self._largest
        adjusted = observed.untested
        reached = len(largest) - np.searchsorted(largest, observed.observed * (1 - SAME), side="left")
        adjusted[observed.tested] = p_of_draws(reached.astype(np.float64), len(largest))
        adjusted[self._without_spread] = np.nan
        return adjusted

    def intervals(self, alpha: float) -> tuple[FloatArray, FloatArray]:
        """Return the limits of each column's interval; NaN if there are too few flips to bound it."""
        family, largest = self._family, self._largest
        low = np.where(np.isnan(family.untested), np.nan, 0.0)
        high = low.copy()
        # At most this many flips may reach a significant |t|; the next one is the largest that is not significant.
        allowed = int(alpha * (len(largest) + 1) * (1 + SAME)) - 1
        for place, column in enumerate(family.tested):
            values = self.differences[~np.isnan(self.differences[:, column]), column]
            critical = family.t(float(largest[-1 - allowed]), place) if 0 <= allowed < len(largest) else np.inf
            mean, error = float(column_means(values)), float(standard_errors(values))
            half = 0.0 if self._without_spread[column] else critical * error
            low[column], high[column] = (mean - half, mean + half) if np.isfinite(half) else (np.nan, np.nan)
        return low, high

    @cached_property
    def _family(self) -> _Family:
        return _Family.of(self.differences, self.resamples)

    @cached_property
    def _without_spread(self) -> BoolArray:
        """Columns of constant differences other than 0."""
        known = np.nanmax(np.abs(self.differences), axis=0, initial=0.0)
        low, high = (
            np.nanmin(self.differences, axis=0, initial=np.inf),
            np.nanmax(self.differences, axis=0, initial=-np.inf),
        )
        return np.asarray((known > 0) & (high - low <= EQUAL * known))

    @cached_property
    def _largest(self) -> FloatArray:
        """The largest statistic of each flip, ascending."""
        num_known = np.maximum(np.count_nonzero(~np.isnan(self.differences), axis=0), 1)
        means = np.nan_to_num(self.differences, nan=0.0).sum(axis=0) / num_known
        left = np.where(self._without_spread, 0.0 * self.differences, self.differences - means)
        family = _Family.of(left, self.resamples, like=self._family)
        if not len(family.tested):
            return np.zeros(1)
        return np.sort(np.concatenate([block.max(axis=1) for block in family.flipped(self.resamples, self.seed)]))


def step_down_max_t(differences: npt.ArrayLike, resamples: int = 100_000, seed: int = 0) -> FloatArray:
    """Adjust p-values by step-down max-T: exact under the global null hypothesis, without intervals.

    Formula:    for the i-th largest |t|: p = the share of flips in which the largest of the i-th to the last |t|,
        recomputed after the flip, reaches it, and no less than the p before it
        (every query's sign is flipped in all columns at once; (b + 1) / (B + 1) for random flips; all 2^n flips up to
        20 queries)
    Reference:  Westfall & Young, Resampling-Based Multiple Testing, Wiley 1993, algorithm 2.8.
    Edge cases: as for max-t; constant differences make |t| infinite, which no other |t| exceeds.

    >>> step_down_max_t([[1, 0], [2, 1], [3, 2]])     # 2 of 8 flips bring any |t| to the first's, 4 the second's to it
    array([0.25, 0.5 ])
    """
    family = _Family.of(np.asarray(differences, dtype=np.float64), resamples)
    adjusted = family.untested
    if not len(family.tested):
        return adjusted
    order = np.argsort(family.observed, kind="stable")  # smallest first, for the running maximum
    ordered = family.reordered(order)
    threshold = ordered.observed * (1 - SAME)
    reached = np.zeros(len(order), dtype=np.int64)
    made = 0
    for flipped in ordered.flipped(resamples, seed):
        np.maximum.accumulate(flipped, axis=1, out=flipped)
        reached += np.count_nonzero(flipped >= threshold, axis=0)
        made += len(flipped)
    p = np.empty(len(order))
    share = reached / made if len(family.unit) <= EXACT_UP_TO else p_of_draws(reached.astype(np.float64), made)
    p[order[::-1]] = np.maximum.accumulate(share[::-1])
    adjusted[family.tested] = p
    return adjusted


@dataclass(frozen=True, eq=False)
class _Family:
    """The testable columns, each scaled to length 1, and a statistic that increases with |t|."""

    unit: FloatArray
    num_known: IntArray
    tested: IntArray
    untested: FloatArray
    """p-value of each column that cannot be tested: 1 if nothing differs, NaN if nothing is known."""
    same_queries: bool
    """Whether all columns have the same number of queries, so that the statistic needs no division."""

    @classmethod
    def of(cls, differences: FloatArray, resamples: int, like: _Family | None = None) -> _Family:
        """Prepare the columns; `like` is a family whose statistic to use."""
        if differences.ndim != 2 or len(differences) < 2:
            problem = f"expected differences on at least two queries, found shape {differences.shape}"
            hint = "use rows for queries, columns for the pairs of systems (and measures) of the family"
            raise GermaneError(problem, hint=hint)
        require_draws(resamples)
        known = np.nan_to_num(differences, nan=0.0)
        length = np.sqrt(np.sum(known**2, axis=0))
        tested = np.flatnonzero(length > 0)
        num_known = np.count_nonzero(~np.isnan(differences[:, tested]), axis=0).astype(np.int64)
        untested = np.where(np.isnan(differences).all(axis=0), np.nan, 1.0)
        same_queries = bool((num_known == num_known[:1]).all()) if like is None else like.same_queries
        return cls(known[:, tested] / length[tested], num_known, tested, untested, same_queries)

    @property
    def observed(self) -> FloatArray:
        return self._statistic(np.abs(np.sum(self.unit, axis=0)))

    def reordered(self, order: IntArray) -> _Family:
        return replace(self, unit=np.ascontiguousarray(self.unit[:, order]), num_known=self.num_known[order])

    def flipped(self, resamples: int, seed: int) -> Iterator[FloatArray]:
        """Yield blocks of the statistics after each flip."""
        blocks = sign_flips(len(self.unit), resamples, seed, columns=self.unit.shape[1])
        return (self._statistic(np.abs(signs @ self.unit)) for signs in blocks)

    def t(self, statistic: float, place: int) -> float:
        """Return the |t| of a column at which the statistic has this value."""
        n = int(self.num_known[place])
        if not self.same_queries:
            return float(np.sqrt(statistic))
        left = n - statistic**2
        return float(np.sqrt((n - 1) * statistic**2 / left)) if left > SAME * n else float("inf")

    def _statistic(self, along: FloatArray) -> FloatArray:
        """Return a statistic that increases with |t|: t² / (n - 1) = c² / (n - c²), c = |sum of the unit vector|.

        A flip keeps the length of the vector, so |t| increases with c. If all columns have the same number of queries,
        c itself gives the same order, without a division and finite even without variation.
        """
        if self.same_queries:
            return along
        squared = along**2
        left = self.num_known - squared
        # |t| above a thousand counts as infinite: the remaining variation is close to rounding
        left[left < 1e-6 * self.num_known] = 0.0
        with np.errstate(divide="ignore"):
            return np.asarray((self.num_known - 1) * squared / left)
