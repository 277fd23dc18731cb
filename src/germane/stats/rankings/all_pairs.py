"""Rank-biased overlap and Kendall's tau-b between every two of many rankings of one query.

The definitions are those of `rbo-a` and `tau-b`; a hundred systems make 4,950 pairs a query, so a ranking is compared
with all others at once. What one ranking lacks stands at its end, in the other's order and with its ties.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from germane.stats.rankings.ranked_items import Item, Ranking
from germane.tables.columns.ids import FloatArray, IntArray


def overlap_and_tau(rankings: Sequence[Ranking], p: float) -> tuple[FloatArray, FloatArray]:
    """Return rbo-a and tau-b of each two rankings as square matrices; undefined values and the diagonal are NaN.

    >>> overlap, tau = overlap_and_tau([Ranking.of("abc"), Ranking.of("bad"), Ranking.of("abc")], 0.5)
    >>> overlap[1].round(4).tolist(), tau[2].round(4).tolist()   # 5/12; four of six pairs in order less two
    ([0.4167, nan, 0.4167], [1.0, 0.3333, nan])
    """
    count = len(rankings)
    overlap, tau = np.full((count, count), np.nan), np.full((count, count), np.nan)
    there = [i for i, ranking in enumerate(rankings) if len(ranking)]
    if len(there) > 1:
        table = _Table.of([rankings[i] for i in there])
        for place in range(1, len(there)):
            sides = table.against(place)
            i, others = there[place], there[:place]
            overlap[i, others] = overlap[others, i] = _overlaps(sides, p)
            tau[i, others] = tau[others, i] = _taus(sides)
    return overlap, tau


@dataclass(frozen=True, eq=False)
class _Table:
    """Rankings in rows: items by place, and the ranks over which each item's ties stretch, by place and by item.

    Beyond the end of a ranking stands an item that no ranking has; the ranks of an item that it lacks are 0.
    """

    sizes: IntArray
    items: IntArray
    first: IntArray
    last: IntArray
    first_of: IntArray
    last_of: IntArray

    @cached_property
    def tied(self) -> bool:
        """Whether any ranking has ties."""
        return bool((self.first < self.last).any())

    @classmethod
    def of(cls, rankings: Sequence[Ranking]) -> _Table:
        number: dict[Item, int] = {}
        own = [[number.setdefault(item, len(number)) for item in ranking.ids] for ranking in rankings]
        sizes = np.asarray([len(ranking) for ranking in rankings])
        shape = (len(rankings), int(sizes.max()))
        items, first, last = np.full(shape, len(number)), np.ones(shape, np.int64), np.ones(shape, np.int64)
        first_of, last_of = (np.zeros((len(rankings), len(number) + 1), np.int64) for _ in range(2))
        for row, (ranking, numbers) in enumerate(zip(rankings, own, strict=True)):
            items[row, : len(numbers)] = numbers
            first[row, : len(numbers)] = first_of[row, numbers] = ranking.first
            last[row, : len(numbers)] = last_of[row, numbers] = ranking.last
        return cls(sizes, items, first, last, first_of, last_of)

    def against(self, row: int) -> _Sides:
        """One ranking, a, set against every ranking before it, b."""
        size = int(self.sizes[row])
        items = self.items[row, :size]
        first_in_b = self.first_of[:row, items]
        b_in_a = self.first_of[row][self.items[:row]] > 0
        within = np.arange(self.items.shape[1]) < self.sizes[:row, None]
        return _Sides(
            a=_Side(
                self.first[row, :size], self.last[row, :size], np.asarray(size), _counted(first_in_b == 0), self.tied
            ),
            b=_Side(self.first[:row], self.last[:row], self.sizes[:row], _counted(within & ~b_in_a), self.tied),
            first_in_b=first_in_b,
            last_in_b=self.last_of[:row, items],
            common_of_b=_counted(b_in_a),
        )


@dataclass(frozen=True, eq=False)
class _Side:
    """One side of many pairs: its ties by place, its size, and how many items of its own it has before each place."""

    first: IntArray
    last: IntArray
    size: IntArray
    lone: IntArray
    tied: bool

    def before(self, counts: IntArray) -> IntArray:
        """Counts before the ties of each place begin, by pair and place."""
        return _at(counts, self.first - 1) if self.tied else counts[:, :-1]

    def through(self, counts: IntArray) -> IntArray:
        """Counts up to where the ties of each place end, by pair and place."""
        return _at(counts, self.last) if self.tied else counts[:, 1:]

    @property
    def tied_pairs(self) -> IntArray:
        """How many pairs of items of this side are tied."""
        found: IntArray = (self.last - self.first).sum(axis=-1) // 2  # beyond the end both are 1
        return found

    @property
    def tied_lone_pairs(self) -> IntArray:
        """How many pairs of items that the other side lacks are tied, by pair of rankings."""
        if not self.tied:
            return np.zeros(len(self.lone), dtype=np.int64)
        group = self.through(self.lone) - self.before(self.lone)
        found: IntArray = ((group - 1) * np.diff(self.lone, axis=1)).sum(axis=1) // 2
        return found


@dataclass(frozen=True, eq=False)
class _Sides:
    a: _Side
    b: _Side
    first_in_b: IntArray
    last_in_b: IntArray
    common_of_b: IntArray


def _at(counts: IntArray, ranks: IntArray) -> IntArray:
    """Counts before a rank, by row and place."""
    return counts[np.arange(len(counts))[:, None], ranks]


def _counted(flags: np.ndarray[tuple[int, ...], np.dtype[np.bool_]]) -> IntArray:
    """How many are set before each place of a row, and in all."""
    counts = np.zeros((flags.shape[0], flags.shape[1] + 1), dtype=np.int64)
    np.cumsum(flags, axis=1, out=counts[:, 1:])
    return counts


def _taus(sides: _Sides) -> FloatArray:
    a, b = sides.a, sides.b
    lone_a, lone_b, common = a.lone[:, -1], b.lone[:, -1], sides.common_of_b[:, -1]
    absent = sides.first_in_b == 0
    # The items of a, with the ranks that b has for them once a's own items stand at its end.
    completed = np.where(absent, b.size[:, None] + 1 + a.before(a.lone), sides.first_in_b)
    completed = completed.astype(np.min_scalar_type(-int(completed.max())))
    later = (completed[:, None, :] > completed[:, :, None]).reshape(len(completed), -1)
    signs = np.sign(a.first[None, :] - a.first[:, None]).astype(np.float32).ravel()
    # Whole numbers, so exact; a matrix product would wake a thread for each core, which takes longer.
    ordered = np.einsum("ij,j->i", later.astype(np.float32), signs).astype(np.int64)
    # The items that only b has: common ones stand above them in a, and a's own above in a but below in b.
    above = b.before(sides.common_of_b)
    below = common[:, None] - b.through(sides.common_of_b)
    ordered += ((above - below) * np.diff(b.lone, axis=1)).sum(axis=1)
    ordered += _pairs_of(lone_b) - b.tied_lone_pairs - lone_a * lone_b
    pairs = _pairs_of(common + lone_a + lone_b)
    untied_a = pairs - a.tied_pairs - b.tied_lone_pairs
    untied_b = pairs - b.tied_pairs - a.tied_lone_pairs
    with np.errstate(invalid="ignore"):  # nothing to order, or nothing but ties
        found: FloatArray = ordered / np.sqrt(untied_a) / np.sqrt(untied_b)
    return np.clip(found, -1.0, 1.0)


def _pairs_of(count: IntArray) -> IntArray:
    return count * (count - 1) // 2


def _overlaps(sides: _Sides, p: float) -> FloatArray:
    a, b = sides.a, sides.b
    size = np.broadcast_to(a.size, b.size.shape)
    short, long = np.minimum(size, b.size), np.maximum(size, b.size)
    depth = np.arange(1, b.first.shape[1] + 1)
    shared = _shared(sides, len(depth))
    rows = np.arange(len(shared))
    at_end = shared[rows, short - 1] / short
    overlaps = shared + _likely(sides, depth, short, long, at_end)
    terms = np.where(depth <= long[:, None], p**depth * overlaps / depth, 0.0)
    ends = np.asarray([p ** (n + 1) for n in range(len(depth) + 1)])[long]
    common = np.rint(shared[rows, long - 1])
    found = np.cumsum(terms, axis=1)[:, -1] + (common + (long - short) * at_end) / long * ends / (1 - p)
    limited: FloatArray = np.minimum((1 - p) / p * found, 1.0)
    return limited


def _shared(sides: _Sides, depth: int) -> FloatArray:
    """What each two have in common down to each depth, the mean over all orders of what is tied."""
    a, b, common = sides.a, sides.b, sides.first_in_b > 0
    starts, ends = np.maximum(a.first, sides.first_in_b), np.maximum(a.last, sides.last_in_b)
    row, place = np.nonzero(common)
    width = depth + 1
    counts = np.bincount(row * width + ends[row, place], minlength=len(common) * width).reshape(-1, width)
    shared = np.cumsum(counts, axis=1)[:, 1:].astype(np.float64)
    row, place = np.nonzero(common & (starts < ends))
    if not len(row):
        return shared
    ours, theirs = (a.first[place], a.last[place]), (sides.first_in_b[row, place], sides.last_in_b[row, place])
    shorter = a.size <= b.size[row]
    stretches = (*np.where(shorter, ours, theirs), *np.where(shorter, theirs, ours))
    groups, sizes = np.unique(np.stack((row, *stretches), axis=1), axis=0, return_counts=True)
    row, f, g, h, i = groups.T
    start, length = np.maximum(f, h), np.maximum(g, i) - np.maximum(f, h)
    of = np.repeat(np.arange(len(groups)), length)
    d = np.arange(len(of)) - np.repeat(np.cumsum(length) - length, length) + start[of]
    growth = sizes[of] * _share(d, f[of], g[of]) * _share(d, h[of], i[of])
    np.add.at(shared, (row[of], d - 1), growth)
    return shared


def _share(depth: IntArray, first: IntArray, last: IntArray) -> FloatArray:
    return np.minimum((depth - first + 1) / (last - first + 1), 1.0)


def _likely(sides: _Sides, depth: IntArray, short: IntArray, long: IntArray, at_end: FloatArray) -> FloatArray:
    """What the longer of two has in common with items of the shorter that are not seen, if all goes on as before."""
    found = np.zeros((len(short), len(depth)))
    for side, longer in ((sides.a, sides.a.size > sides.b.size), (sides.b, sides.b.size > sides.a.size)):
        if not longer.any():
            continue
        lone, within = side.lone[longer], slice(side.first.shape[-1])
        first, last = (ranks if ranks.ndim == 1 else ranks[longer] for ranks in (side.first, side.last))
        through, unseen = _at(lone, last), np.maximum(depth[within] - short[longer, None], 0)
        whole = np.where(depth[within] < last, _at(lone, first - 1), through)
        partly, part = through - whole, (depth[within] - first + 1) / (last - first + 1)
        expected = unseen * at_end[longer, None] * (whole + part * partly) / np.maximum(whole + partly, 1)
        found[longer, within] = np.where(depth[within] <= long[longer, None], expected, 0.0)
    return found
