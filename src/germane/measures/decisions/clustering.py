"""Agreement of clusters with true classes, from their contingency table: rows are classes, columns are clusters."""

from __future__ import annotations

import math
from collections import Counter
from fractions import Fraction
from itertools import product
from typing import Any, Literal, get_args

import numpy as np
import numpy.typing as npt

from germane.errors import MeasureError, unknown
from germane.measures.decisions.measure import decision_measure
from germane.tables.columns.aligned_columns import aligned_columns
from germane.tables.columns.ids import FloatArray
from germane.tables.columns.one_column import as_list, one_column
from germane.tables.decisions.confusion import Counts

Mean = Literal["arithmetic", "geometric", "min", "max"]
MEANS: tuple[Mean, ...] = get_args(Mean)
Table = npt.ArrayLike


@decision_measure("purity", of="clusters", bounds=(0, 1))
def purity(table: Table) -> float:
    """Share of items that belong to the majority class of their cluster.

    Formula:    (sum over clusters of the size of its largest class) / n
    Reference:  Manning, Raghavan & Schütze, Introduction to Information Retrieval, Cambridge 2008, section 16.3.
    Edge cases: 1 if every item is its own cluster, so read it together with inverse purity. NaN without items.

    >>> purity([[5, 1], [1, 4]])
    0.8181818181818182
    """
    counts = _counts(table)
    return float(counts.max(axis=0).sum() / counts.sum()) if counts.any() else math.nan


@decision_measure("inverse_purity", of="clusters", bounds=(0, 1), names=("inverse purity",))
def inverse_purity(table: Table) -> float:
    """Share of items that lie in the cluster holding most of their class.

    Formula:    (sum over classes of the number of its items in the cluster holding most of them) / n
    Reference:  Amigó et al., Information Retrieval 12 (2009), 461-486.
    Edge cases: 1 if everything is one cluster, so read it together with purity. NaN without items.

    >>> inverse_purity([[5, 0], [1, 5]])
    0.9090909090909091
    """
    return purity(_counts(table).T)


@decision_measure(
    "NMI", of="clusters", bounds=(0, 1), names=("normalised mutual information", "normalized mutual information")
)
def normalised_mutual_information(table: Table, *, mean: Mean = "arithmetic") -> float:
    """Mutual information of clusters and classes, normalised by their entropies.

    Formula:    I(classes; clusters) / mean of H(classes) and H(clusters)
    Reference:  Strehl & Ghosh, Journal of Machine Learning Research 3 (2002), 583-617; Vinh, Epps & Bailey, ibid. 11
                (2010), 2837-2854, on the means.
    Edge cases: 1 for one class and one cluster; 0 if there is a single class or a single cluster only. Above 0 for
                random clusters, and rising with their number (AMI corrects for it). NaN without items.

    >>> normalised_mutual_information([[3, 0], [0, 3]]), normalised_mutual_information([[2, 2], [1, 1]])
    (1.0, 0.0)
    """
    information, of_classes, of_clusters = _entropies(table)
    if of_classes == of_clusters == 0:
        return 1.0
    scale = _mean_of(of_classes, of_clusters, mean)
    return min(information / scale, 1.0) if scale else 0.0 if scale == 0 else math.nan


@decision_measure("AMI", of="clusters", bounds=(-1, 1), names=("adjusted mutual information",))
def adjusted_mutual_information(table: Table, *, mean: Mean = "arithmetic") -> float:
    """Mutual information of clusters and classes, adjusted for chance.

    Formula:    (I − E[I]) / (mean of both entropies − E[I]), E over all tables with the same margins
    Reference:  Vinh, Epps & Bailey, Journal of Machine Learning Research 11 (2010), 2837-2854.
    Edge cases: 1 if both have one group, or both have only single items. 0 for chance. NaN without items.

    >>> adjusted_mutual_information([[3, 0], [0, 3]])
    1.0
    """
    counts = _counts(table)
    information, of_classes, of_clusters = _entropies(counts)
    rows, columns = counts.sum(axis=1), counts.sum(axis=0)
    rows, columns = rows[rows > 0], columns[columns > 0]
    if not len(rows):
        return math.nan
    if len(rows) == len(columns) and len(rows) in (1, counts.sum()):
        return 1.0
    by_chance = _expected_information(rows, columns)
    room = _mean_of(of_classes, of_clusters, mean) - by_chance
    # A denominator within rounding error of 0 means that nothing can exceed chance.
    if abs(room) < 1e-15:
        return 0.0
    return max(min((information - by_chance) / room, 1.0), -1.0)


