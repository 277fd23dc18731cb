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
from germane.vectors.similarity import EUCLIDEAN

ROWS, COLUMNS, DEPTH = 128, 128, 64
"""Tile multiplied by one program: queries, documents, and components per step."""
DOCS, GROUP = 1 << 16, 16
"""Documents multiplied at a time, and number of such blocks before the host collects the results."""
PAIRS, TALLIED = 32, 256
SEARCHED, SEARCHES = 1024, 8
"""Products per block, and blocks per program."""
MOST_THRESHOLDS = 255
ROOM = 1 << 24
"""Initial capacity for pairs near a threshold."""
CROWDED = 0.25
"""Share of products above the lowest threshold from which counting in the program beats counting in memory."""


def fits(block: torch.Tensor, most: int) -> bool:
    """Whether these kernels support such a block: aligned contiguous rows, and few enough thresholds."""
    return most <= MOST_THRESHOLDS and block.shape[1] * block.element_size() % 16 == 0 and block.is_contiguous()


def count(work, block, low, high, adjusted, histogram):
    """Count a block's documents against the thresholds of each query; yield the pairs that must be scored exactly.

    `torch_counting.count` does the same with torch operations.
    """
    nothing = torch.zeros(1, device=block.device)
    adjust = (nothing, nothing, False) if adjusted is None else (adjusted[0].float(), adjusted[1].float(), True)
    pairs = Pairs(block.device)
    done = 0
    if low.shape[1] == 2 and block.dtype.itemsize == 2 and block.shape[1] % DEPTH == 0:
        done = len(block) // COLUMNS * COLUMNS
        yield from _compare(work, block[:done], low, high, adjust, histogram, pairs)
    elif levels.fits(block) and len(block) >= levels.COLUMNS:
        whole = len(block) // levels.COLUMNS * levels.COLUMNS
        done = yield from levels.count(work, block[:whole], low, high, adjust, histogram)
    crowded = False
    # Maximum width of a threshold's window, rounded up.
    wide = torch.where(high < torch.inf, high - low, 0).amax(1) * (1 + 2.0**-20)
    for first in range(done, len(block), GROUP * DOCS):
        last = min(len(block), first + GROUP * DOCS)
        counted = torch.zeros(histogram.shape, dtype=torch.int32, device=block.device)
        for _ in pairs.until_all_fit():
            counted.zero_()
            for at in range(first, last, DOCS):
                _search(work.queries, block[at : min(last, at + DOCS)], at, high, wide, adjust, crowded, counted, pairs)
        crowded = int(counted[:, 1:].sum()) > CROWDED * len(work.queries) * (last - first)
        histogram += counted
        yield from pairs.found()


def _compare(work, block, low, high, adjust, histogram, pairs):
    """One threshold per query: multiply and compare in one kernel."""
    if len(block) == 0:
        return
    above = torch.zeros(len(work.queries), dtype=torch.int32, device=block.device)
    lowest, highest = low[:, 0].contiguous(), high[:, 0].contiguous()
    rows, docs = (
        TensorDescriptor.from_tensor(work.queries, [ROWS, DEPTH]),
        TensorDescriptor.from_tensor(block, [COLUMNS, DEPTH]),
    )
    shape = (triton.cdiv(len(work.queries), ROWS) * (len(block) // COLUMNS),)
    for _ in pairs.until_all_fit():
        above.zero_()
        multiply_and_compare[shape](
            rows, docs, *adjust[:2], lowest, highest, above, *pairs.room, len(work.queries), block.shape[1],
            pairs.size, adjust[2], ROWS, COLUMNS, DEPTH, num_warps=4, num_stages=3,
        )  # fmt: skip
    histogram[:, 1] += above
    yield from pairs.found()


def _search(queries, part, first, high, wide, adjust, crowded, counted, pairs):
    """Several thresholds per query: search the products of some documents among them."""
    values = plain.multiply(queries, part)
    shape = (len(queries), triton.cdiv(len(part), SEARCHED * SEARCHES))
    search[shape](
        values, *adjust[:2], high, wide, counted, *pairs.room, first, len(part), pairs.size,
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


class Pairs:
    """Buffer for pairs near a threshold, which programs fill in any order."""

    def __init__(self, device):
        self.number = torch.zeros(1, dtype=torch.int32, device=device)
        self.room = ()
        self.size = 0
        self._take(ROOM)

    def _take(self, size):
        self.size = size
        query, doc = (torch.empty(size, dtype=torch.int32, device=self.number.device) for _ in range(2))
        self.room = (query, doc, self.number)

    def until_all_fit(self):
        """Yield once, and again with a larger buffer if it was too small."""
        while True:
            self.number.zero_()
            yield
            if self.number.item() <= self.size:
                return
            self._take(2 * self.number.item())

    def found(self):
        """Yield the stored pairs in batches, to limit memory."""
        number = self.number.item()
        for first in range(0, number, 1 << 22):
            part = slice(first, min(number, first + (1 << 22)))
            yield self.room[0][part].long(), self.room[1][part].long()


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
def _keep(near, query, doc, to_query, to_doc, number, room):
    """Store the pairs that are near a threshold in the buffer."""
    at = tl.atomic_add(number + tl.zeros_like(near.to(tl.int32)), 1, mask=near, sem="relaxed")
    fits_in = near & (at < room)
    tl.store(to_query + at, query + tl.zeros_like(at), mask=fits_in)
    tl.store(to_doc + at, doc + tl.zeros_like(at), mask=fits_in)


@triton.jit
def multiply_and_compare(
    queries, docs, scale, offset, lowest, highest, above, to_query, to_doc, number, num_queries, depth, room,
    ADJUSTED: tl.constexpr, ROWS: tl.constexpr, COLUMNS: tl.constexpr, DEPTH: tl.constexpr,
):  # fmt: skip
    """Compute one tile of products; count those certainly above each query's threshold, and store those near it."""
    row_tiles = tl.cdiv(num_queries, ROWS)
    # Neighbouring programs share documents and differ in queries, so documents are read once.
    row = tl.program_id(0) % row_tiles
    column = tl.program_id(0) // row_tiles
    total = tl.zeros((ROWS, COLUMNS), dtype=tl.float32)
    for k in range(0, depth, DEPTH):
        total = tl.dot(queries.load([row * ROWS, k]), docs.load([column * COLUMNS, k]).T, total)
    query = row * ROWS + tl.arange(0, ROWS)
    doc = column * COLUMNS + tl.arange(0, COLUMNS)
    if ADJUSTED:
        total = total * tl.load(scale + doc)[None, :] + tl.load(offset + doc)[None, :]
    there = query < num_queries
    low = tl.load(lowest + query, mask=there, other=float("inf"))
    high = tl.load(highest + query, mask=there, other=float("inf"))
    sure = tl.sum((total > high[:, None]).to(tl.int32), 1)
    reaching = tl.sum((total >= low[:, None]).to(tl.int32), 1)
    tl.atomic_add(above + query, sure, mask=there & (sure > 0), sem="relaxed")
    if tl.max(reaching - sure) > 0:
        near = (total >= low[:, None]) & (total <= high[:, None]) & there[:, None]
        _keep(near, query[:, None], doc[None, :], to_query, to_doc, number, room)


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
    values, scale, offset, high, wide, counted, to_query, to_doc, number, first, num_docs, room,
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
            _keep(near, query, first + doc, to_query, to_doc, number, room)
    if CROWDED:
        tl.atomic_add(counted + query * WIDTH + tl.arange(0, WIDTH), total, sem="relaxed")
