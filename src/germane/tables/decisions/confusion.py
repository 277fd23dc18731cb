"""A confusion matrix: counts of items by true and predicted class."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, cast

import numpy as np
import numpy.typing as npt

from germane.arguments import checked
from germane.errors import GermaneError, did_you_mean
from germane.tables.columns.ids import FloatArray
from germane.tables.columns.one_column import as_list, dense_array, frame_column, frame_columns, one_column, plain_array
from germane.tables.decisions.weights import EXACT

if TYPE_CHECKING:
    from germane.types import LabelsLike, MatrixLike

Label = str | int | float | bool
Counts = npt.NDArray[Any]
"""Integers, or sums of weights that are not whole."""
Rows = Literal["truth", "prediction"]
Normalise = Literal["truth", "prediction", "all"]


class Cells(NamedTuple):
    """The four cells of a binary decision: numbers, or arrays with one entry per class, threshold or resample."""

    TP: Any
    FP: Any
    FN: Any
    TN: Any


@dataclass(frozen=True, eq=False)
class Confusion:
    """Counts by true class (rows) and predicted class (columns), in the order of `labels`.

    Counts are integers unless the weights of the items were not (`weighted`); `num_rows` is the number of items,
    whatever their weights.

    >>> animals = Confusion.of_matrix([[5, 3, 0], [2, 3, 1], [0, 2, 11]], labels=["cat", "dog", "rabbit"])
    >>> animals.cells("dog")
    Cells(TP=3, FP=5, FN=3, TN=16)
    >>> print(animals)
    truth \\ predicted  cat  dog  rabbit  total
    cat                  5    3       0      8
    dog                  2    3       1      6
    rabbit               0    2      11     13
    total                7    8      12     27
    """

    labels: tuple[Label, ...]
    counts: Counts
    num_rows: int
    weighted: bool = False

    @classmethod
    @checked
    def of_matrix(
        cls, matrix: MatrixLike, labels: Sequence[Label] | npt.NDArray[Any] | None = None, *, rows: Rows = "truth"
    ) -> Confusion:
        """Return a confusion matrix from counts; `rows` says what its rows are. A data frame has labels of its own."""
        counts, names = _square(matrix)
        labels = names if labels is None else as_list(one_column(labels, "label", "matrix"))
        if counts.ndim != 2 or counts.shape[0] != counts.shape[1] or not len(counts):
            raise GermaneError(f"expected a square matrix of counts, found one of shape {counts.shape}")
        if counts.dtype.kind not in "iuf" or not np.isfinite(counts).all() or (counts < 0).any():
            raise GermaneError("expected counts of 0 or more in a confusion matrix, found other values")
        if labels is not None and (len(labels) != len(counts) or not _are_different(labels)):
            raise GermaneError(f"expected {len(counts)} different labels for the matrix, found {list(labels)}")
        whole = bool((counts == np.rint(counts)).all()) and float(counts.sum(dtype=np.float64)) < EXACT
        counts = counts.astype(np.int64 if whole else np.float64)
        counts = counts if rows == "truth" else np.ascontiguousarray(counts.T)
        labels = range(len(counts)) if labels is None else labels
        return cls(tuple(labels), counts, int(counts.sum()), weighted=not whole)

    @classmethod
    @checked
    def of(
        cls,
        y_true: LabelsLike,
        y_pred: LabelsLike,
        *,
        labels: Sequence[Label] | None = None,
        sample_weight: npt.ArrayLike | None = None,
        others: Literal["error", "drop"] = "error",
        source: str = "labels",
    ) -> Confusion:
        """Count items by true and predicted label.

        `labels` orders the classes and may name some that no row has. A row with any other label is an error, or is
        dropped (`others="drop"`), as scikit-learn does. Whole-number weights mean repetition.

        >>> Confusion.of(["cat", "dog", "dog"], ["cat", "cat", "dog"]).counts.tolist()
        [[1, 0], [1, 1]]
        >>> Confusion.of([0, 1, 2], [0, 2, 1], labels=[2, 1])
        Traceback (most recent call last):
        germane.errors.InputError: labels: expected one of the labels 2, 1, found 0 as truth in row 1
        Hint: declare it too: `labels=…`
        """
        from germane.tables.decisions.count_confusion import count_confusion

        return count_confusion(y_true, y_pred, labels=labels, sample_weight=sample_weight, others=others, source=source)

    def __len__(self) -> int:
        return len(self.labels)

    @property
    def total(self) -> np.int64 | np.float64:
        """The sum of all counts."""
        return cast("np.int64 | np.float64", self.counts.sum())

    @property
    def support(self) -> Counts:
        """Number of items of each true class."""
        return np.asarray(self.counts.sum(axis=1))

    def place(self, label: Label) -> int:
        """Return the index of a class."""
        if label not in self.labels:
            known = [str(known) for known in self.labels]
            hint = f"choose from {', '.join(known[:20])}{', …' if len(known) > 20 else ''}"
            raise GermaneError(f"unknown class {label!r}{did_you_mean(str(label), known)}", hint=hint)
        return self.labels.index(label)

    def cells(self, label: Label) -> Cells:
        """Return the cells of one class against all others."""
        return Cells(*(column[self.place(label)].item() for column in self.all_cells()))

    def all_cells(self) -> Cells:
        """Return the cells of each class against all others, as arrays with one entry per class."""
        return one_versus_rest(self.counts)

    def collapsed(self, label: Label) -> Confusion:
        """Return the two-by-two matrix of one class against the rest; the class is last, as the positive one."""
        tp, fp, fn, tn = self.cells(label)
        return Confusion((f"not {label}", label), np.asarray([[tn, fp], [fn, tp]]), self.num_rows, self.weighted)

    def reordered(self, labels: Sequence[Label]) -> Confusion:
        """Return the matrix with the classes in another order."""
        at = [self.place(label) for label in labels]
        return Confusion(tuple(labels), self.counts[np.ix_(at, at)], self.num_rows, self.weighted)

    def normalised(self, by: Normalise) -> FloatArray:
        """Return shares of the true class (rows add to 1), of the predicted class (columns do), or of all items."""
        axis = {"truth": 1, "prediction": 0, "all": None}[by]
        with np.errstate(invalid="ignore"):
            return np.asarray(self.counts / self.counts.sum(axis=axis, keepdims=True))

    def __str__(self) -> str:
        """Return the counts with their totals, as a table."""
        from germane.tables.decisions.confusion_tables import matrix_table

        return str(matrix_table(self)).rstrip("\n")


def one_versus_rest(counts: Any) -> Cells:
    """Return each class against all others, for one matrix or a stack of them (last axes: truth, prediction).

    >>> [column.tolist() for column in one_versus_rest(np.asarray([[20, 10], [180, 1820]]))]
    [[20, 1820], [180, 10], [10, 180], [1820, 20]]
    """
    tp = np.diagonal(counts, axis1=-2, axis2=-1)
    if tp.shape[-1] == 2:  # differences of sums of weights would leave a rest where there is nothing
        fn = np.diagonal(counts[..., ::-1], axis1=-2, axis2=-1)
        return Cells(tp, fn[..., ::-1], fn, tp[..., ::-1])
    fp = counts.sum(axis=-2) - tp
    fn = counts.sum(axis=-1) - tp
    return Cells(tp, fp, fn, counts.sum(axis=(-2, -1))[..., None] - tp - fp - fn)


def _are_different(labels: Sequence[Any]) -> bool:
    return all(isinstance(label, Label) for label in labels) and len(set(labels)) == len(labels)


def _square(matrix: Any) -> tuple[Counts, tuple[Label, ...] | None]:
    """Return the counts, and the labels if the matrix is a data frame: its columns, and its index if named."""
    names = frame_columns(matrix)
    if names is not None:
        index = list(matrix.index) if hasattr(matrix, "index") else None
        rows = names if index is None or index == list(range(len(index))) else index
        if sorted(map(str, rows)) != sorted(map(str, names)):
            problem = f"expected the same labels as rows and columns, found {rows[:5]} and {names[:5]}"
            hint = "add the missing labels: matrix.reindex(index=labels, columns=labels, fill_value=0)"
            raise GermaneError(problem, hint=hint)
        names = rows
        matrix = np.stack([np.asarray(frame_column(matrix, name)) for name in rows], axis=1) if rows else ()
    if isinstance(matrix, Mapping | str | bytes) or not isinstance(matrix, Iterable):
        raise GermaneError(f"expected a square matrix of counts, found {type(matrix).__name__}")
    dense = dense_array(matrix, "count", "matrix")
    try:
        counts = np.asarray(matrix if dense is None else dense)
    except ValueError:
        raise GermaneError("expected a square matrix of counts, found rows of several lengths") from None
    counts = plain_array(matrix, "count", "matrix") if isinstance(matrix, np.ndarray) else counts
    return counts, None if names is None else tuple(n.item() if isinstance(n, np.generic) else n for n in names)
