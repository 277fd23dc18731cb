"""Intervals of proportions and means of items in clusters (pictures of one patient), which are not independent.

Both are ratios of sums over clusters, Σy/Σn, whose variance compares clusters and not items. Intervals for independent
items are the special case of clusters with one item each.
"""

from __future__ import annotations

import math

import numpy as np

from germane.errors import GermaneError
from germane.stats.intervals.bootstrap_ends import near_to
from germane.stats.intervals.proportions import PROPORTION_INTERVALS, require_level
from germane.stats.intervals.scores import UNBOUNDED, bounded_ends
from germane.tables.columns.ids import FloatArray, IntArray
from germane.tables.results.performance import Estimate

FEW_CLUSTERS = 10
"""Number of clusters below which intervals are unreliable: their variance has too few degrees of freedom."""
CLUSTERS = "clusters"
"""Suffix of the method of every interval that accounts for clusters."""
ONE_CLUSTER = "all items are in one cluster, so the spread between clusters is unknown"


def sums_by_cluster(values: FloatArray, clusters: IntArray, num_clusters: int) -> FloatArray:
    """Return the sum of the values of each cluster; `clusters` has the cluster of each item, from 0.

    >>> sums_by_cluster(np.asarray([1.0, 2.0, 4.0]), np.asarray([0, 1, 0]), 2).tolist()
    [5.0, 2.0]
    """
    return np.bincount(clusters, weights=values, minlength=num_clusters).astype(np.float64)


def quantile_of_clusters(level: float, num_clusters: int) -> float:
    """Return the two-sided quantile of Student's t with a degree of freedom less than there are clusters."""
    from scipy.special import stdtrit

    return float(stdtrit(num_clusters - 1, (1 + level) / 2))


def ratio_variance(sums: FloatArray, sizes: FloatArray) -> float:
    """Return the variance of Σy/Σn over clusters that were sampled at random; there must be two.

    Formula:    G/(G − 1) · Σ (y − r n)² / (Σn)², r = Σy/Σn, over the G clusters with n > 0
    Reference:  Cochran, Sampling Techniques, 3rd edition, Wiley 1977, section 6.3; Rao & Scott, Biometrics 48 (1992),
        577-585.

    >>> round(ratio_variance(np.asarray([1.0, 0.0, 1.0, 1.0]), np.ones(4)), 4)          # s²/n of 1, 0, 1, 1
    0.0625
    """
    there = sizes > 0
    y, n = sums[there], sizes[there]
    total, num = n.sum(), len(n)
    left = y - y.sum() / total * n
    return float(num / (num - 1) * (left @ left) / total**2)


def proportion_of_clusters(
    successes: FloatArray,
    trials: FloatArray,
    *,
    items: float | None = None,
    method: str = "wilson",
    level: float = 0.95,
) -> Estimate:
    """Return a proportion with its interval, from the sums of successes and of trials of each cluster.

    The interval is that of as many independent items as carry the same information. `items` is the number of items
    with a trial, where trials are sums of weights.

    Formula:    the interval of n* items, n* = n/deff · (t(n − 1)/t(G − 1))², at most n; deff is the variance of
        Σy/Σn over clusters, divided by p(1 − p)/(n − 1), and t(df) is Student's quantile
    Reference:  Rao & Scott, Biometrics 48 (1992), 577-585; Korn & Graubard, Survey Methodology 24 (1998), 193-201;
        Donner & Klar, Journal of Clinical Epidemiology 46 (1993), 123-131.
    Edge cases: clusters of one item give the interval of independent items. All successes, or none: n* is the number of
        clusters, as if each were one item. One cluster: no interval.

    >>> found = proportion_of_clusters(np.asarray([3.0, 0.0, 3.0, 2.0]), np.asarray([3.0, 3.0, 3.0, 3.0]))
    >>> round(found.value, 4), round(found.low, 4), round(found.high, 4), found.method
    (0.6667, 0.1641, 0.9532, 'wilson, clusters')
    >>> proportion_of_clusters(np.ones(8), np.ones(8)).low == PROPORTION_INTERVALS["wilson"](8, 8)[0].item()
    True
    """
    require_level(level)
    there = trials > 0
    y, n = successes[there], trials[there]
    if not len(n):
        return Estimate(math.nan, remark="undefined for these counts")
    value = float(y.sum() / n.sum())
    if len(n) < 2:
        return Estimate(value, remark=ONE_CLUSTER)
    size = float(n.sum() if items is None else items)
    all_or_none, effective = _is_all_or_none(y, n), effective_size(y, n, size, level)
    low, high = PROPORTION_INTERVALS[method](value * effective, effective, level)
    remark = (
        f"the same in all clusters, so each of {len(n)} counts as one item" if all_or_none and size > len(n) else ""
    )
    return Estimate(value, low.item(), high.item(), f"{method}, {CLUSTERS}", remark)


