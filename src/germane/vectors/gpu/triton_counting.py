"""GPU counting kernels in Triton. With TRITON_INTERPRET=1 they run, slowly, on the CPU.

With one threshold per query, products are compared right after the multiplication and never stored; with several, they
are counted there too, while documents reach few of the thresholds (`triton_levels`). Otherwise torch multiplies, and
each product is searched among the thresholds of its query.
"""

import torch
import triton
import triton.language as tl
from triton.tools.tensor_descriptor import TensorDescriptor

from germane.vectors.gpu import torch_counting as plain
from germane.vectors.gpu import triton_levels as levels
from germane.vectors.gpu.triton_tiles import Near, docs_at_once, from_row, keep_words, multiply_tile, words_of
from germane.vectors.similarity import EUCLIDEAN

TILES: tuple[tuple[int, int], ...] = ((128, 0), (256, 0), (256, 64), (256, 128))
"""Queries per program: some, and some more in a second product with the same documents."""
MANY = 1024
"""Number of queries from which the first of these is the fastest; fewer are distributed so that little is padded."""
COLUMNS, DEPTH = 128, 64
"""Documents per program, and components per step."""
ALIGNED, FULL = 8, 64
"""Components of 16 bits that a GPU's loads must begin at, and those of a line of its memory.

Rows that are not a multiple of the first are copied with zeros at their ends; with many queries, this also pays for
rows that are not a multiple of the second.
"""
COPIED = 1 << 31
"""Bytes of such a copy at most."""
DOCS, GROUP = 1 << 16, 16
"""Documents multiplied at a time, and number of such blocks before the host collects the results."""
PAIRS, TALLIED = 32, 256
SEARCHED, SEARCHES = 1024, 8
"""Products per block, and blocks per program."""
MOST_THRESHOLDS = 255
CROWDED = 0.25
"""Share of products above the lowest threshold from which counting in the program beats counting in memory."""


def fits(block: torch.Tensor, most: int) -> bool:
    """Whether these kernels support such a block: contiguous rows, and few enough thresholds."""
    return most <= MOST_THRESHOLDS and block.is_contiguous()


def count(work, block, low, high, adjusted, histogram):
    """Count a block's documents against the thresholds of each query; yield the pairs that must be scored exactly.

    `torch_counting.count` does the same with torch operations.
    """
    for first, queries, part in _aligned(work.queries, block):
        for query, doc in _count(queries, part, low, high, _adjustment(adjusted, first, part), histogram):
            yield query, doc + first


