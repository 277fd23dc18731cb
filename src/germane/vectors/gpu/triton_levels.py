"""Multiply and count against many thresholds in one Triton kernel; products are never stored.

A query's products are mapped to 15-bit integers, its codes: 0 is below all its thresholds, and a higher product never
has a lower code. Two codes share one register, and one instruction compares both. A product whose code lies between the
codes of the ends of a threshold's window is near that threshold and is scored exactly. So the step of a code costs
time, but never changes a result.
"""

import torch
import triton
import triton.language as tl
from triton.tools.tensor_descriptor import TensorDescriptor

from germane.vectors.gpu.triton_codes import closer, code, four, largest, num_passed, passed, two, within
from germane.vectors.gpu.triton_tiles import docs_at_once, from_row, keep_words, multiply_tile

ROWS, COLUMNS, DEPTH = 128, 128, 64
"""Tile multiplied by one program: queries, documents, and components per step."""
SOME_DOCS = 1 << 16
"""Documents counted before the host collects the results for the first time."""
MOST_LEVELS = 32
"""Number of levels reached by more than a few documents beyond which searching is faster than counting."""
FEW = 3
"""Documents of a tile above a level up to which scoring them is faster than counting at that level."""
COUNTED = tl.constexpr(256)
"""Number of tiles whose counts fit into 16 bits."""
BEYOND = 0x7C00
"""Code that no product reaches; infinity as a 16-bit floating-point number."""
LOWEST, HIGHEST = 256, 0x7B00
"""Codes of the lowest and highest end of a query's windows; products outside have separate codes."""


def fits(block):
    """Whether these kernels support such a block: 16-bit numbers, and instructions introduced with Hopper."""
    capable = not block.is_cuda or torch.cuda.get_device_capability(block.device) >= (9, 0)
    return capable and block.dtype.itemsize == 2


