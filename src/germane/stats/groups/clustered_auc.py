"""The area under the ROC curve of items in clusters, for one system or the difference of two on the same items.

Formula:    V10 and V01 as in DeLong's variance; a cluster adds Σ V10 over its positives and Σ V01 over its negatives.
    With A = AUC, m positives, n negatives, and I10, I01 and I clusters with positives, with negatives and in all:
    S10 = I10/((I10 − 1) m) Σ (ΣV10 − mᵢ A)², likewise S01, S11 = I/(I − 1) Σ (ΣV10 − mᵢ A)(ΣV01 − nᵢ A);
    variance = S10/m + S01/n + 2 S11/(mn)
Reference:  Obuchowski, Biometrics 53 (1997), 567-578.

Clusters with one item each give DeLong's variance. Weights count in the shares and in m and n.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from germane.errors import GermaneError
from germane.stats.intervals.clustered import CLUSTERS, ONE_CLUSTER, quantile_of_clusters, sums_by_cluster
from germane.stats.intervals.delong import AucScale
from germane.stats.intervals.proportions import normal_quantile, require_level
from germane.stats.intervals.scores import bounded_ends
from germane.stats.significance.outcomes import PairedDifference
from germane.tables.columns.ids import BoolArray, FloatArray, IntArray
from germane.tables.notes.counts import counted
from germane.tables.results.performance import Estimate


class Deviations(NamedTuple):
    """An area, and what each cluster's positives and negatives deviate from it, each with their total weight.

    The differences of two such tables are those of the difference of two areas.
    """

    value: float
    positives: FloatArray
    negatives: FloatArray
    positive_sizes: FloatArray
    negative_sizes: FloatArray

    def less(self, other: Deviations) -> Deviations:
        """Return the deviations of the difference of two areas on the same items."""
        return self._replace(
            value=self.value - other.value,
            positives=self.positives - other.positives,
            negatives=self.negatives - other.negatives,
        )

    @property
    def too_few(self) -> str:
        """Why there is no variance; empty if there is one."""
        with_positives, with_negatives = (int((s > 0).sum()) for s in (self.positive_sizes, self.negative_sizes))
        if min(with_positives, with_negatives) >= 2:
            return ""
        found = f"{counted(with_positives, 'cluster')} with positives and {with_negatives} with negatives"
        return f"{found}: Obuchowski's variance requires two of each"

    @property
    def variance(self) -> float:
        """Obuchowski's variance of the area, or of the difference."""
        (d10, m), (d01, n) = (self.positives, self.positive_sizes), (self.negatives, self.negative_sizes)
        i10, i01, every = int((m > 0).sum()), int((n > 0).sum()), int(((m > 0) | (n > 0)).sum())
        all_m, all_n = m.sum(), n.sum()
        alone = i10 / (i10 - 1) * (d10 @ d10) / all_m**2 + i01 / (i01 - 1) * (d01 @ d01) / all_n**2
        return float(alone + 2 * every / (every - 1) * (d10 @ d01) / (all_m * all_n))

    @property
    def influence(self) -> FloatArray:
        """Each cluster's part of the deviation of the area; their squares add up to about the variance."""
        of_positives = self.positives / float(self.positive_sizes.sum())
        return np.asarray(of_positives + self.negatives / float(self.negative_sizes.sum()))


def auc_deviations(
    is_positive: BoolArray,
    scores: FloatArray,
    clusters: IntArray,
    weights: FloatArray | None = None,
    *,
    num_clusters: int | None = None,
) -> Deviations:
    """Return the area, and how much each cluster deviates from it; both classes must occur.

    `num_clusters` is their number where items of some are elsewhere.

    >>> found = auc_deviations(np.asarray([True, True, False]), np.asarray([3.0, 1.0, 2.0]), np.asarray([0, 1, 1]))
    >>> found.value, found.positives.tolist(), found.negatives.tolist()
    (0.5, [0.5, -0.5], [0.0, 0.0])
    """
    if not is_positive.shape == scores.shape == clusters.shape:
        raise GermaneError(f"expected a score and a cluster for each of {len(is_positive)} items, found others")
    weights = np.ones(len(scores)) if weights is None else weights
    num = int(clusters.max()) + 1 if num_clusters is None else num_clusters
    sides = [(scores[of], weights[of], clusters[of]) for of in (is_positive, ~is_positive)]
    (positive, w1, of_positive), (negative, w0, of_negative) = sides
    below, above = _share_below(positive, negative, w0), 1 - _share_below(negative, positive, w1)
    value = float((w1 @ below) / w1.sum())
    return Deviations(
        value,
        sums_by_cluster(w1 * (below - value), of_positive, num),
        sums_by_cluster(w0 * (above - value), of_negative, num),
        sums_by_cluster(w1, of_positive, num),
        sums_by_cluster(w0, of_negative, num),
    )