def _aligned(queries, block):
    """Yield the whole block, or copies of its parts if its rows must be padded, with queries as wide as they are."""
    missing = -block.shape[1] % (FULL if len(queries) >= MANY else ALIGNED)
    if not missing or block.dtype.itemsize > 2:
        yield 0, queries, block
        return
    queries = torch.nn.functional.pad(queries, (0, missing))
    rows = max(1, COPIED // (block.dtype.itemsize * queries.shape[1]) // COLUMNS) * COLUMNS
    for first in range(0, len(block), rows):
        yield first, queries, torch.nn.functional.pad(block[first : first + rows], (0, missing))


def _adjustment(adjusted, first, part):
    """Return scale and offset of some documents, and whether there are any."""
    if adjusted is None:
        nothing = torch.zeros(1, device=part.device)
        return nothing, nothing, False
    return *(each[first : first + len(part)].float() for each in adjusted), True


def _count(queries, block, low, high, adjust, histogram):
    near = Near(block.device)
    done = 0
    if low.shape[1] == 2 and block.dtype.itemsize == 2:
        done = len(block) // COLUMNS * COLUMNS
        yield from _compare(queries, block[:done], low, high, adjust, histogram, near)
    elif levels.fits(block) and len(block) >= levels.COLUMNS:
        whole = len(block) // levels.COLUMNS * levels.COLUMNS
        done = yield from levels.count(queries, block[:whole], low, high, adjust, histogram, near)
    crowded = False
    # Maximum width of a threshold's window, rounded up.
    wide = torch.where(high < torch.inf, high - low, 0).amax(1) * (1 + 2.0**-20)
    for first in range(done, len(block), GROUP * DOCS):
        last = min(len(block), first + GROUP * DOCS)
        counted = torch.zeros(histogram.shape, dtype=torch.int32, device=block.device)

        def search_all(first=first, last=last, counted=counted, crowded=crowded):
            counted.zero_()
            for at in range(first, last, DOCS):
                part = block[at : min(last, at + DOCS)]
                _search(queries, part, at, high, wide, adjust, crowded, counted, near)

        near.fill(search_all)
        crowded = int(counted[:, 1:].sum()) > CROWDED * len(queries) * (last - first)
        histogram += counted
        yield from near.pairs()


def _compare(queries, block, low, high, adjust, histogram, near):
    """One threshold per query: multiply and compare in one kernel."""
    rows, more = _tile(len(queries))
    padded = triton.cdiv(len(queries), rows + more) * (rows + more)
    filler = (0, padded - len(queries))
    at_once = docs_at_once(padded, COLUMNS)
    some = TensorDescriptor.from_tensor(queries, [rows, DEPTH])
    rest = TensorDescriptor.from_tensor(queries, [more, DEPTH]) if more else None
    lowest, highest = (torch.nn.functional.pad(each[:, 0], filler, value=torch.inf) for each in (low, high))
    for first in range(0, len(block), at_once):
        part = block[first : first + at_once]
        above = torch.empty((len(part) // COLUMNS, padded), dtype=torch.int16, device=part.device)

        def compare(first=first, part=part, above=above):
            multiply_and_compare[(padded // (rows + more) * (len(part) // COLUMNS),)](
                some, rest, TensorDescriptor.from_tensor(part, [COLUMNS, DEPTH]),
                *from_row(adjust, first), lowest, highest, above, near.words, near.count, padded,
                part.shape[1], near.size, adjust[2], rows, more or 16, COLUMNS, DEPTH,
                num_warps=4 if rows == TILES[0][0] else 8, num_stages=3,
            )  # fmt: skip

        near.fill(compare)
        histogram[:, 1] += above.sum(0, dtype=torch.int64)[: len(queries)]
        yield from near.pairs(first)


def _tile(num_queries):
    """Return the queries per program that pad the least, and of these the most."""
    if num_queries >= MANY or num_queries <= TILES[0][0]:
        return TILES[0]
    return min(TILES, key=lambda tile: (triton.cdiv(num_queries, sum(tile)) * sum(tile), -sum(tile)))


def _search(queries, part, first, high, wide, adjust, crowded, counted, near):
    """Several thresholds per query: search the products of some documents among them."""
    values = plain.multiply(queries, part)
    shape = (len(queries), triton.cdiv(len(part), SEARCHED * SEARCHES))
    search[shape](
        values, *adjust[:2], high, wide, counted, near.words, near.count, first, len(part), near.size,
        adjust[2], crowded, high.shape[1], SEARCHED, SEARCHES, num_warps=4,
    )  # fmt: skip


def pair_sums(queries, docs, query, doc, kind):
    """Return, for each pair of a query row and a document row, the sum that its score is computed from."""
    out = torch.empty(len(query), dtype=torch.float64, device=queries.device)
    if len(query):
        # A product of two 16-bit or 32-bit numbers is exact in double precision, fused or not; a squared difference is
        # not: hence no fusing.
        sum_pairs[(triton.cdiv(len(query), PAIRS),)](
            queries, docs, query, doc, out, len(query), queries.shape[1], kind == EUCLIDEAN, queries.shape[1] % 16 == 0,
            PAIRS, num_warps=8, enable_fp_fusion=False,
        )  # fmt: skip
    return out


def tally(limits, histogram, query, score, sign):
    """The Triton version of `torch_counting.tally`, in one kernel."""
    below = torch.empty_like(query)
    if len(query):
        tally_scores[(triton.cdiv(len(query), TALLIED),)](
            limits, histogram, query, score, below, len(query), sign, limits.shape[1], TALLIED
        )
    return below


@triton.jit
def sum_pairs(
    queries, docs, query, doc, out, num, depth,
    IS_DISTANCE: tl.constexpr, FULL: tl.constexpr, PAIRS: tl.constexpr,
):  # fmt: skip
    """Sum each pair in double precision: component i in lane i mod 16, then the lanes pairwise."""
    pair = tl.program_id(0).to(tl.int64) * PAIRS + tl.arange(0, PAIRS)
    there = pair < num
    lane = tl.arange(0, 16)
    of_query = queries + tl.load(query + pair, mask=there, other=0)[:, None] * depth
    of_doc = docs + tl.load(doc + pair, mask=there, other=0)[:, None] * depth
    total = tl.zeros((PAIRS, 16), dtype=tl.float64)
    for k in tl.range(0, depth, 16, loop_unroll_factor=4):
        inside = None if FULL else (k + lane < depth)[None, :]
        x = tl.load(of_query + (k + lane)[None, :], mask=inside, other=None if FULL else 0.0).to(tl.float64)
        y = tl.load(of_doc + (k + lane)[None, :], mask=inside, other=None if FULL else 0.0).to(tl.float64)
        if IS_DISTANCE:
            total -= (x - y) * (x - y)
        else:
            total += x * y
    eight = tl.sum(tl.reshape(total, (PAIRS, 2, 8)), 1)
    four = tl.sum(tl.reshape(eight, (PAIRS, 2, 4)), 1)
    two = tl.sum(tl.reshape(four, (PAIRS, 2, 2)), 1)
    tl.store(out + pair, tl.sum(two, 1), mask=there)


@triton.jit
def tally_scores(limits, histogram, query, score, out, num, sign, WIDTH: tl.constexpr, TALLIED: tl.constexpr):
    """Count scores by the thresholds below them, and mark those that equal the next one."""
    at = tl.program_id(0).to(tl.int64) * TALLIED + tl.arange(0, TALLIED)
    there = at < num
    row = tl.load(query + at, mask=there, other=0) * WIDTH
    value = tl.load(score + at, mask=there, other=0.0)
    below = tl.zeros((TALLIED,), tl.int64)
    for step in tl.static_range(32):
        if (WIDTH >> (step + 1)) > 0:
            limit = tl.load(limits + row + below + ((WIDTH >> (step + 1)) - 1))
            below += tl.where(limit < value, WIDTH >> (step + 1), 0)
    tl.atomic_add(histogram + row + below, tl.zeros_like(below) + sign, mask=there, sem="relaxed")
    equal = tl.load(limits + row + below) == value
    tl.store(out + at, tl.where(equal, below, -1), mask=there)


@triton.jit
def multiply_and_compare(
    queries, rest, docs, scale, offset, lowest, highest, above, words, count, padded, depth, room,
    ADJUSTED: tl.constexpr, ROWS: tl.constexpr, MORE: tl.constexpr, COLUMNS: tl.constexpr,
    DEPTH: tl.constexpr,
):  # fmt: skip
    """Compute one tile of products; count those certainly above each query's threshold, and store those near it."""
    per_program = ROWS if rest is None else ROWS + MORE
    row_tiles = padded // per_program
    # Neighbouring programs share documents and differ in queries, so documents are read once.
    row = tl.program_id(0) % row_tiles * per_program
    column = tl.program_id(0) // row_tiles
    first, second = multiply_tile(queries, rest, docs, row, column * COLUMNS, depth, ROWS, MORE, COLUMNS, DEPTH)
    _compare_tile(
        first, row, column, scale, offset, lowest, highest, above, words, count, padded, room, ADJUSTED, ROWS, COLUMNS
    )
    if rest is not None:
        _compare_tile(
            second, row + ROWS, column, scale, offset, lowest, highest, above, words, count, padded, room,
            ADJUSTED, MORE, COLUMNS,
        )  # fmt: skip


@triton.jit
def _compare_tile(
    total, row, column, scale, offset, lowest, highest, above, words, count, padded, room,
    ADJUSTED: tl.constexpr, ROWS: tl.constexpr, COLUMNS: tl.constexpr,
):  # fmt: skip
    """Compare a tile of products with the ends of each query's window; queries after the last have infinite ends."""
    query = row + tl.arange(0, ROWS)
    if ADJUSTED:
        doc = column * COLUMNS + tl.arange(0, COLUMNS)
        total = total * tl.load(scale + doc)[None, :] + tl.load(offset + doc)[None, :]
    low, high = tl.load(lowest + query), tl.load(highest + query)
    sure = tl.sum((total > high[:, None]).to(tl.int32), 1)
    reaching = tl.sum((total >= low[:, None]).to(tl.int32), 1)
    tl.store(above + column.to(tl.int64) * padded + query, sure.to(tl.int16))
    if tl.max(reaching - sure) > 0:
        word = words_of((total >= low[:, None]) & (total <= high[:, None]), ROWS, COLUMNS)
        place = column * (COLUMNS // 32) + tl.arange(0, COLUMNS // 32)
        keep_words(word, query[:, None], place[None, :], words, count, room)


@triton.jit
def _passed(highs, value, USED: tl.constexpr):
    """Count the thresholds, fewer than `USED`, that each value has passed, and return the next one, not passed."""
    above = tl.zeros(value.shape, tl.int32)
    following = tl.full(value.shape, float("inf"), tl.float32)
    for step in tl.static_range(8):
        if (USED >> (step + 1)) > 0:
            limit = tl.gather(highs, above + ((USED >> (step + 1)) - 1), 0)
            passed = limit < value
            above += tl.where(passed, USED >> (step + 1), 0)
            following = tl.where(passed, following, limit)
    return above, following


@triton.jit
def search(
    values, scale, offset, high, wide, counted, words, count, first, num_docs, room,
    ADJUSTED: tl.constexpr, CROWDED: tl.constexpr, WIDTH: tl.constexpr, BLOCK: tl.constexpr, BLOCKS: tl.constexpr,
):  # fmt: skip
    """Count some products of one query by thresholds certainly passed, and store those near one."""
    query = tl.program_id(0)
    highs = tl.load(high + query * WIDTH + tl.arange(0, WIDTH))
    near_by = tl.load(wide + query)
    total = tl.zeros((WIDTH,), dtype=tl.int32)
    for block in range(BLOCKS):
        doc = (tl.program_id(1) * BLOCKS + block) * BLOCK + tl.arange(0, BLOCK)
        there = doc < num_docs
        value = tl.load(values + query.to(tl.int64) * num_docs + doc, mask=there, other=-float("inf"))
        if ADJUSTED:
            value = value * tl.load(scale + first + doc, mask=there, other=1.0)
            value += tl.load(offset + first + doc, mask=there, other=0.0)
        # Few documents of a block come near the highest thresholds, so those need not be searched.
        reached = tl.sum((highs - near_by <= tl.max(value)).to(tl.int32))
        if reached * 4 < WIDTH:
            above, following = _passed(highs, value, WIDTH // 4)
        elif reached * 2 < WIDTH:
            above, following = _passed(highs, value, WIDTH // 2)
        else:
            above, following = _passed(highs, value, WIDTH)
        near = (following - near_by <= value) & there
        sure = (above > 0) & (near == 0)
        if CROWDED:
            total += tl.histogram(tl.where(sure, above, 0), WIDTH)
        else:
            tl.atomic_add(counted + query * WIDTH + above, 1, mask=sure, sem="relaxed")
        if tl.max(near.to(tl.int32)) > 0:
            word = words_of(near[None, :], 1, BLOCK)
            place = (first + tl.program_id(1) * BLOCKS * BLOCK + block * BLOCK) // 32 + tl.arange(0, BLOCK // 32)
            keep_words(word, query, place[None, :], words, count, room)
    if CROWDED:
        tl.atomic_add(counted + query * WIDTH + tl.arange(0, WIDTH), total, sem="relaxed")
