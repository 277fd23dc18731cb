"""Differences between slices: two sets of different items of one classifier, independent or in shared clusters."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace

import numpy as np

from germane.stats.groups.cluster_bootstrap import ClusterKinds, cluster_cells
from germane.stats.groups.clustered_auc import Deviations
from germane.stats.intervals.cell_bootstrap import Draws, Kinds
from germane.stats.intervals.cells import row_kinds
from germane.stats.intervals.clustered import CLUSTERS, effective_size, quantile_of_clusters, sums_by_cluster
from germane.stats.intervals.many_classes import Influenced
from germane.stats.intervals.proportions import newcombe_difference, normal_quantile
from germane.stats.significance.outcomes import PairedDifference
from germane.stats.significance.paired_classifiers import bootstrap_differences
from germane.tables.columns.ids import BoolArray, FloatArray, IntArray

CLUSTER_T = "cluster t"
LEAST_SIZE = 2.0
"""Number of independent items, on both sides together, that clusters must be worth for a test."""
NO_SPREAD = "neither side varies, so the difference has no spread"
TINY = 1e-15
"""Spread, as a variance or a range, up to which a side does not vary but for rounding."""
ONE_SIDE = "one side does not vary, so its uncertainty is unknown"


def difference_of_proportions(
    a: tuple[float, float], b: tuple[float, float], *, level: float = 0.95
) -> PairedDifference:
    """Test two independent proportions, given as successes and trials, by the N − 1 chi-squared test (b − a).

    Formula:    χ² = (p_b − p_a)² / (p(1 − p)(1/n_a + 1/n_b)) · (N − 1)/N with one degree of freedom, p the pooled
        proportion of all N items; Newcombe's interval
    Reference:  Campbell, Statistics in Medicine 26 (2007), 3661-3675; Newcombe, the same 17 (1998), 873-890, method 10.
    Edge cases: no successes on either side, or only successes: p = 1.

    >>> found = difference_of_proportions((48, 80), (56, 70))
    >>> round(found.difference, 4), round(found.low, 4), round(found.high, 4), round(found.p, 4)
    (0.2, 0.0524, 0.3339, 0.0083)
    """
    (x, m), (y, n) = a, b
    difference, pooled = y / n - x / m, (x + y) / (m + n)
    low, high = (float(end) for end in newcombe_difference((y, n), (x, m), level))
    spread = pooled * (1 - pooled) * (1 / m + 1 / n)
    statistic = 0.0 if not spread else difference**2 / spread * (m + n - 1) / (m + n)
    p = math.erfc(math.sqrt(statistic / 2))
    return PairedDifference(difference, low, high, p, statistic, "chi-squared", "newcombe")


def difference_of_clustered_proportions(
    successes: FloatArray, trials: FloatArray, is_b: BoolArray, clusters: IntArray, *, level: float = 0.95
) -> PairedDifference:
    """Test two proportions of items in clusters, given for each item whether it is a success and a trial.

    Formula:    if no cluster is on both sides, the test and the interval of independent proportions with the successes
        and trials of as many independent items as carry the same information; otherwise `difference_of_ratios`
    Reference:  Rao & Scott, Biometrics 48 (1992), 577-585.

    >>> right, is_b = np.tile([1.0, 0, 1, 1, 1, 0, 1, 1], 4), np.arange(32) > 15
    >>> found = difference_of_clustered_proportions(right, np.ones(32), is_b, np.arange(32) // 2)
    >>> found.difference, found.test, found.interval
    (0.0, 'rao-scott', 'newcombe, clusters')
    """
    num = int(clusters.max()) + 1
    sides, shares = [], []
    for side in (~is_b, is_b):
        y, n = (sums_by_cluster(each[side], clusters[side], num) for each in (successes, trials))
        sides.append((y, n, float(np.count_nonzero(trials[side]))))
        shares.append(float(y.sum() / n.sum()))
    if ((sides[0][1] > 0) & (sides[1][1] > 0)).any():
        return difference_of_ratios(successes, trials, is_b, clusters, level=level, bound=1.0)
    if any((n > 0).sum() < 2 for _, n, _ in sides):
        return PairedDifference(shares[1] - shares[0], remark="one side has a single cluster")
    sizes = [effective_size(y[n > 0], n[n > 0], rows, level) for y, n, rows in sides]
    if sum(sizes) < LEAST_SIZE:
        return PairedDifference(shares[1] - shares[0], remark="clusters hold the information of fewer than two items")
    counts = [(share * size, size) for share, size in zip(shares, sizes, strict=True)]
    found = difference_of_proportions(counts[0], counts[1], level=level)
    return replace(found, difference=shares[1] - shares[0], test="rao-scott", interval=f"newcombe, {CLUSTERS}")


def difference_of_ratios(
    values: FloatArray,
    sizes: FloatArray,
    is_b: BoolArray,
    clusters: IntArray,
    *,
    level: float = 0.95,
    bound: float = math.inf,
) -> PairedDifference:
    """Test the ratio Σ values/Σ sizes of the items of b against that of the others, by the t test over clusters.

    A cluster may have items on both sides. No difference is larger than `bound`.

    Formula:    each cluster adds u = Σ_b (y − r_b n)/Σ_b n − Σ_a (y − r_a n)/Σ_a n; variance G/(G − 1) Σ u²
    Reference:  Cochran, Sampling Techniques, 3rd edition, Wiley 1977, section 6.3.

    >>> found = difference_of_ratios(np.asarray([1.0, 0, 1, 1, 1, 0]), np.ones(6), np.arange(6) > 2, np.arange(6))
    >>> found.difference, found.test
    (0.0, 'cluster t')
    """
    num = int(clusters.max()) + 1
    moved = np.zeros(num)
    ratios, spreads = [], []
    for side, sign in ((~is_b, -1), (is_b, 1)):
        total = float(sizes[side].sum())
        ratios.append(float(values[side].sum()) / total)
        left = (values[side] - ratios[-1] * sizes[side]) / total
        moved += sign * sums_by_cluster(left, clusters[side], num)
        spreads.append(float(left @ left))
    taking_part = int((sums_by_cluster(sizes, clusters, num) > 0).sum())
    found = _by_t(ratios[1] - ratios[0], moved, taking_part, level, bound)
    still = _still(*spreads) if found.test != "none" else ""
    return PairedDifference(found.difference, remark=still) if still else found


def difference_of_means(a: FloatArray, b: FloatArray, *, level: float = 0.95) -> PairedDifference:
    """Test the means of two independent sets of losses by Welch's t test (b − a).

    Reference:  Welch, Biometrika 34 (1947), 28-35.

    >>> found = difference_of_means(np.asarray([0.1, 0.2, 0.3]), np.asarray([0.3, 0.5, 0.4]))
    >>> round(found.difference, 4), round(found.p, 4)
    (0.2, 0.0705)
    """
    from scipy.special import stdtr, stdtrit

    difference = float(b.mean() - a.mean())
    if min(len(a), len(b)) < 2:
        return PairedDifference(difference, remark="a variance requires two items on each side")
    parts = [float(side.var(ddof=1)) / len(side) for side in (a, b)]
    if still := _still(*parts):
        return PairedDifference(difference, remark=still)
    error = math.sqrt(sum(parts))
    df = sum(parts) ** 2 / sum(part**2 / (len(side) - 1) for part, side in zip(parts, (a, b), strict=True))
    half = float(stdtrit(df, (1 + level) / 2)) * error
    t = difference / error
    p = float(2 * stdtr(df, -abs(t)))
    return PairedDifference(difference, difference - half, difference + half, p, t, "welch", "welch")


def difference_of_aucs(a: Deviations, b: Deviations, *, clustered: bool, level: float = 0.95) -> PairedDifference:
    """Test two AUCs of different items (b − a): by DeLong's variances, or Obuchowski's over shared clusters."""
    difference = b.value - a.value
    if few := a.too_few or b.too_few:
        return PairedDifference(difference, remark=few.replace("Obuchowski's variance", "the variance"))
    if still := _still(a.variance, b.variance):
        return PairedDifference(difference, remark=still)
    if clustered:
        taking_part = sum(side.positive_sizes + side.negative_sizes for side in (a, b)) > 0
        found = _by_t(difference, b.influence - a.influence, int(np.count_nonzero(taking_part)), level, 1.0)
        return replace(found, test="obuchowski") if found.test != "none" else found
    return _by_z(difference, a.variance + b.variance, level, "delong")


def difference_of_areas(
    a: Influenced, b: Influenced, clusters: tuple[IntArray, IntArray] | None, *, level: float = 0.95, test: str
) -> PairedDifference:
    """Test two areas of several classes on different items (b − a), from the influence of each item.

    `clusters` has the cluster of each item of a and of b, which may be on both sides.
    """
    difference = b.value - a.value
    if still := _still(a.variance, b.variance):
        return PairedDifference(difference, remark=still)
    if clusters is None:
        variance = a.variance + b.variance
        if math.isnan(variance):
            return PairedDifference(difference, remark="a class has only one item: the variance requires two of each")
        return _by_z(difference, variance, level, test)
    num = 1 + max(int(codes.max()) for codes in clusters)
    moved, there = np.zeros(num), np.zeros(num, dtype=np.bool_)
    for side, codes, sign in zip((a, b), clusters, (-1, 1), strict=True):
        moved += sign * sums_by_cluster(side.counts * side.influence, codes, num) / float(side.counts.sum())
        there[codes] = True
    found = _by_t(difference, moved, int(there.sum()), level, 1.0)
    return replace(found, test=f"{test} of clusters") if found.test != "none" else found


def bootstrap_of_cells(
    statistic: Callable[[FloatArray], FloatArray],
    cells: IntArray,
    is_b: BoolArray,
    num_cells: int,
    clusters: IntArray | None,
    weights: FloatArray | None,
    draws: Draws,
) -> PairedDifference:
    """Return the bootstrap of the difference of a statistic of cells: items are resampled on each side, or clusters.

    `statistic` takes resamples × cells.
    """
    codes = cells + num_cells * is_b
    if clusters is not None:
        kinds: Kinds = ClusterKinds.of_table(cluster_cells(codes, clusters, 2 * num_cells, weights))
    elif weights is not None:
        rows = row_kinds(codes, weights, 2 * num_cells)
        kinds = replace(rows, strata=rows.targets[:, 0] // num_cells)
    else:
        counts = np.bincount(codes, minlength=2 * num_cells)
        kinds = Kinds.of_cells(counts, np.repeat([0, 1], num_cells))

    of_a, of_b = _Resampled(), _Resampled()

    def difference(drawn: FloatArray) -> FloatArray:
        with np.errstate(divide="ignore", invalid="ignore"):
            return of_b.noted(statistic(drawn[:, num_cells:])) - of_a.noted(statistic(drawn[:, :num_cells]))

    found = bootstrap_differences(difference, kinds, draws)[0]
    return _named(found, _still(of_a.range, of_b.range), clusters is not None)


def bootstrap_of_items(
    statistics: tuple[Callable[[FloatArray], float], Callable[[FloatArray], float]],
    is_b: BoolArray,
    clusters: IntArray | None,
    draws: Draws,
) -> PairedDifference:
    """Return the bootstrap of the difference of two statistics, each of how often the items of its side are drawn."""
    strata = is_b.astype(np.int64) if clusters is None else None
    units = np.arange(len(is_b)) if clusters is None else clusters
    num = int(units.max()) + 1
    kinds = Kinds(np.ones(num, dtype=np.int64), np.arange(num)[:, None], num, strata=strata)
    of_a, of_b = _Resampled(), _Resampled()

    def difference(drawn: FloatArray) -> FloatArray:
        a, b = (
            np.asarray([statistic(each[units][side]) for each in drawn])
            for statistic, side in zip(statistics, (~is_b, is_b), strict=True)
        )
        return of_b.noted(b) - of_a.noted(a)

    found = bootstrap_differences(difference, kinds, {"method": "percentile", **draws})[0]
    return _named(found, _still(of_a.range, of_b.range), clusters is not None)


class _Resampled:
    """The lowest and the highest value that resamples of one side gave."""

    def __init__(self) -> None:
        self._low, self._high = math.inf, -math.inf

    def noted(self, values: FloatArray) -> FloatArray:
        """Take note of some values, and return them."""
        there = values[np.isfinite(values)]
        if len(there):
            self._low, self._high = min(self._low, float(there.min())), max(self._high, float(there.max()))
        return values

    @property
    def range(self) -> float:
        """Distance of the highest from the lowest; 0 without finite values."""
        return max(0.0, self._high - self._low)


def _still(spread_a: float, spread_b: float) -> str:
    """Return why sides that do not vary have no test; an empty text if both vary.

    A side where all items are right may still be wrong elsewhere: a spread of 0 is not certainty.
    """
    still = [spread <= TINY for spread in (spread_a, spread_b)]
    return NO_SPREAD if all(still) else ONE_SIDE if any(still) else ""


def _by_t(
    difference: float, moved: FloatArray, num_clusters: int, level: float, bound: float = math.inf
) -> PairedDifference:
    from scipy.special import stdtr

    if num_clusters < 2:
        return PairedDifference(difference, remark="all items are in one cluster")
    error = math.sqrt(num_clusters / (num_clusters - 1) * float(moved @ moved))
    if error <= 1e-12:
        return PairedDifference(difference, remark=NO_SPREAD)
    t, half = difference / error, quantile_of_clusters(level, num_clusters) * error
    low, high = max(-bound, difference - half), min(bound, difference + half)
    return PairedDifference(
        difference, low, high, float(2 * stdtr(num_clusters - 1, -abs(t))), t, CLUSTER_T, f"t, {CLUSTERS}"
    )


def _by_z(difference: float, variance: float, level: float, test: str) -> PairedDifference:
    error = math.sqrt(max(variance, 0.0))
    if error <= 1e-12:
        return PairedDifference(difference, remark=NO_SPREAD)
    z, half = difference / error, normal_quantile(level) * error
    low, high = max(-1.0, difference - half), min(1.0, difference + half)
    return PairedDifference(difference, low, high, math.erfc(abs(z) / math.sqrt(2)), z, test, test)


def _named(found: PairedDifference, still: str, clustered: bool) -> PairedDifference:
    if found.test == "none":
        return found
    if still:
        return PairedDifference(found.difference, remark=still)
    test = "cluster bootstrap" if clustered else "bootstrap"
    return replace(found, test=test, interval=f"{found.interval}, {CLUSTERS}" if clustered else found.interval)