def count(queries, block, low, high, adjust, histogram, near):
    """Count a block's documents, a whole number of tiles; yield the pairs that must be scored exactly.

    Return the number of documents counted: all, or only the first ones if many levels are reached.
    """
    codes, cap = Codes(low, high), low.shape[1]
    most_docs = docs_at_once(triton.cdiv(len(queries), ROWS) * ROWS, COLUMNS)
    first, num = 0, min(SOME_DOCS, most_docs)
    while first == 0 or (first < len(block) and cap <= MOST_LEVELS):
        part = block[first : first + num]
        above = _counted(queries, part, first, codes, cap, adjust, near)
        histogram[:, 1:] += above[:, :-1] - above[:, 1:]
        if first == 0:
            per_tile = above.sum(0) * (ROWS * COLUMNS / (len(queries) * len(part)))
            cap = max(4, int((per_tile > FEW).sum()) // 4 * 4)
        yield from near.pairs(first)
        first, num = first + num, most_docs
    return min(first, len(block))


def _counted(queries, part, first, codes, cap, adjust, near):
    """Return how many documents are certainly above each level of each query, and fill `near` with the others."""
    parts = triton.cdiv(len(part), COLUMNS * COUNTED)
    above = torch.empty((parts, codes.width // 4, codes.padded), dtype=torch.int64, device=part.device)

    def launch():
        above.zero_()
        multiply_and_count[(codes.padded // ROWS * (len(part) // COLUMNS),)](
            TensorDescriptor.from_tensor(queries, [ROWS, DEPTH]), TensorDescriptor.from_tensor(part, [COLUMNS, DEPTH]),
            *from_row(adjust, first), codes.slope, codes.shift, codes.low, codes.lows, codes.highs,
            codes.wide, above, near.words, near.count, codes.padded, queries.shape[1], near.size, cap, adjust[2],
            codes.width, ROWS, COLUMNS, DEPTH, num_warps=4, num_stages=2, maxnreg=168,
        )  # fmt: skip

    near.fill(launch)
    fields = [(above >> 16 * level & 0xFFFF).sum(0) for level in range(4)]
    return torch.stack(fields, 1).view(codes.width, -1)[:, : len(queries)].T


class Codes:
    """The windows of each query as codes, level by level, and the mapping from products to codes."""

    def __init__(self, low, high):
        num, self.width = low.shape
        self.padded = triton.cdiv(num, ROWS) * ROWS
        there = high < torch.inf
        bottom = low[:, :1].double()
        reach = torch.where(there, high, low[:, :1]).amax(1, keepdim=True).double() - bottom
        # Large enough that single precision can distinguish codes.
        reach = torch.maximum(reach, bottom.abs() * 2.0**-12).clamp_min(2.0**-100)
        slope = ((HIGHEST - LOWEST) / 0x7BFF / reach).float()
        shift = (LOWEST / 0x7BFF - slope.double() * bottom).float()
        self.slope, self.shift = (self._by_row(each, 0.0)[0] for each in (slope, shift))
        self.low, self.high = (
            self._by_row(self._of(each, there, slope, shift), BEYOND).contiguous() for each in (low, high)
        )
        self.wide = (self.high - self.low).amax(0)
        self.lows, self.highs = (self._by_four(each) for each in (-self.low, self.high))
        self.low = torch.nn.functional.pad(self.low, (0, 0, 0, 1), value=BEYOND)

    def _by_row(self, values, filler):
        """Return values level by level, padded to whole tiles of queries."""
        return torch.nn.functional.pad(values.T, (0, self.padded - len(values)), value=filler).contiguous()

    def _by_four(self, codes):
        """Pack four levels into a 64-bit number."""
        # One extra group, because the next group is read before it is known to be needed.
        levels = torch.nn.functional.pad(codes.long() & 0xFFFF, (0, 0, 0, 4)).view(-1, 4, self.padded)
        return levels[:, 0] | levels[:, 1] << 16 | levels[:, 2] << 32 | levels[:, 3] << 48

    def _of(self, values, there, slope, shift):
        codes = torch.full(values.shape, BEYOND, dtype=torch.int32, device=values.device)
        code_of[(len(values),)](values, slope, shift, codes, self.width)
        return codes.masked_fill_(~there, BEYOND)


@triton.jit
def code_of(values, slope, shift, out, WIDTH: tl.constexpr):
    """Compute the codes of one query's values."""
    row = tl.program_id(0)
    at = row * WIDTH + tl.arange(0, WIDTH)
    value = tl.load(values + at)
    found = code(value, tl.load(slope + row) + tl.zeros_like(value), tl.load(shift + row) + tl.zeros_like(value))
    tl.store(out + at, found & 0xFFFF)


@triton.jit
def multiply_and_count(
    queries, docs, scale, offset, slope, shift, low, lows, highs, wide,
    above, words, count, padded, depth, room, cap,
    ADJUSTED: tl.constexpr, WIDTH: tl.constexpr, ROWS: tl.constexpr, COLUMNS: tl.constexpr,
    DEPTH: tl.constexpr,
):  # fmt: skip
    """Compute one tile of products: count those certainly above each threshold and near none, store those near one.

    Only levels below `cap` are counted; documents that reach it are scored exactly.
    """
    row_tiles = padded // ROWS
    # Neighbouring programs share documents and differ in queries, so documents are read once.
    row = tl.program_id(0) % row_tiles
    column = tl.program_id(0) // row_tiles
    total, _ = multiply_tile(queries, None, docs, row * ROWS, column * COLUMNS, depth, ROWS, 16, COLUMNS, DEPTH)
    query = row * ROWS + tl.arange(0, ROWS)
    if ADJUSTED:
        doc = column * COLUMNS + tl.arange(0, COLUMNS)
        total = total * tl.load(scale + doc)[None, :] + tl.load(offset + doc)[None, :]
    even, odd = tl.split(tl.reshape(total, (ROWS, COLUMNS // 2, 2)))
    by, plus = tl.load(slope + query)[:, None], tl.load(shift + query)[:, None]
    codes = two(code(even, by, plus), code(odd, by, plus))
    # Few documents of a tile come near the highest thresholds, so those are skipped.
    most = largest(codes, ROWS, COLUMNS // 2)
    reached = tl.zeros((ROWS,), tl.int32)
    for step in tl.static_range(8):
        if (WIDTH >> (step + 1)) > 0:
            limit = tl.load(low + (reached + ((WIDTH >> (step + 1)) - 1)) * padded + query)
            reached += tl.where(limit <= most, WIDTH >> (step + 1), 0)
    levels = tl.minimum(tl.max(reached), cap)
    closest = tl.full((ROWS, COLUMNS // 2), 0x7BFF7BFF, tl.int32)
    groups = tl.cdiv(levels, 4)
    following = tl.load(lows + query)
    for group in range(groups):
        a, b, c, d = four(following[:, None])
        following = tl.load(lows + (group + 1) * padded + query)
        closest = closer(closest, codes, a)
        closest = closer(closest, codes, b)
        closest = closer(closest, codes, c)
        closest = closer(closest, codes, d)
    window = tl.load(wide + query)
    beyond = tl.load(low + cap * padded + query) - 1
    near = within(closest, two(window, window)[:, None]) | passed(codes, two(beyond, beyond)[:, None])
    bits = near & (0x10001 << (tl.arange(0, COLUMNS // 2) % 16))[None, :]
    word = tl.sum(tl.reshape(bits, (ROWS, COLUMNS // 32, 16)), 2)
    place = column * (COLUMNS // 32) + tl.arange(0, COLUMNS // 32)
    keep_words(word, query[:, None], place[None, :], words, count, room)
    codes &= ~near  # documents near a threshold are not counted
    following = tl.load(highs + query)
    for group in range(groups):
        a, b, c, d = four(following[:, None])
        following = tl.load(highs + (group + 1) * padded + query)
        num = num_passed(codes, a, ROWS, COLUMNS // 2)
        num |= num_passed(codes, b, ROWS, COLUMNS // 2) << 8
        num |= num_passed(codes, c, ROWS, COLUMNS // 2) << 16
        num |= num_passed(codes, d, ROWS, COLUMNS // 2) << 24
        total_num = tl.sum(num, 1)  # at most 128 of each
        spread = (total_num & 0xFF) | (total_num & 0xFF00) << 8
        rest = ((total_num >> 16) & 0xFF) | ((total_num >> 8) & 0xFF0000)
        counts = spread.to(tl.int64) | rest.to(tl.int64) << 32
        to = ((column // COUNTED) * (WIDTH // 4) + group) * padded
        tl.atomic_add(above + to + query, counts, mask=counts != 0, sem="relaxed")
