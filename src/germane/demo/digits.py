"""A picture collection that needs no network: the handwritten digits that scikit-learn brings, 8 × 8 pixels each.

Three ways to make a vector of a picture, each a step away from where the ink is to how the strokes run. A picture is a
query, relevant are the other pictures of the same digit.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from germane.api.comparisons.comparison import compare
from germane.api.vectors.evaluation import evaluate
from germane.api.vectors.nearest import nearest
from germane.errors import MissingExtraError
from germane.tables.columns.ids import FloatArray, IntArray
from germane.tables.results.comparison import SystemComparison
from germane.tables.results.scores import Scores

MEASURES = ("AP", "Rprec", "P@1", "P@10")
ORIENTATIONS = 8
CELL, STEP = 4, 2
"""Cells of 4 × 4 pixels that begin at every second pixel, so that they overlap."""


@dataclass(frozen=True)
class Feature:
    """A way to make a vector of a picture, and what it is in words."""

    name: str
    what: str
    vectors: Callable[[FloatArray], npt.NDArray[np.float32]]


@dataclass(frozen=True, eq=False)
class Collection:
    """The pictures, from 0 (paper) to 16 (ink), and the digit that each one is."""

    pictures: FloatArray
    digit: IntArray


@dataclass(frozen=True, eq=False)
class DigitsComparison:
    """The three features on all pictures: what they score, how they differ, and whom they take for a neighbour."""

    collection: Collection
    features: tuple[Feature, ...]
    dimensions: tuple[int, ...]
    scores: Scores
    """With the queries of each digit as a slice."""
    comparison: SystemComparison
    neighbours: tuple[IntArray, ...]
    """For each feature the nearest pictures of each picture, nearest first."""


def read_digits() -> Collection:
    """The 1,797 pictures, which are in scikit-learn's package."""
    try:
        from sklearn.datasets import load_digits
    except ModuleNotFoundError:
        raise MissingExtraError("reading the digits of scikit-learn", "learn") from None
    digits: Any = load_digits()
    return Collection(np.asarray(digits.images, dtype=np.float64), np.asarray(digits.target, dtype=np.int64))


def pixels(pictures: FloatArray) -> npt.NDArray[np.float32]:
    """The picture itself: how much ink each pixel has."""
    return pictures.reshape(len(pictures), -1).astype(np.float32)


def projections(pictures: FloatArray) -> npt.NDArray[np.float32]:
    """The ink in each row, in each column and along each diagonal, both ways.

    >>> projections(np.eye(2)[None])
    array([[1., 1., 1., 1., 0., 2., 0., 1., 0., 1.]], dtype=float32)
    """
    size = pictures.shape[1]
    row, column = np.indices((size, size))
    lines = [row, column, row - column + size - 1, row + column]
    flat = pictures.reshape(len(pictures), -1)
    sums = [flat @ (line.ravel()[:, None] == np.arange(line.max() + 1)) for line in lines]
    return np.concatenate(sums, axis=1).astype(np.float32)


def gradients(pictures: FloatArray) -> npt.NDArray[np.float32]:
    """A histogram of oriented gradients in each cell: in which direction, and how steeply, ink turns into paper.

    A gradient between two of the eight directions is divided between them.
    """
    down, right = np.gradient(pictures, axis=(1, 2))
    steepness = np.hypot(down, right)
    direction = np.arctan2(down, right) / (2 * np.pi) * ORIENTATIONS
    below = np.floor(direction)
    share = direction - below
    first = below.astype(np.int64) % ORIENTATIONS
    bins = np.arange(ORIENTATIONS)
    parts = (first[..., None] == bins) * (1 - share[..., None])
    parts += ((first[..., None] + 1) % ORIENTATIONS == bins) * share[..., None]
    parts *= steepness[..., None]
    starts = range(0, pictures.shape[1] - CELL + 1, STEP)
    cells = [parts[:, y : y + CELL, x : x + CELL].sum(axis=(1, 2)) for y in starts for x in starts]
    return np.concatenate(cells, axis=1).astype(np.float32)


FEATURES = (
    Feature("pixels", "how much ink each of the 8 × 8 pixels has", pixels),
    Feature("projections", "how much ink lies in each row, column and diagonal", projections),
    Feature("gradients", "in which directions the ink ends, counted in nine overlapping cells", gradients),
)


def compare_features(collection: Collection, num_neighbours: int = 10) -> DigitsComparison:
    """Rank all other pictures for each one, by each feature, and compare. Every feature is compared by its cosine."""
    vectors = {feature.name: feature.vectors(collection.pictures) for feature in FEATURES}
    labels = collection.digit.tolist()
    slices = {str(row): str(digit) for row, digit in enumerate(labels)}
    scores = evaluate(None, vectors, measures=MEASURES, query_labels=labels, interval="t", slices=slices)
    compared = compare(replace(scores, slices={}))  # the digits are looked at, not tested
    runs = [nearest(matrix, k=num_neighbours) for matrix in vectors.values()]
    neighbours = tuple(np.asarray([int(doc) for doc in run.docs]).reshape(-1, num_neighbours) for run in runs)
    dimensions = tuple(matrix.shape[1] for matrix in vectors.values())
    return DigitsComparison(collection, FEATURES, dimensions, scores, compared, neighbours)
