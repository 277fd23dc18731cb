"""Seeded resampling: blocks of random matrices that are multiplied with the data.

One matrix serves all columns, so that a thousand comparisons need only one set of draws. Blocks bound the memory, and
their size does not change any number: each row uses whole 64-bit words of PCG64. The words are read raw, because NumPy
guarantees only that stream to be the same in every version and on every machine.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from germane import kernels
from germane.errors import GermaneError
from germane.progress import step
from germane.tables.columns.ids import FloatArray
from germane.tables.notes.counts import counted

BLOCK = 1 << 17
"""Usual number of values in a block, and in its product with the data: a megabyte each, which fits the cache."""

LARGEST_BLOCK = 1 << 21
"""Number of values in a block of a wide matrix (16 MB), which would otherwise have too few rows."""

TILE, TILE_ROWS, TILE_DEPTH = 1 << 18, 32, 256
"""Multiplications per tile (the most that OpenBLAS does without threads), draws per tile, and maximum queries."""

EXACT_UP_TO = 20
"""Enumerate all sign flips up to this many queries (2²⁰)."""

Words = npt.NDArray[np.uint64]


def bootstrap_counts(n: int, resamples: int, seed: int, *, columns: int = 1) -> Iterator[FloatArray]:
    """Yield blocks of resamples (rows): how often each of n queries was drawn.

    A block times a matrix of queries × columns gives the sums of the resamples. `columns` is the width of that matrix:
    the wider it is, the shorter the blocks.

    >>> [block.sum(axis=1).tolist() for block in bootstrap_counts(4, 3, seed=1)]
    [[4.0, 4.0, 4.0]]
    """
    for rows, words in _random_words(resamples, seed, (n + 1) // 2, max(n, columns)):
        # The high half of a 32-bit number times n is a query; each is drawn with probability 1/n, to within 2**-32.
        halves = words.astype("<u8", copy=False).view("<u4")[:, :n]
        place = (np.multiply(halves, n, dtype=np.uint64) >> 32).view(np.int64)
        place += n * np.arange(rows)[:, None]
        yield np.bincount(place.ravel(), minlength=rows * n).reshape(rows, n).astype(np.float64)


def cell_draws(counts: npt.ArrayLike, resamples: int, seed: int) -> npt.NDArray[np.int64]:
    """Resample the cells of a table: one resample per row, multinomial with the observed shares.

    Items of one cell are interchangeable, so this is enough to bootstrap any statistic of the table. Resamples do not
    depend on how many follow.

    >>> cell_draws([3, 0, 5], 2, seed=1).sum(axis=1)
    array([8, 8])
    """
    cells = np.ascontiguousarray(counts, dtype=np.int64)
    if cells.ndim != 1 or (cells < 0).any():
        raise GermaneError(f"expected counts ≥ 0, found {np.asarray(counts).tolist()}")
    words = np.random.PCG64(seed).random_raw((resamples, len(cells)))
    return kernels.multinomial_counts(cells, resamples, words)


def sign_flips(n: int, resamples: int, seed: int, *, columns: int = 1) -> Iterator[FloatArray]:
    """Yield blocks of rows of n signs, +1 or −1.

    Up to `EXACT_UP_TO` queries these are all flips that start with +1, regardless of `resamples`: the other half are
    their negatives. Above, they are `resamples` random ones.

    >>> [block.tolist() for block in sign_flips(3, 100_000, seed=0)]
    [[[1.0, 1.0, 1.0], [1.0, -1.0, 1.0], [1.0, 1.0, -1.0], [1.0, -1.0, -1.0]]]
    """
    if n <= EXACT_UP_TO:
        for begin, end in _spans(1 << (n - 1), max(n, columns)):
            yield _signs(2 * np.arange(begin, end, dtype=np.uint64)[:, None], n)
    else:
        for _, words in _random_words(resamples, seed, (n + 63) // 64, max(n, columns)):
            yield _signs(words, n)


def label_splits(treated: int, n: int, splits: int, seed: int, *, columns: int = 1) -> Iterator[FloatArray]:
    """Yield blocks of rows that mark with 1 which of n queries are treated.

    If at most `splits` different rows exist, these are all of them; otherwise `splits` random ones.

    >>> [block.tolist() for block in label_splits(1, 3, 10, seed=0)]
    [[[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]]
    """
    if math.comb(n, treated) <= splits:
        ways = itertools.combinations(range(n), treated)
        for begin, end in _spans(math.comb(n, treated), max(n, columns)):
            chosen = np.asarray(list(itertools.islice(ways, end - begin)), dtype=np.int64)
            marks = np.zeros((end - begin, n))
            np.put_along_axis(marks, chosen, 1.0, axis=1)
            yield marks
    else:
        for _, words in _random_words(splits, seed, n, max(n, columns)):
            yield (words <= np.partition(words, treated - 1, axis=1)[:, treated - 1 : treated]).astype(np.float64)


def products(columns: FloatArray, draws: FloatArray) -> FloatArray:
    """Return the sums by column and draw, ``columns.T @ draws.T``, computed in small tiles.

    The linear algebra library distributes a large product over all cores, where each part waits for the last. On a busy
    machine this took twenty times as long as one core alone; tiles stay on one core.

    >>> products(np.asarray([[1.0], [5.0]]), np.asarray([[1.0, 1.0], [1.0, -1.0]]))
    array([[ 6., -4.]])
    """
    n, width = columns.shape
    whole = len(draws) - len(draws) % TILE_ROWS
    tiled = draws[:whole].reshape(-1, TILE_ROWS, n).transpose(0, 2, 1)
    sums = np.zeros((width, len(draws)))
    tiled_sums = sums[:, :whole].reshape(width, -1, TILE_ROWS).transpose(1, 0, 2)
    depth = min(n, TILE_DEPTH)
    tile = TILE // (TILE_ROWS * depth)
    for left, top in itertools.product(range(0, width, tile), range(0, n, depth)):
        across, down = slice(left, left + tile), slice(top, top + depth)
        part = columns[down, across].T
        tiled_sums[:, across] += part @ tiled[:, down]
        sums[across, whole:] += part @ draws[whole:, down].T
    return sums


def studentised(deviations: FloatArray, counts: FloatArray) -> FloatArray:
    """Return (m* − m) / (s*/√n) by column and resample; `deviations` are from the column's mean m.

    A resample without spread counts as infinite, with the sign of its deviation.
    """
    n = len(deviations)
    means = products(deviations, counts) / n
    variances = products(deviations**2, counts) / n - means**2
    spread = variances > 1e-12 * (deviations**2).mean(axis=0)[:, None]
    far = np.copysign(np.inf, means)
    far[np.abs(means) <= 1e-12 * np.abs(deviations).max(axis=0)[:, None]] = 0.0
    return np.where(spread, means / np.sqrt(np.where(spread, variances, 1.0) / (n - 1)), far)


def require_draws(draws: int, least: int = 1) -> None:
    """Raise an error if there are too few resamples."""
    if draws < least:
        problem = f"expected at least {counted(least, 'resample')}, found {draws:,}"
        raise GermaneError(problem, hint="9,999 is a common choice")


def _random_words(rows: int, seed: int, words: int, width: int) -> Iterator[tuple[int, Words]]:
    """Yield blocks of raw 64-bit words, with their number of rows."""
    generator = np.random.Generator(np.random.PCG64(seed))
    for begin, end in _spans(rows, width):
        yield end - begin, generator.bit_generator.random_raw((end - begin, words))


def _spans(rows: int, width: int) -> Iterator[tuple[int, int]]:
    """Yield the start and end of each block of rows."""
    size = max(1, BLOCK // width, min(64, LARGEST_BLOCK // width))
    with step("resamples", rows) as drawn:
        for begin in range(0, rows, size):
            yield begin, (end := min(begin + size, rows))
            drawn.reach(end, rows)


def _signs(words: Words, n: int) -> FloatArray:
    """Convert the lowest n bits of each row to signs: 0 is +1, 1 is −1."""
    bits = np.unpackbits(words.astype("<u8", copy=False).view(np.uint8), axis=1, count=n, bitorder="little")
    return 1.0 - 2.0 * bits.astype(np.float64)
