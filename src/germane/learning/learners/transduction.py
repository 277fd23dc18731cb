"""Partitioning transduction: label unlabelled objects by the clusters of all objects.

1. Start with a single cluster with all objects.
2. While a cluster has two objects with different labels, partition the cluster to resolve the conflict.
3. For all clusters: assign the same label to all objects in the cluster.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from germane.errors import GermaneError, InputError, did_you_mean
from germane.learning.data.columns import Category, columns_of, is_missing, labels_of, numbers_of
from germane.learning.learners.estimator import Estimator
from germane.tables.columns.ids import FloatArray, IntArray
from germane.tables.notes.counts import counted
from germane.tables.results.columns import F, Table, table

if TYPE_CHECKING:
    from germane.types import FeaturesLike, LabelsLike

CLUSTERS = (
    F("cluster", "count"),
    F("objects", "count"),
    F("num_labelled", "count", "labelled"),
    F("label", "text"),
    F("case", "text"),
)
WITHOUT_LABELS = ("leave", "nearest")
MOST_ROUNDS = 300
"""Maximum number of iterations of 2-means, which usually converges long before."""


@dataclass(frozen=True, eq=False)
class Cluster:
    """A final cluster: its objects, and the label for its unlabelled ones (None: they stay unlabelled)."""

    members: IntArray
    num_labelled: int
    label: Any
    case: str
    """labelled; no labels; conflict (inseparable objects: the most frequent label is used); or tie (of such labels)."""


class PartitioningTransduction(Estimator):
    """Partitioning transduction: label objects by cluster; clusters are split until no labels conflict.

    A cluster with a conflict is split in two by 2-means over all its objects, labelled or not. It starts from the means
    of the objects with the most frequent label and of those with the second most frequent (of equally frequent ones,
    the first in sorted order). So the result is not random and does not depend on the order of rows. An object midway
    between two means is assigned to the more frequent label.

    It is not an estimator of scikit-learn, though it has `get_params` and `set_params`: it labels the objects that it
    was given, and cannot predict others.

    Parameters
    missing          the label that means unlabelled, besides None and NaN; None if -1 is an ordinary label
    without_labels   treatment of a cluster without labelled objects: "leave" it unlabelled, or "nearest": each of its
                     objects gets the label of the nearest labelled object

    Reference:  Lecture "Multimedia Retrieval", chapter 1.5.3; the idea is Vapnik's, "Statistical Learning Theory",
                Wiley 1998.
    Edge cases: Given labels are never changed. Objects with equal features cannot be separated: if their labels differ,
                the most frequent is used for the unlabelled ones, and in a tie they stay unlabelled. With a single
                label overall there is no conflict, and every object gets it. Distances are Euclidean: scale columns of
                different units first.

    >>> lonely = PartitioningTransduction()
    >>> lonely.fit_predict([[0], [1], [2], [10], [11], [12]], [7, -1, -1, -1, -1, 8])
    array([7, 7, 7, 8, 8, 8])
    >>> print(lonely.table(), end="")
    cluster  objects  labelled  label  case
          0        3         1  7      labelled
          1        3         1  8      labelled
    """

    def __init__(self, *, missing: int | None = -1, without_labels: str = "leave") -> None:
        self.missing = missing
        self.without_labels = without_labels

    def fit(self, X: FeaturesLike, y: LabelsLike) -> PartitioningTransduction:
        """Find clusters and labels: `transduction_` has the labels, `clusters_` and `cluster_of_` the clusters."""
        if self.without_labels not in WITHOUT_LABELS:
            meant = did_you_mean(self.without_labels, WITHOUT_LABELS)
            hint = f"choose from {', '.join(WITHOUT_LABELS)}"
            raise GermaneError(f"unknown without_labels {self.without_labels!r}{meant}", hint=hint)
        points = _points(X)
        classes, codes = self._codes(y, len(points))
        parts = sorted(_partition(points, codes), key=lambda part: int(part[0]))
        self.clusters_ = tuple(_cluster(part, codes[part], classes) for part in parts)
        self.cluster_of_ = np.empty(len(points), dtype=np.int64)
        found = codes.copy()
        for number, (part, cluster) in enumerate(zip(parts, self.clusters_, strict=True)):
            self.cluster_of_[part] = number
            if cluster.label is not None:
                found[part] = np.where(codes[part] < 0, np.searchsorted(classes, cluster.label), codes[part])
            elif cluster.num_labelled == 0 and self.without_labels == "nearest":
                found[part] = _nearest(points[part], points[codes >= 0], codes[codes >= 0])
        self.classes_ = classes
        self.transduction_ = self._labels(found)
        self.num_without_ = int(np.count_nonzero(found < 0))
        return self

    def fit_predict(self, X: FeaturesLike, y: LabelsLike) -> npt.NDArray[Any]:
        """Return the labels of all objects: those given, and those of their clusters."""
        return self.fit(X, y).transduction_

    def table(self) -> Table:
        """Return a table of the clusters: number of objects and labelled ones, label, and case."""
        self._require_fitted("clusters_")
        clusters = enumerate(self.clusters_)
        rows = [{**vars(one), "cluster": number, "objects": len(one.members)} for number, one in clusters]
        left = f"{counted(self.num_without_, 'object')} without a label"
        return table("clusters", CLUSTERS, rows, below=[left] if self.num_without_ else [])

    def _codes(self, y: Any, rows: int) -> tuple[npt.NDArray[Any], IntArray]:
        """Return the sorted classes, and the index of each object's label among them; -1 if unlabelled."""
        given = [None if self._is_missing(label) else label for label in labels_of(y)]
        for row, label in enumerate(given):
            if label is not None and not isinstance(label, Category | np.generic):
                raise InputError("y", None, f"row {row}: expected a label as text or number, found {label!r}")
        if len(given) != rows:
            problem = f"expected {rows} labels, one for each row (missing ones too), found {len(given)}"
            raise InputError("y", None, problem)
        labels = [label for label in given if label is not None]
        if not labels:
            raise InputError("y", None, "expected at least one label, found none", hint="label a few objects first")
        if len({isinstance(label, str) for label in labels}) > 1:
            raise InputError("y", None, "expected labels that are all text or all numbers, found both")
        if self.missing is not None and str(self.missing) in labels:
            hint = "use None for a missing label among texts; NumPy turns numbers beside text into text"
            raise InputError("y", None, f"the label {str(self.missing)!r} is text; is it missing?", hint=hint)
        classes, places = np.unique(np.asarray(labels), return_inverse=True)
        codes = np.full(rows, -1, dtype=np.int64)
        codes[[label is not None for label in given]] = places
        return classes, codes

    def _is_missing(self, label: object) -> bool:
        return is_missing(label) or (self.missing is not None and not isinstance(label, str) and label == self.missing)

    def _labels(self, codes: IntArray) -> npt.NDArray[Any]:
        """Return numbers with `missing` for unlabelled objects; otherwise objects, with None for unlabelled ones."""
        if self.classes_.dtype.kind in "iuf" and self.missing is not None:
            return np.where(codes < 0, self.missing, self.classes_[codes])
        return np.asarray([*self.classes_.tolist(), None], dtype=object)[codes]


