"""Shared by the counting kernels: tiles of products, and a buffer for the documents near a threshold.

Programs fill the buffer in any order, with words of 32 documents; the host unpacks them into pairs.
"""

import torch
import triton
import triton.language as tl

PRODUCTS = 1 << 34
"""Maximum number of products before the host collects the results."""
ROOM = 1 << 25
"""Initial capacity for words."""
WORDS, UNPACKED = 1 << 24, 1024
"""Words unpacked into pairs at a time, and words per program."""


def docs_at_once(num_queries, columns):
    """Return the number of documents to count before the host collects the results, a whole number of tiles."""
    return max(1, PRODUCTS // num_queries // columns) * columns


def from_row(adjust, first):
    """Return scale and offset of the documents from this row on, if there are any."""
    return [each[first:] if adjust[2] else each for each in adjust[:2]]


class Near:
    """Buffer of words: a query, the number of 32 documents, and a bit for each of them that is near a threshold."""

    def __init__(self, device):
        self.count = torch.zeros(1, dtype=torch.int32, device=device)
        self._take(ROOM)

    def _take(self, size):
        self.size, self.number = size, 0
        self.words = torch.empty((3, size), dtype=torch.int32, device=self.count.device)

    def fill(self, launch):
        """Launch a kernel, and again with a larger buffer if not all words fit."""
        while True:
            self.count.zero_()
            launch()
            self.number = self.count.item()
            if self.number <= self.size:
                return
            self._take(self.number)

    def pairs(self, first=0):
        """Yield the stored pairs of query and document in batches; `first` is the number of the first document."""
        for at in range(0, self.number, WORDS):
            yield self._unpacked(at, min(WORDS, self.number - at), first)

    def _unpacked(self, at, num, first):
        """Return some words as pairs; most words have one bit set."""
        room = 2 * num
        while True:
            query, doc = torch.empty((2, room), dtype=torch.int64, device=self.words.device)
            found = torch.zeros(1, dtype=torch.int32, device=self.words.device)
            unpack[(triton.cdiv(num, UNPACKED),)](
                self.words[:, at:], query, doc, found, self.size, num, room, first, UNPACKED
            )
            pairs = found.item()
            if pairs <= room:
                return query[:pairs], doc[:pairs]
            room = pairs


@triton.jit
def multiply_tile(
    queries, rest, docs, row, column, depth,
    ROWS: tl.constexpr, MORE: tl.constexpr, COLUMNS: tl.constexpr, DEPTH: tl.constexpr,
):  # fmt: skip
    """Multiply `ROWS` queries, and `MORE` further ones if there is a `rest`, with `COLUMNS` documents."""
    # Documents are only operands here: when their lengths were computed in this loop as well, some products were wrong
    # (Triton 3.6, H200), probably because the tile was overwritten while it was being multiplied.
    first = tl.zeros((ROWS, COLUMNS), dtype=tl.float32)
    second = tl.zeros((MORE, COLUMNS), dtype=tl.float32)
    for k in range(0, depth, DEPTH):
        part = docs.load([column, k])
        first = tl.dot(queries.load([row, k]), part.T, first)
        if rest is not None:
            second = tl.dot(rest.load([row + ROWS, k]), part.T, second)
    return first, second


@triton.jit
def keep_words(word, query, place, words, count, room):
    """Store the words that have a bit set, with their query and the number of their 32 documents."""
    found = word != 0
    at = tl.atomic_add(count + tl.zeros_like(word), 1, mask=found, sem="relaxed")
    kept = found & (at < room)
    tl.store(words + at, query + tl.zeros_like(at), mask=kept)
    tl.store(words + room + at, place + tl.zeros_like(at), mask=kept)
    tl.store(words + 2 * room + at, word, mask=kept)


@triton.jit
def words_of(near, ROWS: tl.constexpr, COLUMNS: tl.constexpr):
    """Pack flags of documents into words: even documents in the lower 16 bits, odd ones in the upper."""
    column = tl.arange(0, COLUMNS)
    bits = near.to(tl.int32) << (column % 32 // 2 + column % 2 * 16)[None, :]
    return tl.sum(tl.reshape(bits, (ROWS, COLUMNS // 32, 32)), 2)


@triton.jit
def unpack(words, to_query, to_doc, found, stride, num, room, first, UNPACKED: tl.constexpr):
    """Unpack words with a bit for each document into pairs of query and document."""
    at = tl.program_id(0) * UNPACKED + tl.arange(0, UNPACKED)
    there = at < num
    query = tl.load(words + at, mask=there, other=0).to(tl.int64)
    doc = first + tl.load(words + stride + at, mask=there, other=0).to(tl.int64) * 32
    word = tl.load(words + 2 * stride + at, mask=there, other=0).to(tl.uint32, bitcast=True)
    left = tl.max(word.to(tl.int64))
    while left > 0:
        near = word > 0
        one = near.to(tl.int32)
        to = tl.atomic_add(found, tl.sum(one), sem="relaxed") + tl.cumsum(one) - one
        last = word & (0 - word)
        bit = (last.to(tl.float32).to(tl.int32, bitcast=True) >> 23) - 127
        kept = near & (to < room)
        tl.store(to_query + to, query, mask=kept)
        tl.store(to_doc + to, doc + (bit % 16) * 2 + bit // 16, mask=kept)
        word ^= last
        left = tl.max(word.to(tl.int64))
