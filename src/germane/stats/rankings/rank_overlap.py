"""Rank-biased overlap (RBO): similarity of two truncated lists that need not contain the same items.

RBO = (1 - p) / p * sum of A(d) * p^d over all depths d, where A(d) is the agreement of the lists at depth d: the share
of items in both. Items beyond the end of a list are unknown, so RBO has a range: `Overlap`.
"""

from __future__ import annotations

import math
from typing import Literal, NamedTuple, get_args

import numpy as np

from germane.stats.rankings.coefficients import COEFFICIENTS
from germane.stats.rankings.ranked_items import Ranking
from germane.tables.columns.ids import FloatArray, IntArray

TieRule = Literal["w", "a", "b"]


class Overlap(NamedTuple):
    """RBO of truncated lists: the minimum, the residual (maximum − minimum), and the extrapolated value."""

    min: float
    residual: float
    extrapolated: float


def overlap(a: Ranking, b: Ranking, p: float, ties: TieRule) -> Overlap:
    """Return the rank-biased overlap of two non-empty rankings; p is between 0 and 1.

    Formulas:   Webber, Moffat & Zobel, "A Similarity Measure for Indefinite Rankings", TOIS 2010, for lists of uneven
        length too; with ties Corsi & Urbano, "The Treatment of Ties in Rank-Biased Overlap", SIGIR 2024.

    >>> found = overlap(Ranking.of("abc"), Ranking.of("bad"), 0.5, "a")
    >>> [round(value, 4) for value in found]                     # 2 ln 2 - 1; 11/24 less that; 5/12
    [0.3863, 0.072, 0.4167]
    """
    short, long = sorted((a, b), key=len)
    s, l = len(short), len(long)  # noqa: E741 - the letters of both papers
    depth = np.arange(1, l + 1)
    shared = _shared(short, long, depth, ties)
    size = _size(short, long, depth, ties)
    at_end = float(shared[s - 1] / size[s - 1])
    # Beyond s, the items of the short list are unknown; at best, each is the top item that only the long list has.
    unseen = np.maximum(depth - s, 0)
    whole, partly, part = _only_in_long(short, long, depth, ties)
    most = np.minimum(unseen, whole) + part * np.clip(unseen - whole, 0, partly)
    likely = unseen * at_end * (whole + part * partly) / np.maximum(whole + partly, 1)
    weight = p**depth
    overlaps = (shared, shared + most, shared + likely)
    low, high, extrapolated = (float(np.cumsum(weight * each / size)[-1]) for each in overlaps)
    common = round(float(shared[-1]))
    # Beyond both lists: nothing more shared (minimum), as much as possible (maximum), or constant agreement.
    low += common * (-math.log1p(-p) - float(np.cumsum(weight / depth)[-1]))
    full = l + s - common  # the depth at which both lists can contain the same items
    further = np.arange(l + 1, full + 1)
    high += math.fsum(p**further * (2 * further - full) / further) + p ** (full + 1) / (1 - p)
    extrapolated += (common + (l - s) * at_end) / l * p ** (l + 1) / (1 - p)
    low, high, extrapolated = (min((1 - p) / p * value, 1.0) for value in (low, high, extrapolated))
    return Overlap(low, high - low, extrapolated)


def _shared(short: Ranking, long: Ranking, depth: IntArray, ties: TieRule) -> FloatArray:
    """Return the overlap at each depth: the sum over items of (share in one list) * (share in the other)."""
    place = {item: i for i, item in enumerate(short.ids)}
    pairs = np.asarray([(place[item], i) for i, item in enumerate(long.ids) if item in place], dtype=np.int64)
    of_short, of_long = pairs.reshape(-1, 2).T
    starts = np.maximum(short.first[of_short], long.first[of_long])
    ends = starts if ties == "w" else np.maximum(short.last[of_short], long.last[of_long])
    shared = np.cumsum(np.bincount(ends, minlength=len(depth) + 1))[1:].astype(np.float64)
    growing = starts < ends
    stretches = np.stack((short.first[of_short], short.last[of_short], long.first[of_long], long.last[of_long]), axis=1)
    for (f, g, h, i), count in zip(*np.unique(stretches[growing], axis=0, return_counts=True), strict=True):
        d = np.arange(max(f, h), max(g, i))
        shared[d - 1] += count * _share(d, f, g) * _share(d, h, i)
    return shared