def _partition(points: FloatArray, codes: IntArray) -> list[IntArray]:
    """Return the clusters that remain when no conflict is left that can be resolved."""
    done, conflicting = [], [np.arange(len(points))]
    while conflicting:
        part = conflicting.pop()
        present = codes[part][codes[part] >= 0]
        near = _two_means(points[part], codes[part]) if len(np.unique(present)) > 1 else None
        if near is None:
            done.append(part)
        else:
            conflicting += [part[near], part[~near]]
    return done


def _two_means(points: FloatArray, codes: IntArray) -> npt.NDArray[np.bool_] | None:
    """Return a mask of the first of two non-empty clusters; None if all objects are equal."""
    starts = (_nearer(points, one, other) for one, other in _starts(points, codes))
    near = next((near for near in starts if near.any() and not near.all()), None)
    if near is None:
        return None
    for _ in range(MOST_ROUNDS):
        again = _nearer(points, points[near].mean(axis=0), points[~near].mean(axis=0))
        # Exact 2-means cannot empty a cluster, but rounding could.
        if again.all() or not again.any() or (again == near).all():
            break
        near = again
    return near


def _starts(points: FloatArray, codes: IntArray) -> Iterator[tuple[FloatArray, FloatArray]]:
    """Yield pairs of starting points; the next pair is used if the first two coincide."""
    first, second = np.argsort(-np.bincount(codes[codes >= 0]), kind="stable")[:2]
    yield points[codes == first].mean(axis=0), points[codes == second].mean(axis=0)
    # Corners of a square labelled crosswise have equal means: then use two distant objects with conflicting labels.
    yield _far_apart(points[codes == first], points[codes == second])
    # All labelled objects coincide, and others are elsewhere.
    yield _far_apart(points, points)


def _far_apart(points: FloatArray, others: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the first point in the order of the features, whatever the order of rows, and the one farthest from it."""
    start = points[np.lexsort(points.T[::-1])[0]]
    ordered = others[np.lexsort(others.T[::-1])]
    return start, ordered[np.argmax(((ordered - start) ** 2).sum(axis=1))]


def _nearer(points: FloatArray, one: FloatArray, other: FloatArray) -> npt.NDArray[np.bool_]:
    """Return a mask of the points nearer to `one` than to `other`; midway counts as nearer to `one`."""
    return np.asarray((points - (one + other) / 2) @ (other - one) <= 0)


def _cluster(part: IntArray, codes: IntArray, classes: npt.NDArray[Any]) -> Cluster:
    counts = Counter(codes[codes >= 0].tolist()).most_common()
    labelled = sum(count for _, count in counts)
    if not counts:
        return Cluster(part, labelled, None, "no labels")
    if len(counts) > 1 and counts[0][1] == counts[1][1]:
        return Cluster(part, labelled, None, "tie")
    return Cluster(part, labelled, classes[counts[0][0]].item(), "labelled" if len(counts) == 1 else "conflict")


def _nearest(points: FloatArray, labelled: FloatArray, codes: IntArray) -> IntArray:
    """Return the label of the nearest labelled object; of equally near ones, the first in sorted order."""
    order = np.argsort(codes, kind="stable")
    return np.asarray([codes[order][np.argmin(((labelled[order] - point) ** 2).sum(axis=1))] for point in points])


def _points(X: Any) -> FloatArray:
    names, columns = columns_of(X)
    hint = "distances require numbers; remove the column, or encode its categories as columns of 0 and 1"
    points = np.column_stack([numbers_of(column, name, hint) for name, column in zip(names, columns, strict=True)])
    if np.isnan(points).any():
        row, place = np.argwhere(np.isnan(points))[0].tolist()
        hint = "remove the row or impute the value; NaiveBayes supports missing values"
        raise InputError(names[place], None, f"row {row}: missing value, so distances are undefined", hint=hint)
    # Scale so that no square overflows; a power of two is exact, so points midway stay midway.
    return np.ldexp(points, -int(np.frexp(np.abs(points).max())[1]))