@decision_measure("ARI", of="clusters", bounds=(-0.5, 1), names=("adjusted Rand", "adjusted Rand index"))
def adjusted_rand(table: Table) -> float:
    """Rand index adjusted for chance: agreement of classes and clusters on pairs of items.

    Formula:    (S − AB/T) / ((A + B)/2 − AB/T): of T pairs, S are together in both, A in classes, B in clusters
    Reference:  Hubert & Arabie, Journal of Classification 2 (1985), 193-218.
    Edge cases: 1 if both have one group, or both have only single items. 0 for chance. NaN without items.
                Computed in exact integer arithmetic.

    >>> adjusted_rand([[2, 0], [1, 1]])
    0.0
    """
    together, in_classes, in_clusters, pairs = _pairs(table)
    if not np.any(table):
        return math.nan
    chance_free = pairs * (in_classes + in_clusters) - 2 * in_classes * in_clusters
    if not chance_free:
        return 1.0
    return float(Fraction(2 * (pairs * together - in_classes * in_clusters), chance_free))


@decision_measure("Rand", of="clusters", bounds=(0, 1), names=("Rand index",))
def rand(table: Table) -> float:
    """Share of pairs of items on which classes and clusters agree.

    Formula:    (pairs together in both + pairs apart in both) / pairs
    Reference:  Rand, Journal of the American Statistical Association 66 (1971), 846-850.
    Edge cases: near 1 for many clusters, even random ones (see ARI). 1 for a single item. NaN without items.

    >>> rand([[2, 0], [1, 1]])
    0.5
    """
    together, in_classes, in_clusters, pairs = _pairs(table)
    if not np.any(table):
        return math.nan
    return (pairs + 2 * together - in_classes - in_clusters) / pairs if pairs else 1.0


@decision_measure("pair_F", of="clusters", bounds=(0, 1), names=("pair-counting F",))
def pair_f(table: Table, *, beta: float = 1) -> float:
    """F-measure over pairs of items: whether they belong together.

    Formula:    (1 + β²) S / (B + β² A): S pairs are together in both, A in classes, B in clusters
    Reference:  Manning, Raghavan & Schütze, Introduction to Information Retrieval, Cambridge 2008, section 16.3.
    Edge cases: NaN if no two items share a class or a cluster.

    >>> pair_f([[2, 0], [1, 1]])                    # 1 pair in both, 2 in classes, 3 in clusters
    0.4
    """
    if not 0 < beta < math.inf:
        raise MeasureError(f"expected a beta above 0, found {beta:g}")
    together, in_classes, in_clusters, _ = _pairs(table)
    weighed = in_clusters + beta**2 * in_classes
    return (1 + beta**2) * together / weighed if weighed else math.nan


@decision_measure("homogeneity", of="clusters", bounds=(0, 1))
def homogeneity(table: Table) -> float:
    """Degree to which each cluster contains a single class.

    Formula:    I(classes; clusters) / H(classes)
    Reference:  Rosenberg & Hirschberg, EMNLP-CoNLL 2007.
    Edge cases: 1 if there is one class. NaN without items.

    >>> homogeneity([[1, 1, 0], [0, 0, 2]])
    1.0
    """
    information, of_classes, _ = _entropies(table)
    return min(information / of_classes, 1.0) if of_classes else 1.0


@decision_measure("completeness", of="clusters", bounds=(0, 1))
def completeness(table: Table) -> float:
    """Degree to which each class lies in a single cluster.

    Formula:    I(classes; clusters) / H(clusters)
    Reference:  Rosenberg & Hirschberg, EMNLP-CoNLL 2007.
    Edge cases: 1 if there is one cluster. NaN without items.

    >>> round(completeness([[1, 1, 0], [0, 0, 2]]), 4)
    0.6667
    """
    return homogeneity(_counts(table).T)


@decision_measure("V_measure", of="clusters", bounds=(0, 1), names=("V",))
def v_measure(table: Table, *, beta: float = 1) -> float:
    """Weighted harmonic mean of homogeneity and completeness; equal to NMI for beta = 1.

    Formula:    (1 + β) h c / (β h + c)
    Reference:  Rosenberg & Hirschberg, EMNLP-CoNLL 2007.
    Edge cases: 0 if both are 0. NaN without items.

    >>> round(v_measure([[1, 1, 0], [0, 0, 2]]), 4)
    0.8
    """
    if not 0 < beta < math.inf:
        raise MeasureError(f"expected a beta above 0, found {beta:g}")
    h, c = homogeneity(table), completeness(table)
    return (1 + beta) * h * c / (beta * h + c) if h + c != 0 else 0.0


