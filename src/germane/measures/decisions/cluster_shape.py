"""Internal indices of clusters: how compact and how far apart they are, from the vectors of the items alone."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from germane.errors import MeasureError
from germane.measures.decisions.clustering import groups_of
from germane.measures.decisions.measure import decision_measure
from germane.tables.columns.ids import FloatArray
from germane.tables.columns.one_column import number_matrix

Distance = Literal["euclidean", "cosine", "manhattan"]
SCIPY_NAMES: dict[str, Any] = {"euclidean": "euclidean", "cosine": "cosine", "manhattan": "cityblock"}
MOST_CELLS = 1 << 22
"""Maximum number of distances, or of vector components, in memory at once (32 MB)."""


@decision_measure("silhouette", of="vectors", bounds=(-1, 1), names=("silhouette coefficient", "silhouette width"))
def silhouette(vectors: npt.ArrayLike, clusters: npt.ArrayLike, *, distance: Distance = "euclidean") -> float:
    """Mean over items of how much nearer the own cluster is than the nearest other one.

    Formula:    mean of (b − a) / max(a, b): a is the mean distance to the other items of the cluster, b the smallest
                mean distance to the items of another cluster
    Reference:  Rousseeuw, Journal of Computational and Applied Mathematics 20 (1987), 53-65.
    Edge cases: an item that is alone in its cluster counts 0, and so does one with a = b = 0. NaN for a single cluster.
                Compares all pairs of items, so time grows with the square of their number.

    >>> round(silhouette([[0.0], [1.0], [5.0], [6.0]], [1, 1, 2, 2]), 4)
    0.798
    """
    values = silhouettes(vectors, clusters, distance=distance)
    return float(values.mean()) if len(values) else math.nan


def silhouettes(vectors: npt.ArrayLike, clusters: npt.ArrayLike, *, distance: Distance = "euclidean") -> FloatArray:
    """Return the silhouette of each item; empty for a single cluster.

    >>> silhouettes([[0.0], [1.0], [5.0], [6.0]], [1, 1, 2, 2]).round(3).tolist()       # a = 1; b = 5.5 or 4.5
    [0.818, 0.778, 0.778, 0.818]
    """
    from scipy.spatial.distance import cdist

    table, codes = _items(vectors, clusters)
    if distance not in SCIPY_NAMES:
        known = ", ".join(SCIPY_NAMES)
        raise MeasureError(f"expected one of {known} as distance, found {distance!r}")
    if distance == "cosine" and (null := ~table.any(axis=1)).any():
        row = int(null.argmax()) + 1
        raise MeasureError(f"expected a vector other than 0 in row {row}, which has no cosine", hint="remove the row")
    sizes = np.bincount(codes)
    if len(sizes) < 2:
        return np.zeros(0)
    member = np.zeros((len(codes), len(sizes)))
    member[np.arange(len(codes)), codes] = 1
    found = np.empty(len(codes))
    for rows in _blocks(len(codes), len(codes)):
        sums = cdist(table[rows], table, SCIPY_NAMES[distance]) @ member
        own, places = codes[rows], np.arange(rows.stop - rows.start)
        with np.errstate(divide="ignore", invalid="ignore"):
            within = sums[places, own] / (sizes[own] - 1)
            means = sums / sizes
            means[places, own] = np.inf
            nearest = means.min(axis=1)
            values = (nearest - within) / np.maximum(nearest, within)
        found[rows] = np.where((sizes[own] == 1) | np.isnan(values), 0.0, values)
    return found


@decision_measure(
    "Davies_Bouldin",
    of="vectors",
    bounds=(0, math.inf),
    better="lower",
    names=("Davies-Bouldin", "Davies-Bouldin index"),
)
def davies_bouldin(vectors: npt.ArrayLike, clusters: npt.ArrayLike) -> float:
    """Mean over clusters of the worst ratio of scatter within two clusters to the distance between their centres.

    Formula:    mean over clusters i of max over j of (s_i + s_j) / d_ij: s is the mean distance to the centre, d the
                distance of the centres
    Reference:  Davies & Bouldin, IEEE Transactions on Pattern Analysis and Machine Intelligence 1 (1979), 224-227.
    Edge cases: infinite if two centres coincide, unless both clusters have no scatter, which counts 0. NaN for a single
                cluster. Euclidean distances.

    >>> round(davies_bouldin([[0.0], [1.0], [5.0], [6.0]], [1, 1, 2, 2]), 4)            # (0.5 + 0.5) / 5
    0.2
    """
    from scipy.spatial.distance import cdist

    table, codes = _items(vectors, clusters)
    sizes = np.bincount(codes)
    if len(sizes) < 2:
        return math.nan
    centres = _sums(table, codes, len(sizes)) / sizes[:, None]
    scatter = np.zeros(len(sizes))
    for rows in _blocks(len(codes), table.shape[1]):
        away = np.linalg.norm(table[rows] - centres[codes[rows]], axis=1)
        scatter += np.bincount(codes[rows], away, minlength=len(sizes))
    scatter /= sizes
    with np.errstate(divide="ignore", invalid="ignore"):
        ratios = (scatter[:, None] + scatter) / cdist(centres, centres)
    ratios[np.isnan(ratios)] = 0
    np.fill_diagonal(ratios, 0)
    return float(ratios.max(axis=1).mean())


@decision_measure(
    "Calinski_Harabasz",
    of="vectors",
    bounds=(0, math.inf),
    names=("Calinski-Harabasz", "Calinski-Harabasz index", "variance ratio"),
)
def calinski_harabasz(vectors: npt.ArrayLike, clusters: npt.ArrayLike) -> float:
    """Ratio of the variance between clusters to the variance within them.

    Formula:    (B / (k − 1)) / (W / (n − k)): B is the sum over clusters of size · squared distance of centre and
                overall mean, W the sum over items of the squared distance to the centre
    Reference:  Caliński & Harabasz, Communications in Statistics 3 (1974), 1-27.
    Edge cases: infinite if no cluster has any scatter. NaN for a single cluster, if every item is its own cluster, and
                if all items are equal. Euclidean distances.

    >>> calinski_harabasz([[0.0], [1.0], [5.0], [6.0]], [1, 1, 2, 2])                   # B = 25, W = 1
    50.0
    """
    table, codes = _items(vectors, clusters)
    sizes = np.bincount(codes)
    n, k = len(codes), len(sizes)
    if k < 2 or k == n:
        return math.nan
    centres = _sums(table, codes, k) / sizes[:, None]
    overall = sizes @ centres / n
    between = float(sizes @ ((centres - overall) ** 2).sum(axis=1))
    within = sum(float(((table[rows] - centres[codes[rows]]) ** 2).sum()) for rows in _blocks(n, table.shape[1]))
    if not within:
        return math.inf if between else math.nan
    return between / (k - 1) / (within / (n - k))


def _items(vectors: npt.ArrayLike, clusters: npt.ArrayLike) -> tuple[FloatArray, npt.NDArray[Any]]:
    """Return the vectors, and the index of each item's cluster."""
    table = number_matrix(vectors, "vector component", "vectors")
    _, codes = groups_of(clusters, "clusters")
    if len(table) != len(codes):
        raise MeasureError(f"expected one vector per item, found {len(table)} vectors and {len(codes)} items")
    if not len(table):
        raise MeasureError("expected at least one item, found none")
    if not (finite := np.isfinite(table).all(axis=1)).all():
        row = int((~finite).argmax())
        raise MeasureError(f"expected finite numbers as vector in row {row + 1}, found {table[row].tolist()[:5]}")
    return table, codes


def _sums(table: FloatArray, codes: npt.NDArray[Any], num_clusters: int) -> FloatArray:
    """Return the sum of the vectors of each cluster."""
    sums = np.zeros((num_clusters, table.shape[1]))
    for rows in _blocks(len(codes), table.shape[1]):
        order = np.argsort(codes[rows], kind="stable")
        present, starts = np.unique(codes[rows][order], return_index=True)
        sums[present] += np.add.reduceat(table[rows][order], starts, axis=0)
    return sums


def _blocks(num_items: int, width: int) -> Iterator[slice]:
    """Yield stretches of items whose rows of this width fit into memory."""
    step = max(1, MOST_CELLS // max(width, 1))
    for start in range(0, num_items, step):
        yield slice(start, min(start + step, num_items))