def _share(depth: IntArray, first: int, last: int) -> FloatArray:
    """Return the expected share of each member of a tie group within a depth, over all orders of the group."""
    return np.minimum((depth - first + 1) / (last - first + 1), 1.0)


def _size(short: Ranking, long: Ranking, depth: IntArray, ties: TieRule) -> FloatArray:
    """Return the overlap at each depth if the lists agreed."""
    if ties == "a":
        return depth.astype(np.float64)
    one, other = (_own_size(ranking, depth, ties) for ranking in (short, long))
    return (one + other) / 2 if ties == "w" else np.sqrt(one * other)


def _own_size(ranking: Ranking, depth: IntArray, ties: TieRule) -> FloatArray:
    """Return the size of one list at each depth; beyond its end, the depth itself."""
    size = depth.astype(np.float64)
    within = slice(len(ranking))
    if ties == "w":
        size[within] = ranking.last  # a tie group counts as a whole
    else:
        before = ranking.first - 1
        size[within] = before + (depth[within] - before) ** 2 / (ranking.last - before)
    return size


def _only_in_long(
    short: Ranking, long: Ranking, depth: IntArray, ties: TieRule
) -> tuple[IntArray, IntArray, FloatArray]:
    """Count at each depth the items only in the long list: whole ones, partial ones, and the share of the latter."""
    known = set(short.ids)
    only = np.fromiter((item not in known for item in long.ids), dtype=bool, count=len(long))
    up_to = np.concatenate(([0], np.cumsum(only)))
    through = up_to[long.last]
    if ties == "w":
        return through, np.zeros(len(long), dtype=np.int64), np.ones(len(long))
    open_group = depth < long.last
    whole = np.where(open_group, up_to[long.first - 1], through)
    return whole, through - whole, (depth - long.first + 1) / (long.last - long.first + 1)


WHAT_TIES_MEAN = {
    "w": "tied items share a rank, as in sports: a tie group counts as a whole from its first rank on.",
    "a": "averaged over all orders of the tied items: a tie means that their order is unknown.",
    "b": "as in rbo-a, with the agreement normalised for ties, so that a list reaches 1 with itself.",
}
WHAT_IS_PRINTED = {
    "": ("extrapolated", "Rank-biased overlap, extrapolated beyond the ends of the lists."),
    "-min": ("min", "Minimum of rank-biased overlap, for any items beyond the ends of the lists."),
    "-res": ("residual", "Residual of rank-biased overlap: its maximum minus its minimum."),
}


def _register(ties: TieRule, ending: str) -> None:
    attribute, summary = WHAT_IS_PRINTED[ending]

    def function(a: Ranking, b: Ranking, p: float) -> float:
        return float(getattr(overlap(a, b, p, ties), attribute))

    function.__doc__ = f"""{summary}

    Formula:    (1 - p) / p * sum of A(d) * p^d over the depths d, where A(d) is the share of items in both
    Reference:  Webber, Moffat & Zobel, "A Similarity Measure for Indefinite Rankings", TOIS 2010; with ties Corsi &
        Urbano, "The Treatment of Ties in Rank-Biased Overlap", SIGIR 2024.
    Ties:       {WHAT_TIES_MEAN[ties]}
    Undefined:  an empty ranking
    """
    COEFFICIENTS.define(f"rbo-{ties}{ending}", kind="bound" if ending else "overlap")(function)


for _ties in get_args(TieRule):
    for _ending in WHAT_IS_PRINTED:
        _register(_ties, _ending)
