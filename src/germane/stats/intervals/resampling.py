"""Seeded resampling: blocks of random matrices that meet the data in a matrix product.

One matrix serves all columns, so that a thousand comparisons cost one set of draws. Blocks keep memory bounded, and
the size of a block changes no number: each row takes whole 64-bit words of PCG64. The words are read raw, because
numpy promises that stream, and no other, to be the same in every version and on every machine.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from germane import kernels
from germane.errors import GermaneError
from germane.tables.columns.ids import FloatArray

BLOCK = 1 << 17
"""Numbers in a block, and in its product with the data, as a rule: a megabyte each, which a processor's cache holds."""

LARGEST_BLOCK = 1 << 21
"""Numbers in a block of a wide matrix, which would otherwise have too few rows to be worth a product: 16 MB."""

TILE, TILE_ROWS, TILE_DEPTH = 1 << 18, 32, 256
"""Multiplications in a tile, the most that OpenBLAS does without threads; draws in it, and queries at most."""

EXACT_UP_TO = 20
"""So many queries have few enough sign flips (a million) to try all of them."""

Words = npt.NDArray[np.uint64]


def bootstrap_counts(n: int, resamples: int, seed: int, *, columns: int = 1) -> Iterator[FloatArray]:
    """How often each of n queries was drawn, one resample a row; block after block.

    A block times a matrix of queries × columns gives the sums of the resamples. `columns` is how wide that matrix is:
    the wider, the shorter the blocks.

    >>> [block.sum(axis=1).tolist() for block in bootstrap_counts(4, 3, seed=1)]
    [[4.0, 4.0, 4.0]]
    """
    for rows, words in _random_words(resamples, seed, (n + 1) // 2, max(n, columns)):
        # The high half of a 32-bit number times n is a query; each is drawn 1/n of the times, to within 2**-32.
        halves = words.astype("<u8", copy=False).view("<u4")[:, :n]
        place = (np.multiply(halves, n, dtype=np.uint64) >> 32).view(np.int64)
        place += n * np.arange(rows)[:, None]
        yield np.bincount(place.ravel(), minlength=rows * n).reshape(rows, n).astype(np.float64)


def cell_draws(counts: npt.ArrayLike, resamples: int, seed: int) -> npt.NDArray[np.int64]:
    """The cells of a table when its items are drawn again: one resample a row, multinomial with the shares observed.

    Items of one cell are alike, so that no more is needed to bootstrap whatever is read off the table. Resamples do
    not depend on how many follow.

    >>> cell_draws([3, 0, 5], 2, seed=1).sum(axis=1)
    array([8, 8])
    """
    cells = np.ascontiguousarray(counts, dtype=np.int64)
    if cells.ndim != 1 or (cells < 0).any():
        raise GermaneError(f"expected counts of 0 or more to draw from, found {np.asarray(counts).tolist()}")
    words = np.random.PCG64(seed).random_raw((resamples, len(cells)))
    return kernels.multinomial_counts(cells, resamples, words)


def sign_flips(n: int, resamples: int, seed: int, *, columns: int = 1) -> Iterator[FloatArray]:
    """Rows of n signs, +1 or −1; block after block.

    Up to `EXACT_UP_TO` queries these are all flips that begin with +1, each once, whatever `resamples` says: the other
    half are their negatives. Above, they are `resamples` random ones.

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
    """Rows that mark with 1 which of n queries are treated; block after block.

    If there are no more ways than `splits`, all of them, each once; otherwise `splits` random ones.

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
    """The sums of each draw, by column and draw: ``columns.T @ draws.T``, in small tiles.

    The linear algebra library gives a large product to all cores, where each part waits for the last. On a machine
    that has other work this was seen to take twenty times as long as one core alone, and tiles stay on one.

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
    """(m* − m) / (s*/√n) by column and resample; `deviations` are from the column's mean m.

    A resample without spread has no such number: it counts as infinitely far, on the side on which its mean lies.
    """
    n = len(deviations)
    means = products(deviations, counts) / n
    variances = products(deviations**2, counts) / n - means**2
    spread = variances > 1e-12 * (deviations**2).mean(axis=0)[:, None]
    far = np.copysign(np.inf, means)
    far[np.abs(means) <= 1e-12 * np.abs(deviations).max(axis=0)[:, None]] = 0.0
    return np.where(spread, means / np.sqrt(np.where(spread, variances, 1.0) / (n - 1)), far)


def require_draws(draws: int, least: int = 1) -> None:
    """Refuse a number of draws that can show nothing."""
    if draws < least:
        raise GermaneError(f"{draws} random draws are too few", hint=f"take at least {least}; 9,999 are usual")


def _random_words(rows: int, seed: int, words: int, width: int) -> Iterator[tuple[int, Words]]:
    """Blocks of raw 64-bit words, with how many rows each has."""
    generator = np.random.Generator(np.random.PCG64(seed))
    for begin, end in _spans(rows, width):
        yield end - begin, generator.bit_generator.random_raw((end - begin, words))


def _spans(rows: int, width: int) -> Iterator[tuple[int, int]]:
    """Where each block of rows begins and ends."""
    step = max(1, BLOCK // width, min(64, LARGEST_BLOCK // width))
    for begin in range(0, rows, step):
        yield begin, min(begin + step, rows)


def _signs(words: Words, n: int) -> FloatArray:
    """The lowest n bits of each row: 0 is +1, 1 is −1."""
    bits = np.unpackbits(words.astype("<u8", copy=False).view(np.uint8), axis=1, count=n, bitorder="little")
    return 1.0 - 2.0 * bits.astype(np.float64)
