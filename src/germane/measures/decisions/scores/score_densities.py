"""Score distributions of positives and negatives, as histograms and kernel density estimates."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from germane.errors import GermaneError
from germane.tables.columns.ids import FloatArray
from germane.tables.decisions.decisions import Decisions

FINE = 2048
"""Number of histogram cells in which scores are collected before smoothing."""


@dataclass(frozen=True, eq=False)
class ScoreDensities:
    """Histogram densities of both classes on common edges, and Gaussian kernel density estimates at `grid`.

    Each density has area 1 (except for kernels that extend beyond the grid). It is NaN where a class is missing; a
    smooth one also where all scores of the class are equal, so that no bandwidth is defined. `infinite` counts the
    infinite scores, which are in none of them.
    """

    edges: FloatArray
    positive: FloatArray
    negative: FloatArray
    grid: FloatArray
    smooth_positive: FloatArray
    smooth_negative: FloatArray
    infinite: int


def score_densities(decisions: Decisions, *, bins: int = 50, points: int = 256) -> ScoreDensities:
    """Return the score densities of both classes in `bins` bins of equal width, and smoothed at `points` points.

    The bandwidth follows Silverman's rule: 0.9 min(s, IQR/1.34) n^(−1/5), or s alone if the quartiles coincide; n is
    the weight of the class.

    Reference: Silverman, Density Estimation for Statistics and Data Analysis, Chapman & Hall 1986, section 3.4.2.

    >>> spread = score_densities(Decisions.of([True, True, False], [1.0, 0.6, 0.0]), bins=2)
    >>> spread.edges.tolist(), spread.positive.tolist(), spread.negative.tolist()
    ([0.0, 0.5, 1.0], [0.0, 2.0], [2.0, 0.0])
    """
    if bins < 1 or points < 2:
        raise GermaneError(f"expected at least 1 bin and 2 points, found {bins} and {points}")
    finite = np.isfinite(decisions.thresholds)
    scores = decisions.thresholds[finite]
    low, high = (float(scores[-1]), float(scores[0])) if len(scores) else (0.0, 0.0)
    if low == high:
        low, high = low - 0.5, high + 0.5
    edges, grid = np.linspace(low, high, bins + 1), np.linspace(low, high, points)
    classes = [decisions.positives_at, decisions.negatives_at]
    positive, negative = (_histogram(scores, counts[finite], edges) for counts in classes)
    smooth_positive, smooth_negative = (_smoothed(scores, counts[finite], grid) for counts in classes)
    infinite = int(sum(counts[~finite].sum() for counts in classes))
    return ScoreDensities(edges, positive, negative, grid, smooth_positive, smooth_negative, infinite)


def bandwidth(scores: FloatArray, counts: Any) -> float:
    """Return Silverman's bandwidth for distinct scores, highest first, and their counts; NaN without spread.

    >>> round(bandwidth(np.asarray([3.0, 2.0, 1.0]), np.asarray([1, 1, 1])), 4)         # 0.9 · 1 · 3^−0.2
    0.7225
    """
    n = float(counts.sum())
    if n <= 1:
        return math.nan
    mean = float(scores @ counts) / n
    s = math.sqrt(float((scores - mean) ** 2 @ counts) / (n - 1))
    so_far = np.cumsum(counts)
    upper, lower = (scores[np.searchsorted(so_far, share * n)] for share in (0.25, 0.75))
    spread = float(upper - lower) / 1.34
    width = 0.9 * (min(s, spread) if spread > 0 else s) * n**-0.2
    return width if width > 0 else math.nan


def _histogram(scores: FloatArray, counts: Any, edges: FloatArray) -> FloatArray:
    held, _ = np.histogram(scores, len(edges) - 1, (edges[0], edges[-1]), weights=counts)
    with np.errstate(invalid="ignore"):
        return np.asarray(held / (counts.sum() * np.diff(edges)))


def _smoothed(scores: FloatArray, counts: Any, grid: FloatArray) -> FloatArray:
    """Estimate the density with Gaussian kernels; many scores are first binned, far finer than any bandwidth."""
    width = bandwidth(scores, counts)
    if math.isnan(width):
        return np.full(len(grid), math.nan)
    if len(scores) > FINE:
        held, _ = np.histogram(scores, FINE, weights=counts)
        sums, _ = np.histogram(scores, FINE, weights=counts * scores)
        scores, counts = sums[held > 0] / held[held > 0], held[held > 0]
    kernels = np.exp(-0.5 * ((grid[:, None] - scores) / width) ** 2) / (width * math.sqrt(2 * math.pi))
    return np.asarray(kernels @ (counts / counts.sum()))
