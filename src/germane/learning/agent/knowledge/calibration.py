"""Calibration of P(R|d) by counts in score ranges, which each new judgment updates exactly and at once.

`germane.retrieval.probability.relevance_probability` fits all documents at once; an agent keeps learning when its
training documents are gone, so it stores the number of documents and of relevant ones in each range.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from germane.errors import GermaneError
from germane.tables.columns.ids import BoolArray, FloatArray

SMALLEST_RANGE = 10
"""Documents in the range of highest scores; lower ranges, where relevant documents are rare, are larger."""
GROWTH = 1.15
HALF = 0.5


@dataclass(eq=False)
class ScoreCalibration:
    """Counts by score range, lowest first.

    Formula:    P(R|score) at the centre of a range = (relevant + ½) / (documents + 1), with decreasing neighbours
                pooled (weighted by documents) so that it never falls; linear between centres, constant beyond the
                outermost
    Edge cases: A document counts in the range of its score; scores above all ranges count in the highest.

    >>> fitted = ScoreCalibration.fit(np.arange(40.0), np.arange(40) >= 30)
    >>> fitted.num_documents.tolist(), fitted.num_relevant.tolist()
    ([6.0, 13.0, 11.0, 10.0], [0.0, 0.0, 0.0, 10.0])
    >>> fitted.probabilities([0.0, 100.0]).round(3).tolist()
    [0.045, 0.955]
    >>> fitted.add([100.0], [False])
    >>> fitted.probabilities([100.0]).round(3).tolist()              # (10 + ½) / (11 + 1)
    [0.875]
    """

    lower: FloatArray
    """Lowest score of each range when it was created; lower scores count in the first."""
    middle: FloatArray
    """Mean score of each range when it was created."""
    num_documents: FloatArray
    num_relevant: FloatArray

    @classmethod
    def fit(cls, scores: npt.ArrayLike, is_relevant: npt.ArrayLike) -> ScoreCalibration:
        """Fit ranges, small at the top and growing below, and count their documents."""
        score, relevant = np.asarray(scores, np.float64), np.asarray(is_relevant, np.bool_)
        num_relevant = int(relevant.sum())
        if not 0 < num_relevant < len(score):
            found = f"{num_relevant} and {len(score) - num_relevant}"
            hint = "check that query and document ids match those of the qrels"
            raise GermaneError(f"expected relevant and non-relevant documents to learn from, found {found}", hint=hint)
        order = np.argsort(-score, kind="stable")
        score, relevant = score[order], relevant[order]
        firsts, size, place = [], float(SMALLEST_RANGE), 0
        while place < len(score):
            firsts.append(place)
            place += int(size)
            size *= GROWTH
            while place < len(score) and score[place] == score[place - 1]:  # equal scores share a range
                place += 1
        first = np.asarray(firsts)
        count = np.diff(np.append(first, len(score))).astype(np.float64)
        last = np.append(first[1:], len(score)) - 1
        return cls(
            lower=score[last][::-1].copy(),
            middle=(np.add.reduceat(score, first) / count)[::-1].copy(),
            num_documents=count[::-1].copy(),
            num_relevant=np.add.reduceat(relevant.astype(np.float64), first)[::-1].copy(),
        )

    def ranges(self, scores: npt.ArrayLike) -> npt.NDArray[np.int64]:
        """Return the range of each score."""
        place = np.searchsorted(self.lower, np.asarray(scores, np.float64), side="right") - 1
        return np.maximum(place, 0)

    def add(self, scores: npt.ArrayLike, is_relevant: npt.ArrayLike) -> None:
        """Count documents judged since."""
        place = self.ranges(scores)
        np.add.at(self.num_documents, place, 1.0)
        np.add.at(self.num_relevant, place, np.asarray(is_relevant, np.float64))

    def shares(self) -> FloatArray:
        """Return P(R|score) by range; it never falls."""
        return pooled((self.num_relevant + HALF) / (self.num_documents + 1), self.num_documents)

    def probabilities(self, scores: npt.ArrayLike) -> FloatArray:
        """Return P(R|d) for documents with these scores."""
        return np.interp(np.asarray(scores, np.float64), self.middle, self.shares())

    def copy(self) -> ScoreCalibration:
        """Return an independent copy."""
        return ScoreCalibration(*(column.copy() for column in vars(self).values()))

    def to_json(self) -> dict[str, Any]:
        """Return the counts as a JSON object."""
        return {name: column.tolist() for name, column in vars(self).items()}

    @classmethod
    def from_json(cls, given: Mapping[str, Any]) -> ScoreCalibration:
        """Return the calibration from a JSON object."""
        names = ("lower", "middle", "num_documents", "num_relevant")
        columns = [np.asarray(given[name], np.float64) for name in names]
        if len({column.shape for column in columns}) != 1 or columns[0].ndim != 1 or not len(columns[0]):
            raise ValueError("score ranges of different lengths")
        return cls(*columns)


def pooled(values: FloatArray, weights: FloatArray) -> FloatArray:
    """Return the nearest non-decreasing values: violating neighbours are replaced by their weighted mean.

    Reference:  Ayer et al., Annals of Mathematical Statistics 26 (1955), 641-647 (pool adjacent violators).

    >>> pooled(np.array([0.1, 0.4, 0.2, 0.9]), np.array([1.0, 1.0, 3.0, 1.0])).tolist()    # (0.4 + 3·0.2) / 4
    [0.1, 0.25, 0.25, 0.9]
    """
    means: list[float] = []
    weight: list[float] = []
    size: list[int] = []
    for value, own in zip(values.tolist(), weights.tolist(), strict=True):
        means.append(value)
        weight.append(own)
        size.append(1)
        while len(means) > 1 and means[-2] > means[-1]:
            both = weight[-2] + weight[-1]
            means[-2:] = [(means[-2] * weight[-2] + means[-1] * weight[-1]) / both]
            weight[-2:] = [both]
            size[-2:] = [size[-2] + size[-1]]
    return np.repeat(means, size)


def standardised(scores: FloatArray) -> FloatArray:
    """Standardise the scores of one ranking (z-scores); all 0 if they are equal."""
    spread = float(scores.std()) if len(scores) else 0.0
    return (scores - scores.mean()) / spread if spread > 0 else np.zeros(len(scores))


def brier(probabilities: FloatArray, is_relevant: BoolArray) -> float:
    """Return the Brier score: the mean squared difference between P(R|d) and the truth."""
    return float(np.mean((probabilities - is_relevant) ** 2))
