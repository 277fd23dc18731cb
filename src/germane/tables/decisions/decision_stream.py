"""Count decisions part by part without keeping rows: exact counts, and an AUC with a proven error bound.

Scores are counted into bins, positives and negatives separately. The order of two scores in different bins is known; in
the same bin it is unknown, unless the bin holds a single value, where they are tied. So the AUC is known except for the
pairs that share a bin.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from germane import kernels
from germane.errors import GermaneError, InputError
from germane.tables.columns.ids import BoolArray, FloatArray, first_row
from germane.tables.decisions.confusion import Cells, Confusion, Counts, Label
from germane.tables.decisions.labels import MOST_LABELS, Labels, encode_labels
from germane.tables.decisions.weights import require_weights

BINS = 1 << 16


class AreaBounds(NamedTuple):
    """An AUC, and the maximum error of it."""

    value: float
    error_bound: float


class StreamedDecisions:
    """Counter of rows that are added part by part: labels may appear late, scores may be any number but NaN.

    `positive` is the label that high scores stand for. The bins come from the scores of the first part: each has the
    same share of them. A bin includes its own edge and excludes the next one. A score that would fill a bin alone, and
    every score where there are few different ones, gets its own bin. With `edges`, bins are fixed beforehand, and
    counts from several places can be merged.

    >>> seen = StreamedDecisions(positive="yes", threshold=0.5)
    >>> seen.add(["yes", "no", "yes"], score=[0.9, 0.9, 0.4])
    >>> seen.add(["no"], score=[0.1])
    >>> seen.at_threshold, seen.auc_bounds()
    (Cells(TP=1, FP=1, FN=1, TN=1), AreaBounds(value=0.625, error_bound=0.0))
    """

    def __init__(
        self,
        *,
        positive: Label = True,
        threshold: float | None = None,
        bins: int = BINS,
        edges: FloatArray | None = None,
    ) -> None:
        self.positive, self.threshold = positive, threshold
        self.num_rows = 0
        self.weighted = False
        """Whether some weight was not an integer, so that counts are sums of weights."""
        self.class_sizes: dict[Label, int] = {}
        """Number of rows of each true class so far, whatever their weights."""
        self._bins, self._edges = bins, edges
        self._by_bin: Counts = np.zeros((2, 1 if edges is None else len(edges) + 1), dtype=np.int64)
        """Positives and negatives in each bin."""
        self._cells: Counts = np.zeros(4, dtype=np.int64)
        """TN, FN, FP and TP at the threshold; differences of sums of weights would not be exactly 0."""
        self._places: dict[Label, int] = {}
        self._counts: Counts = np.zeros((0, 0), dtype=np.int64)

    def add(
        self,
        truth: Any,
        *,
        predicted: Any = None,
        score: npt.ArrayLike | None = None,
        weight: npt.ArrayLike | None = None,
        source: str = "labels",
    ) -> None:
        """Count more rows; whole-number weights mean repetition."""
        true = encode_labels(truth, "truth", source)
        self._require_one_kind(true, source)
        weights = None if weight is None else self._weights(weight, len(true), source)
        for label, size in zip(true.values, np.bincount(true.codes, minlength=len(true.values)).tolist(), strict=True):
            self.class_sizes[label] = self.class_sizes.get(label, 0) + size
        if predicted is not None:
            self._add_pairs(true, encode_labels(predicted, "prediction", source), weights, source)
        if score is not None:
            self._add_scores(true, np.asarray(score, dtype=np.float64), weights, source)
        self.num_rows += len(true)

    def merge(self, other: StreamedDecisions, source: str = "labels") -> None:
        """Add the counts of another counter, with the same positive label, threshold and edges.

        Counts are exact in any order of merging; sums of weights that are not whole are rounded as usual.

        >>> here, there = (StreamedDecisions(positive="yes", edges=np.asarray([0.5])) for _ in range(2))
        >>> here.add(["yes"], score=[0.9])
        >>> there.add(["no"], score=[0.2])
        >>> here.merge(there)
        >>> here.class_sizes, here.auc_bounds().value
        ({'yes': 1, 'no': 1}, 1.0)
        """
        if self._edges is None or other._edges is None:
            same_bins = self._edges is other._edges
        else:
            same_bins = np.array_equal(self._edges, other._edges)
        if not (same_bins and self.positive == other.positive and self.threshold == other.threshold):
            raise GermaneError("cannot merge counts with different positive labels, thresholds or bins")
        self._require_one_kind(encode_labels(list(other.class_sizes), "truth", source), source)
        self.weighted = self.weighted or other.weighted
        self.num_rows += other.num_rows
        for label, size in other.class_sizes.items():
            self.class_sizes[label] = self.class_sizes.get(label, 0) + size
        self._by_bin = self._by_bin + other._by_bin
        self._cells = self._cells + other._cells
        grown = self._grown(tuple(other._places), source)
        at = [self._places[label] for label in other._places]
        grown[np.ix_(at, at)] += other._counts
        self._counts = grown

    @property
    def confusion(self) -> Confusion:
        """The exact confusion matrix of all rows so far."""
        if not self._places:
            raise GermaneError("expected predictions for a confusion matrix, found none so far")
        labels = tuple(sorted(self._places))
        at = [self._places[label] for label in labels]
        return Confusion(labels, self._counts[np.ix_(at, at)], self.num_rows, self.weighted)

    @property
    def at_threshold(self) -> Cells:
        """The exact four cells at the threshold; a score at the threshold counts as positive."""
        if self.threshold is None:
            raise GermaneError("the four cells require a threshold, found none", hint="use `threshold=…`")
        tn, fn, fp, tp = self._cells.tolist()
        return Cells(tp, fp, fn, tn)

    def auc_bounds(self) -> AreaBounds:
        """Return the AUC, with pairs within a bin counted as half, and the bound of the resulting error.

        Formula:    value = (pairs in order + pairs within a bin / 2) / (P N)
                    error_bound = (pairs within bins that may hold several values / 2) / (P N)
        Edge cases: Without positives or without negatives both are NaN. Counts are exact; with weights that are not
                    integers, sums of them are rounded as usual.
        """
        positives, negatives = self._by_bin.tolist()
        num_pairs = sum(positives) * sum(negatives)
        if not num_pairs:
            return AreaBounds(float("nan"), float("nan"))
        twice_won = twice_unsure = below = 0
        for positive, negative, single in zip(positives, negatives, self._single_valued().tolist(), strict=True):
            within = positive * negative
            twice_won += 2 * positive * below + within
            twice_unsure += 0 if single else within
            below += negative
        halves = (Fraction(twice) / Fraction(2 * num_pairs) for twice in (twice_won, twice_unsure))
        return AreaBounds(*map(float, halves))

    def _add_pairs(self, true: Labels, predicted: Labels, weights: Counts | None, source: str) -> None:
        if len(true) != len(predicted):
            problem = f"expected as many predictions as labels, found {len(predicted)} and {len(true)}"
            raise InputError(source, None, problem)
        self._require_one_kind(predicted, source)
        grown = self._grown((*true.values, *predicted.values), source)
        rows, columns = ([self._places[label] for label in labels.values] for labels in (true, predicted))
        pairs = true.codes.astype(np.int64) * len(columns) + predicted.codes
        sums = self._sums(pairs, weights, len(rows) * len(columns))
        grown[np.ix_(rows, columns)] += sums.reshape(len(rows), len(columns))
        self._counts = grown

    def _grown(self, labels: Sequence[Label], source: str) -> Counts:
        """Return the matrix extended for these labels."""
        for label in labels:
            self._places.setdefault(label, len(self._places))
        if len(self._places) > MOST_LABELS:
            problem = f"expected at most {MOST_LABELS:,} different labels, found {len(self._places):,}"
            raise InputError(source, None, problem, hint="is this a column of scores or of ids?")
        grown: Counts = np.zeros((len(self._places),) * 2, dtype=np.float64 if self.weighted else np.int64)
        grown[: len(self._counts), : len(self._counts)] = self._counts
        return grown

    def _add_scores(self, true: Labels, scores: FloatArray, weights: Counts | None, source: str) -> None:
        if scores.shape != (len(true),):
            raise InputError(source, None, f"expected as many scores as labels, found {len(scores)} and {len(true)}")
        if (row := first_row(np.isnan(scores))) is not None:
            raise InputError(source, None, f"expected a number as score, found NaN in row {self.num_rows + row + 1}")
        if not len(scores):
            return
        is_positive = np.zeros(len(true), dtype=np.bool_)
        if self.positive in true.values:
            is_positive = np.ascontiguousarray(true.codes == true.values.index(self.positive))
        if self._edges is None:
            self._edges = edges_of(scores, self._bins)
            self._by_bin = np.zeros((2, len(self._edges) + 1), dtype=np.int64)
        if self.threshold is not None:
            cell = is_positive + 2 * (scores >= self.threshold)
            self._cells = self._cells + self._sums(cell, weights, 4)
        if weights is None and not self.weighted:
            kernels.add_to_histogram(np.ascontiguousarray(scores), is_positive, self._edges, *self._by_bin)
            return
        weights = np.ones(len(scores)) if weights is None else weights
        bins = np.searchsorted(self._edges, scores, side="right") + np.where(is_positive, 0, self._by_bin.shape[1])
        self._by_bin = self._by_bin + self._sums(bins, weights, self._by_bin.size).reshape(2, -1)

    def _weights(self, weight: npt.ArrayLike, num_rows: int, source: str) -> Counts:
        weights: Counts = np.asarray(weight)
        if weights.shape != (num_rows,):
            raise InputError(source, None, f"expected as many weights as labels, found {len(weights)} and {num_rows}")
        require_weights(weights, source)
        self.weighted = self.weighted or bool((weights != np.rint(weights)).any())
        return weights

    def _sums(self, codes: npt.NDArray[Any], weights: Counts | None, size: int) -> Counts:
        """Return the number of rows of each code, or their total weight."""
        counts: Counts = np.bincount(codes, weights, minlength=size)
        return counts if self.weighted else np.rint(counts).astype(np.int64)

    def _single_valued(self) -> BoolArray:
        """Return which bins can hold only one value: those whose next edge is the next larger number."""
        if self._edges is None:
            return np.zeros(1, dtype=np.bool_)
        starts = np.concatenate(([-np.inf], self._edges))
        last = starts[-1] == np.inf  # the last bin has no end: infinity belongs to it
        return np.append(_next_number(starts[:-1]) == self._edges, last)

    def _require_one_kind(self, labels: Labels, source: str) -> None:
        seen = next(iter(self.class_sizes), labels.values[0] if labels.values else None)
        other = next((value for value in labels.values if isinstance(value, str) != isinstance(seen, str)), None)
        if other is not None:
            problem = f"expected labels of one kind, found {seen!r} and {other!r}"
            raise InputError(source, None, problem, hint="text and numbers are never the same label: convert one")


def edges_of(scores: FloatArray, most_bins: int) -> FloatArray:
    """Return the lower edges of bins with equal shares of these scores, without the first bin, below all edges.

    A score that would fill several bins gets its own, up to the next larger number.

    >>> edges_of(np.asarray([1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0]), 4)
    array([3., 5., 7.])
    >>> edges_of(np.asarray([0.0, 0.0, 0.0, 1.0]), 4)
    array([0.e+000, 5.e-324, 1.e+000, 1.e+000])
    """
    ordered = np.sort(scores)
    alone = ordered[np.append(True, ordered[1:] != ordered[:-1])]
    cuts = alone
    if 2 * len(alone) > most_bins:
        cuts = ordered[np.arange(1, most_bins) * len(ordered) // most_bins]
        alone = cuts[1:][cuts[1:] == cuts[:-1]]
    return np.unique(np.concatenate((cuts, _next_number(alone))))


def _next_number(values: FloatArray) -> FloatArray:
    with np.errstate(over="ignore"):  # after the largest number comes infinity
        return np.asarray(np.nextafter(values, np.inf))
