"""Count decisions part by part without keeping rows: labels may appear late, and counts are exact."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from germane.errors import GermaneError, InputError
from germane.tables.decisions.confusion import Confusion, Counts, Label
from germane.tables.decisions.labels import MOST_LABELS, Labels, encode_labels
from germane.tables.decisions.weights import EXACT, count_as_floats, require_finite_total, require_weights


class StreamedDecisions:
    """Counter of rows that are added part by part, or in several places and merged.

    >>> seen = StreamedDecisions()
    >>> seen.add(["yes", "no", "yes"], predicted=["yes", "yes", "no"])
    >>> seen.add(["no"], predicted=["no"])
    >>> seen.class_sizes, seen.confusion.counts.tolist()
    ({'no': 2, 'yes': 2}, [[1, 1], [1, 1]])
    """

    def __init__(self) -> None:
        self.num_rows = 0
        self.weighted = False
        """Whether some weight was not an integer, so that counts are sums of weights."""
        self.class_sizes: dict[Label, int] = {}
        """Number of rows of each true class so far, whatever their weights."""
        self._total = 0.0
        """Total weight of the rows."""
        self._places: dict[Label, int] = {}
        self._counts: Counts = np.zeros((0, 0), dtype=np.int64)

    def add(
        self,
        truth: Any,
        *,
        predicted: Any = None,
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
        self.num_rows += len(true)

    def merge(self, other: StreamedDecisions, source: str = "labels") -> None:
        """Add the counts of another counter.

        Counts are exact in any order of merging; sums of weights that are not whole are rounded as usual.
        """
        self._require_one_kind(encode_labels(list(other.class_sizes), "truth", source), source)
        self._total += other._total
        require_finite_total(self._total, source)
        self.weighted = self.weighted or other.weighted or self._total >= EXACT
        self.num_rows += other.num_rows
        for label, size in other.class_sizes.items():
            self.class_sizes[label] = self.class_sizes.get(label, 0) + size
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

    def _weights(self, weight: npt.ArrayLike, num_rows: int, source: str) -> Counts:
        weights: Counts = np.asarray(weight)
        if weights.shape != (num_rows,):
            raise InputError(source, None, f"expected as many weights as labels, found {len(weights)} and {num_rows}")
        require_weights(weights, source)
        with np.errstate(over="ignore"):
            self._total += float(weights.sum(dtype=np.float64))
        require_finite_total(self._total, source)
        self.weighted = self.weighted or count_as_floats(weights, self._total)
        return weights

    def _sums(self, codes: npt.NDArray[Any], weights: Counts | None, size: int) -> Counts:
        """Return the number of rows of each code, or their total weight."""
        counts: Counts = np.bincount(codes, weights, minlength=size)
        return counts if self.weighted else np.rint(counts).astype(np.int64)

    def _require_one_kind(self, labels: Labels, source: str) -> None:
        seen = next(iter(self.class_sizes), labels.values[0] if labels.values else None)
        other = next((value for value in labels.values if isinstance(value, str) != isinstance(seen, str)), None)
        if other is not None:
            problem = f"expected labels of one kind, found {seen!r} and {other!r}"
            raise InputError(source, None, problem, hint="text and numbers are never the same label: convert one")
