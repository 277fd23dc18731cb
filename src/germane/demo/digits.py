"""An image collection that needs no network: the handwritten digits of scikit-learn, 8 × 8 pixels each.

Three features turn an image into a vector, from the position of the ink to the direction of the strokes. Each image is
a query, and the other images of the same digit are relevant.
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
"""Cells of 4 × 4 pixels, one starting at every second pixel, so that they overlap."""


@dataclass(frozen=True)
class Feature:
    """A function that turns images into vectors, with its name and description."""

    name: str
    what: str
    vectors: Callable[[FloatArray], npt.NDArray[np.float32]]


@dataclass(frozen=True, eq=False)
class Collection:
    """Images with values from 0 (paper) to 16 (ink), and the digit of each."""

    pictures: FloatArray
    digit: IntArray


@dataclass(frozen=True, eq=False)
class DigitsComparison:
    """The three features on all images: their scores, differences and nearest neighbours."""

    collection: Collection
    features: tuple[Feature, ...]
    dimensions: tuple[int, ...]
    scores: Scores
    """Scores, with the queries of each digit as a slice."""
    comparison: SystemComparison
    neighbours: tuple[IntArray, ...]
    """For each feature, the nearest neighbours of each image, nearest first."""


def read_digits() -> Collection:
    """Read the 1,797 images that come with scikit-learn."""
    try:
        from sklearn.datasets import load_digits
    except ModuleNotFoundError:
        raise MissingExtraError("reading the digits of scikit-learn", "learn") from None
    digits: Any = load_digits()
    return Collection(np.asarray(digits.images, dtype=np.float64), np.asarray(digits.target, dtype=np.int64))


def pixels(pictures: FloatArray) -> npt.NDArray[np.float32]:
    """Return the image itself: the ink of each pixel."""
    return pictures.reshape(len(pictures), -1).astype(np.float32)


def projections(pictures: FloatArray) -> npt.NDArray[np.float32]:
    """Return the ink in each row, column and diagonal, in both directions.

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
    """Return a histogram of oriented gradients per cell: the direction and steepness of edges.

    A gradient between two of the eight directions is split between them.
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
    Feature("pixels", "ink of each of the 8 × 8 pixels", pixels),
    Feature("projections", "ink in each row, column and diagonal", projections),
    Feature("gradients", "directions of edges, counted in nine overlapping cells", gradients),
)


def compare_features(collection: Collection, num_neighbours: int = 10) -> DigitsComparison:
    """Rank all other images for each image by cosine similarity, and compare the features."""
    vectors = {feature.name: feature.vectors(collection.pictures) for feature in FEATURES}
    labels = collection.digit.tolist()
    slices = {str(row): str(digit) for row, digit in enumerate(labels)}
    scores = evaluate(None, vectors, measures=MEASURES, query_labels=labels, interval="t", slices=slices)
    compared = compare(replace(scores, slices={}))  # slices are shown, not tested
    runs = [nearest(matrix, k=num_neighbours) for matrix in vectors.values()]
    neighbours = tuple(np.asarray([int(doc) for doc in run.docs]).reshape(-1, num_neighbours) for run in runs)
    dimensions = tuple(matrix.shape[1] for matrix in vectors.values())
    return DigitsComparison(collection, FEATURES, dimensions, scores, compared, neighbours)