def contingency(y_true: npt.ArrayLike, clusters: npt.ArrayLike) -> Counts:
    """Count the items of each class (rows, sorted) in each cluster (columns, sorted).

    >>> contingency(["a", "a", "b"], [1, 2, 2]).tolist()
    [[1, 1], [0, 1]]
    """
    given = aligned_columns({"y_true": y_true, "clusters": clusters}, "clusters")
    (classes, row), (groups, column) = (groups_of(given[name], name) for name in ("y_true", "clusters"))
    if len(row) != len(column):
        raise MeasureError(
            f"expected one class and one cluster per item, found {len(row)} classes and {len(column)} clusters"
        )
    counted = np.bincount(row * len(groups) + column, minlength=len(classes) * len(groups))
    return counted.reshape(len(classes), len(groups))


def groups_of(given: Any, role: str) -> tuple[npt.NDArray[Any], npt.NDArray[Any]]:
    """Return the distinct groups, sorted, and the index of each item's group."""
    values = as_list(one_column(given, role, "clusters"))
    if len({isinstance(value, str) for value in values}) > 1 or any(value is None for value in values):
        raise MeasureError(f"expected either only text or only numbers in {role}, found a mixture")
    try:
        found, places = np.unique(np.asarray(values), return_inverse=True)
        if found.dtype.kind not in "biufUSO" or places.shape != (len(values),):
            raise ValueError
    except (TypeError, ValueError):
        raise MeasureError(f"expected one group per item in {role}, as text or numbers") from None
    if found.dtype.kind == "f" and np.isnan(found).any():
        raise MeasureError(f"expected a group for each item in {role}, found NaN")
    return found, places


def _counts(table: Table) -> Counts:
    counts = np.asarray(table)
    if counts.ndim != 2 or not counts.size or counts.dtype.kind not in "iu" or (counts < 0).any():
        raise MeasureError(
            "expected a table of counts, classes × clusters", hint="use contingency(y_true, clusters) to build it"
        )
    return counts.astype(np.int64)


def _pairs(table: Table) -> tuple[int, int, int, int]:
    """Count the pairs of items together in both, in the classes, in the clusters, and all pairs."""
    counts = _counts(table)
    sums = (counts.ravel(), counts.sum(axis=1), counts.sum(axis=0), [counts.sum()])
    together, in_classes, in_clusters, pairs = (sum(math.comb(int(n), 2) for n in group) for group in sums)
    return together, in_classes, in_clusters, pairs


def _entropies(table: Table) -> tuple[float, float, float]:
    """Return the mutual information and the entropies of classes and clusters, in nats."""
    counts = _counts(table)
    n = int(counts.sum())
    if not n:
        return math.nan, math.nan, math.nan
    rows, columns = counts.sum(axis=1), counts.sum(axis=0)
    i, j = np.nonzero(counts)
    held = counts[i, j].astype(np.float64)
    # This quotient is exactly 1 under independence, so that its logarithm is exactly 0.
    information = float(np.sum(held / n * np.log(held * n / (rows[i].astype(np.float64) * columns[j]))))
    return max(information, 0.0), _entropy(rows, n), _entropy(columns, n)


def _entropy(sizes: Counts, n: int) -> float:
    shares: FloatArray = sizes[sizes > 0] / n
    return abs(float(np.sum(shares * np.log(shares))))


def _mean_of(a: float, b: float, mean: Mean) -> float:
    if mean not in MEANS:
        raise unknown("mean", mean, MEANS, error=MeasureError)
    return {"arithmetic": (a + b) / 2, "geometric": math.sqrt(a * b), "min": min(a, b), "max": max(a, b)}[mean]


def _expected_information(rows: Counts, columns: Counts) -> float:
    """Return the expected mutual information of tables with these margins, whose cells are hypergeometric."""
    from scipy.special import gammaln

    n = int(rows.sum())
    total = 0.0
    # Equal sizes give equal terms, and most sizes occur more than once.
    sizes = (sorted(Counter(side.tolist()).items()) for side in (rows, columns))
    for (a, times_a), (b, times_b) in product(*sizes):
        k = np.arange(max(1, a + b - n), min(a, b) + 1)
        log_chance = (gammaln(a + 1) + gammaln(b + 1) + gammaln(n - a + 1) + gammaln(n - b + 1) - gammaln(n + 1)) - (
            gammaln(k + 1) + gammaln(a - k + 1) + gammaln(b - k + 1) + gammaln(n - a - b + k + 1)
        )
        total += times_a * times_b * float(np.sum(k / n * np.log(n * k / (a * b)) * np.exp(log_chance)))
    return total
