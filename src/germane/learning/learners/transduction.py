"""Partitioning transduction: labels for the objects that have none, from the clusters in which all objects lie.

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
"""2-means ends by itself, mostly long before; what it has by then parts the objects all the same."""


@dataclass(frozen=True, eq=False)
class Cluster:
    """A cluster in the end: its objects, and the label that those without one get (None: they stay without)."""

    members: IntArray
    num_labelled: int
    label: Any
    case: str
    """labelled; no labels; conflict (objects that cannot be parted: the commonest label counts); or tie (of such)."""


class PartitioningTransduction(Estimator):
    """Give unlabelled objects the label of their cluster; clusters are partitioned until no labels conflict.

    A cluster with a conflict is partitioned in two by 2-means over all its objects, labelled or not. It starts from the
    means of the objects with the commonest label and of those with the second commonest (of equally common ones, the
    first in sorted order). So no chance is involved, and the order of the rows does not matter. An object halfway
    between two means goes with the commoner label.

    Parameters
    missing          the label that says there is none, besides None and NaN; None if -1 is a label like others
    without_labels   what becomes of a cluster in which no object has a label: "leave" it without; or "nearest", each
                     of its objects gets the label of the labelled object that is nearest

    Reference:  Lecture "Multimedia Retrieval", chapter 1.5.3; the idea is Vapnik's, "Statistical Learning Theory",
                Wiley 1998.
    Edge cases: Labels that are given are never changed. Objects that are alike in all features cannot be parted: with
                different labels the commonest counts for those without one, and in a tie they stay without. With one
                label in all there is no conflict, and every object gets it. Distances are Euclidean: columns of
                different units should be scaled first.

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
        """Find the clusters and the labels; `transduction_` has them, `clusters_` and `cluster_of_` how they came."""
        if self.without_labels not in WITHOUT_LABELS:
            meant = did_you_mean(self.without_labels, WITHOUT_LABELS)
            hint = f"there are {', '.join(WITHOUT_LABELS)}"
            raise GermaneError(f"without_labels cannot be {self.without_labels!r}{meant}", hint=hint)
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
        """The labels of all objects: those given, and those of their clusters."""
        return self.fit(X, y).transduction_

    def table(self) -> Table:
        """The clusters: how many objects, how many of them labelled, what label, and why."""
        self._require_fitted("clusters_")
        clusters = enumerate(self.clusters_)
        rows = [{**vars(one), "cluster": number, "objects": len(one.members)} for number, one in clusters]
        left = f"{counted(self.num_without_, 'object')} without a label"
        return table("clusters", CLUSTERS, rows, below=[left] if self.num_without_ else [])

    def _codes(self, y: Any, rows: int) -> tuple[npt.NDArray[Any], IntArray]:
        """The classes in order, and the place of each object's label among them; -1 where it has none."""
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
            hint = "give None for a missing label among texts; numpy turns numbers beside text into text"
            raise InputError("y", None, f"the label {str(self.missing)!r} is text; is it missing?", hint=hint)
        classes, places = np.unique(np.asarray(labels), return_inverse=True)
        codes = np.full(rows, -1, dtype=np.int64)
        codes[[label is not None for label in given]] = places
        return classes, codes

    def _is_missing(self, label: object) -> bool:
        return is_missing(label) or (self.missing is not None and not isinstance(label, str) and label == self.missing)

    def _labels(self, codes: IntArray) -> npt.NDArray[Any]:
        """Numbers with `missing` where there is none; text, or numbers without such a mark, as objects with None."""
        if self.classes_.dtype.kind in "iuf" and self.missing is not None:
            return np.where(codes < 0, self.missing, self.classes_[codes])
        return np.asarray([*self.classes_.tolist(), None], dtype=object)[codes]


def _partition(points: FloatArray, codes: IntArray) -> list[IntArray]:
    """The clusters that are left when no conflict is, or none that could be resolved."""
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
    """Which objects belong to the first of two clusters; both have members. None if all objects are alike."""
    starts = (_nearer(points, one, other) for one, other in _starts(points, codes))
    near = next((near for near in starts if near.any() and not near.all()), None)
    if near is None:
        return None
    for _ in range(MOST_ROUNDS):
        again = _nearer(points, points[near].mean(axis=0), points[~near].mean(axis=0))
        # An exact 2-means cannot empty a cluster; a rounded one could.
        if again.all() or not again.any() or (again == near).all():
            break
        near = again
    return near


def _starts(points: FloatArray, codes: IntArray) -> Iterator[tuple[FloatArray, FloatArray]]:
    """Two places to start from; the next two, should these coincide."""
    first, second = np.argsort(-np.bincount(codes[codes >= 0]), kind="stable")[:2]
    yield points[codes == first].mean(axis=0), points[codes == second].mean(axis=0)
    # Corners of a square labelled crosswise have the same means. Then two labelled objects in conflict, far apart.
    yield _far_apart(points[codes == first], points[codes == second])
    # The labelled objects are all in one place, and others are elsewhere.
    yield _far_apart(points, points)


def _far_apart(points: FloatArray, others: FloatArray) -> tuple[FloatArray, FloatArray]:
    """The first point in the order of the features, which no order of rows changes, and the other farthest from it."""
    start = points[np.lexsort(points.T[::-1])[0]]
    ordered = others[np.lexsort(others.T[::-1])]
    return start, ordered[np.argmax(((ordered - start) ** 2).sum(axis=1))]


def _nearer(points: FloatArray, one: FloatArray, other: FloatArray) -> npt.NDArray[np.bool_]:
    """Which points are nearer to one place than to the other; in between counts as nearer to the one."""
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
    """The label of the nearest labelled object; of equally near ones, that of the first in sorted order."""
    order = np.argsort(codes, kind="stable")
    return np.asarray([codes[order][np.argmin(((labelled[order] - point) ** 2).sum(axis=1))] for point in points])


def _points(X: Any) -> FloatArray:
    names, columns = columns_of(X)
    hint = "distances need numbers: leave the column out, or write its categories as columns of 0 and 1"
    points = np.column_stack([numbers_of(column, name, hint) for name, column in zip(names, columns, strict=True)])
    if np.isnan(points).any():
        row, place = np.argwhere(np.isnan(points))[0].tolist()
        hint = "leave the row out or fill the value in; NaiveBayes takes rows with values missing"
        raise InputError(names[place], None, f"row {row}: the value is missing, and without it no distance", hint=hint)
    # No square may overflow. A power of two changes no digit, so that what is halfway stays halfway.
    return np.ldexp(points, -int(np.frexp(np.abs(points).max())[1]))