def mean_of_clusters(
    losses: FloatArray,
    clusters: IntArray,
    weights: FloatArray | None = None,
    *,
    level: float = 0.95,
    bounds: tuple[float, float] = UNBOUNDED,
) -> Estimate:
    """Return a mean of losses with Student's interval for the clusters, kept within the bounds.

    Formula:    mean ± t(G − 1) · √variance of Σy/Σn over G clusters, on the log or logit scale where there are bounds
    Edge cases: clusters of one item give Student's interval. If all clusters have the same mean, there is no interval.

    >>> found = mean_of_clusters(np.asarray([0.1, 0.3, 0.2, 0.6, 0.5]), np.asarray([0, 0, 1, 2, 2]))
    >>> round(found.value, 4), round(found.low, 4), round(found.high, 4), found.method
    (0.34, -0.2121, 0.8921, 't, clusters')
    """
    require_level(level)
    _require_a_cluster_each(losses, clusters)
    weights = np.ones(len(losses)) if weights is None else weights
    there = weights > 0
    if not there.any():
        return Estimate(math.nan, remark="no items")
    if not np.isfinite(losses[there]).all():
        value = float(losses[there][~np.isfinite(losses[there])].sum())
        return Estimate(value, remark="undefined for some items" if math.isnan(value) else "infinite")
    num = int(clusters.max()) + 1
    sums, sizes = (sums_by_cluster(each, clusters, num) for each in (np.where(there, losses, 0) * weights, weights))
    value, num_there = float(sums.sum() / sizes.sum()), int((sizes > 0).sum())
    if num_there < 2:
        return Estimate(value, remark=ONE_CLUSTER)
    error = math.sqrt(ratio_variance(sums, sizes))
    if error <= near_to(value):
        return Estimate(value, method="degenerate", remark=f"every cluster gives {value:.4g}")
    low, high, scale = bounded_ends(value, error, quantile_of_clusters(level, num_there), bounds)
    return Estimate(value, low, high, ", ".join(filter(None, ["t", scale, CLUSTERS])))


def effective_size(y: FloatArray, n: FloatArray, size: float, level: float) -> float:
    """Return the number of independent items with the same information as two clusters or more; see above.

    >>> effective_size(np.asarray([1.0, 1.0]), np.asarray([1.0, 1.0]), 2, 0.95)
    2.0
    """
    from scipy.special import stdtrit

    if _is_all_or_none(y, n):
        return float(len(n))
    share = y.sum() / n.sum()
    variance = ratio_variance(y, n)
    if variance <= 0:
        return size
    independent = float(share * (1 - share) / (size - 1))
    widened = float(stdtrit(size - 1, (1 + level) / 2)) / quantile_of_clusters(level, len(n))
    return min(size, size * independent / variance * widened**2)


def _is_all_or_none(y: FloatArray, n: FloatArray) -> bool:
    return not y.any() or bool((y == n).all())


def _require_a_cluster_each(values: FloatArray, clusters: IntArray) -> None:
    if values.shape != clusters.shape:
        raise GermaneError(f"expected a cluster for each of {len(values)} items, found {len(clusters)}")