def auc_of_clusters(
    is_positive: BoolArray,
    scores: FloatArray,
    clusters: IntArray,
    weights: FloatArray | None = None,
    *,
    level: float = 0.95,
    scale: AucScale = "logit",
) -> Estimate:
    """Return AUC with Obuchowski's interval.

    Formula:    value ± q · standard error, on the logit scale unless `scale` is plain; q = z · t(I − 1)/t(N − 1) for I
        clusters and N items, which is z for clusters of one item and wider for few clusters
    Edge cases: one class only: NaN. Fewer than two clusters of a class: no interval.

    >>> truth, scores = np.asarray([1, 1, 0, 1, 0, 0, 1, 0]) == 1, np.asarray([9, 8, 7, 6, 3, 2, 4, 5.0])
    >>> found = auc_of_clusters(truth, scores, np.asarray([0, 0, 1, 1, 2, 2, 3, 3]))
    >>> round(found.value, 4), round(found.low, 4), round(found.high, 4), found.method
    (0.8125, 0.0773, 0.9956, 'obuchowski, logit')
    """
    require_level(level)
    if is_positive.all() or not is_positive.any():
        return Estimate(math.nan, remark=f"no {'negatives' if is_positive.any() else 'positives'}")
    found = auc_deviations(is_positive, scores, clusters, weights)
    if found.too_few:
        return Estimate(found.value, remark=found.too_few)
    if found.variance <= 0 or not 0 < found.value < 1:
        return Estimate(found.value, remark="Obuchowski's variance is 0")
    error, wide = math.sqrt(found.variance), _quantile(found, len(scores), level)
    if scale == "plain":
        return Estimate(
            found.value, max(0.0, found.value - wide * error), min(1.0, found.value + wide * error), "obuchowski"
        )
    low, high, _ = bounded_ends(found.value, error, wide, (0.0, 1.0))
    return Estimate(found.value, low, high, "obuchowski, logit")


def area_of_clusters(
    value: float,
    influence: FloatArray,
    clusters: IntArray,
    weights: FloatArray | None = None,
    *,
    method: str,
    level: float = 0.95,
    scale: AucScale = "logit",
) -> Estimate:
    """Return an area of several classes with its interval, from the influence of each item, whose mean is 0.

    Formula:    variance = G/(G − 1) Σ u², u the sum over a cluster of w · influence/Σw; quantile as for one AUC
    Edge cases: one cluster, or no variance: no interval.

    >>> found = area_of_clusters(0.8, np.asarray([0.2, -0.4, 0.1, 0.1]), np.asarray([0, 1, 2, 2]), method="influence")
    >>> round(found.low, 4), round(found.high, 4), found.method
    (0.2501, 0.9796, 'influence, logit, clusters')
    """
    weights = np.ones(len(influence)) if weights is None else weights
    num = int(clusters.max()) + 1
    moved = sums_by_cluster(weights * influence, clusters, num) / float(weights.sum())
    if num < 2:
        return Estimate(value, remark=ONE_CLUSTER)
    error = math.sqrt(num / (num - 1) * float(moved @ moved))
    if error <= 1e-12 or not 0 < value < 1:
        return Estimate(value, remark="the variance is 0: every cluster has the same part in the value")
    wide = _widened(level, num, len(influence))
    if scale == "plain":
        ends = max(0.0, value - wide * error), min(1.0, value + wide * error)
        return Estimate(value, *ends, f"{method}, {CLUSTERS}")
    low, high, _ = bounded_ends(value, error, wide, (0.0, 1.0))
    return Estimate(value, low, high, f"{method}, logit, {CLUSTERS}")


def paired_aucs_of_clusters(
    is_positive: BoolArray, a: FloatArray, b: FloatArray, clusters: IntArray, *, level: float = 0.95
) -> PairedDifference:
    """Test the difference of two AUCs on the same items in clusters (b − a) by Obuchowski's variance.

    The interval contains the differences between −1 and 1 that the test does not reject at that level. The statistic
    has a t distribution with a degree of freedom less than there are clusters.

    >>> truth, clusters = np.asarray([1, 1, 0, 1, 0, 0]) == 1, np.asarray([0, 0, 1, 1, 2, 3])
    >>> a, b = np.asarray([6, 2, 5, 4, 3, 1.0]), np.asarray([6, 5, 4, 3, 2, 1.0])
    >>> found = paired_aucs_of_clusters(truth, a, b, clusters)
    >>> round(found.difference, 4), round(found.p, 4), found.test
    (0.2222, 0.269, 'obuchowski')
    """
    from scipy.special import stdtr

    require_level(level)
    first, second = (auc_deviations(is_positive, each, clusters) for each in (a, b))
    found = second.less(first)
    if found.too_few:
        return PairedDifference(found.value, remark=found.too_few)
    if found.variance <= 1e-24:
        if found.value:
            return PairedDifference(
                found.value, remark="the difference is the same in every cluster, so it has no spread"
            )
        same = "both order all positives and negatives in the same way"
        return PairedDifference(0.0, p=1.0, statistic=0.0, test="obuchowski", remark=same)
    num = _num_clusters(found)
    error = math.sqrt(found.variance)
    t, half = found.value / error, quantile_of_clusters(level, num) * error
    low, high = max(-1.0, found.value - half), min(1.0, found.value + half)
    return PairedDifference(
        found.value, low, high, float(2 * stdtr(num - 1, -abs(t))), t, "obuchowski", f"t, {CLUSTERS}"
    )


def _quantile(found: Deviations, num_items: int, level: float) -> float:
    return _widened(level, _num_clusters(found), num_items)


def _widened(level: float, num_clusters: int, num_items: int) -> float:
    """Return the normal quantile, widened for few clusters."""
    widened = quantile_of_clusters(level, num_clusters) / quantile_of_clusters(level, num_items)
    return normal_quantile(level) * max(1.0, widened)


def _num_clusters(found: Deviations) -> int:
    return int(((found.positive_sizes > 0) | (found.negative_sizes > 0)).sum())


def _share_below(scores: FloatArray, others: FloatArray, weights: FloatArray) -> FloatArray:
    """Return for each score the share of the others (by weight) that are lower, equal ones counting half."""
    order = np.argsort(others, kind="stable")
    ordered, up_to = others[order], np.concatenate([[0.0], np.cumsum(weights[order])])
    lower, not_higher = (up_to[np.searchsorted(ordered, scores, side=side)] for side in ("left", "right"))
    return np.asarray((lower + not_higher) / (2 * up_to[-1]))
