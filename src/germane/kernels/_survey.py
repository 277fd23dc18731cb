"""The survey of a run or of judgments: repeated documents, ties and ranks, one query at a time. Compiled by Cython.

Rows come in pieces; a copy of the ids of the query that is being read is kept here, so a piece may end anywhere.
"""

import cython
import numpy as np
from cython.cimports.germane.kernels.memory import resize, zeroed
from cython.cimports.libc.stdint import int64_t, uint8_t, uint64_t
from cython.cimports.libc.stdlib import free
from cython.cimports.libc.string import memcmp, memcpy

COMPILED = cython.compiled

MIX = cython.declare(uint64_t, 0x9E3779B97F4A7C15)
NEW = cython.declare(int64_t, -2)  # -1 means that there is no memory
LOW_HALF = cython.declare(uint64_t, 0xFFFFFFFF)


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def hash_of(p: cython.pointer[cython.const[uint8_t]], size: int64_t, group: int64_t) -> uint64_t:
    """The hash of a document in a group."""
    h: uint64_t = cython.cast(uint64_t, group) * MIX
    word: uint64_t
    while size > 0:
        word = 0
        memcpy(cython.address(word), p, 8 if size >= 8 else size)
        h = (h ^ word) * MIX
        h ^= h >> 32
        p += 8
        size -= 8
    return h


@cython.final
@cython.cclass
class Survey:
    """Counts what is worth telling about rows that come query by query, and finds repeated documents."""

    # The query being read: its rows, a table of its documents, and their text.
    query: int64_t
    num_rows: int64_t
    rows_space: int64_t
    row_end: cython.pointer[int64_t]
    row_hash: cython.pointer[uint64_t]
    row_group: cython.pointer[int64_t]
    row_line: cython.pointer[int64_t]
    row_score: cython.pointer[cython.double]
    row_rank: cython.pointer[cython.double]
    row_order: cython.pointer[int64_t]
    text: cython.pointer[uint8_t]
    text_space: int64_t
    slots: cython.pointer[uint64_t]
    slots_size: int64_t
    generation: uint64_t
    falling: cython.bint
    ranked: cython.bint
    query_tied: int64_t

    # Repetitions in the piece being read: the row, and the line of the first.
    repeated: cython.pointer[int64_t]
    num_repeated: int64_t
    repeated_space: int64_t

    # Totals of all closed queries.
    total: int64_t
    num_tied: int64_t
    num_contradicted: int64_t
    least: cython.double
    most: cython.double
    negated: cython.bint

    def __cinit__(self):
        self.query = -1
        self.negated = True
        self.resize_rows(1024)
        self.resize_text(1 << 14)
        self.resize_repeated(64)
        self.slots = cython.cast(cython.pointer[uint64_t], zeroed(4096, 8))
        self.slots_size = 4096
        self.generation = 1

    def __dealloc__(self):
        free(self.row_end)
        free(self.row_hash)
        free(self.row_group)
        free(self.row_line)
        free(self.row_score)
        free(self.row_rank)
        free(self.row_order)
        free(self.text)
        free(self.slots)
        free(self.repeated)

    # A space is noted once all that it counts for is there: where memory ends in between, nothing is beyond its end.

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1, check=False)
    def resize_rows(self, space: int64_t) -> cython.int:
        resize(cython.address(self.row_end), space + 1, 8)
        resize(cython.address(self.row_hash), space, 8)
        resize(cython.address(self.row_group), space, 8)
        resize(cython.address(self.row_line), space, 8)
        resize(cython.address(self.row_score), space, 8)
        resize(cython.address(self.row_rank), space, 8)
        resize(cython.address(self.row_order), space, 16)
        self.rows_space = space
        return 0

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1, check=False)
    def resize_text(self, space: int64_t) -> cython.int:
        resize(cython.address(self.text), space, 1)
        self.text_space = space
        return 0

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1, check=False)
    def resize_repeated(self, space: int64_t) -> cython.int:
        resize(cython.address(self.repeated), space, 16)
        self.repeated_space = space
        return 0

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1, check=False)
    def grow_slots(self) -> cython.int:
        """A table twice as large, with the same documents."""
        size: int64_t = 2 * self.slots_size
        slot: uint64_t
        i: int64_t
        table: cython.pointer[uint64_t] = cython.cast(cython.pointer[uint64_t], zeroed(size, 8))
        for i in range(self.slots_size):
            if self.slots[i] >> 32 == self.generation:
                slot = self.row_hash[self.slots[i] & LOW_HALF] & cython.cast(uint64_t, size - 1)
                while table[slot] != 0:
                    slot = (slot + 1) & cython.cast(uint64_t, size - 1)
                table[slot] = self.slots[i]
        free(self.slots)
        self.slots = table
        self.slots_size = size
        return 0

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def stands_above(self, a: int64_t, b: int64_t) -> cython.bint:
        """Whether row a goes before row b: by falling score, and by rank among equal scores."""
        if self.row_score[a] != self.row_score[b]:
            return self.row_score[a] > self.row_score[b]
        return self.ranked and self.row_rank[a] < self.row_rank[b]

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def sort_rows(self) -> cython.pointer[int64_t]:
        """The rows of the query in order, sorted stably and bottom up."""
        n: int64_t = self.num_rows
        source: cython.pointer[int64_t] = self.row_order
        target: cython.pointer[int64_t] = self.row_order + n
        spare: cython.pointer[int64_t]
        width: int64_t = 1
        low: int64_t
        mid: int64_t
        high: int64_t
        a: int64_t
        b: int64_t
        k: int64_t
        for k in range(n):
            source[k] = k
        while width < n:
            low = 0
            while low < n:
                mid = low + width if low + width < n else n
                high = mid + width if mid + width < n else n
                a = low
                b = mid
                for k in range(low, high):
                    if b < high and (a >= mid or self.stands_above(source[b], source[a])):
                        target[k] = source[b]
                        b += 1
                    else:
                        target[k] = source[a]
                        a += 1
                low = high
            spare = source
            source = target
            target = spare
            width *= 2
        return source

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def close_query(self) -> cython.void:
        """Add what was found in the query to the totals, and begin another."""
        order: cython.pointer[int64_t]
        k: int64_t
        same: cython.bint
        before: cython.bint = False
        contradicted: cython.bint = False
        if not self.falling:
            order = self.sort_rows()
            self.query_tied = 0
            for k in range(1, self.num_rows):
                same = self.row_score[order[k]] == self.row_score[order[k - 1]]
                self.query_tied += same + (same and not before)
                before = same
                contradicted |= self.ranked and self.row_rank[order[k]] < self.row_rank[order[k - 1]]
        self.num_tied += self.query_tied
        self.num_contradicted += contradicted
        self.num_rows = 0
        self.query_tied = 0
        self.falling = True
        self.generation += 1

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1, check=False)
    def add_row(
        self,
        p: cython.pointer[cython.const[uint8_t]],
        size: int64_t,
        group: int64_t,
        score: cython.double,
        rank: cython.double,
        line: int64_t,
    ) -> int64_t:
        """One row of the query; the line where its document was first, or NEW."""
        n: int64_t = self.num_rows
        h: uint64_t = hash_of(p, size, group)
        slot: uint64_t = h & cython.cast(uint64_t, self.slots_size - 1)
        start: int64_t = self.row_end[n - 1] if n > 0 else 0
        begin: int64_t
        row: int64_t
        while self.slots[slot] >> 32 == self.generation:
            row = cython.cast(int64_t, self.slots[slot] & LOW_HALF)
            begin = self.row_end[row - 1] if row > 0 else 0
            if (
                self.row_hash[row] == h
                and self.row_group[row] == group
                and self.row_end[row] - begin == size
                and memcmp(self.text + begin, p, size) == 0
            ):
                return self.row_line[row]
            slot = (slot + 1) & cython.cast(uint64_t, self.slots_size - 1)
        if n + 1 >= self.rows_space:
            self.resize_rows(2 * self.rows_space)
        if start + size > self.text_space:
            self.resize_text(2 * (start + size))
        self.slots[slot] = self.generation << 32 | cython.cast(uint64_t, n)
        memcpy(self.text + start, p, size)
        self.row_end[n] = start + size
        self.row_hash[n] = h
        self.row_group[n] = group
        self.row_line[n] = line
        self.row_score[n] = score
        self.row_rank[n] = rank
        self.num_rows = n + 1
        if n > 0:
            if score == self.row_score[n - 1]:
                self.query_tied += 1 + (n < 2 or self.row_score[n - 2] != score)
            if score > self.row_score[n - 1] or (self.ranked and rank < self.row_rank[n - 1]):
                self.falling = False
        if self.total == 0 or score < self.least:
            self.least = score
        if self.total == 0 or score > self.most:
            self.most = score
        self.negated &= self.ranked and score == -rank
        self.total += 1
        if 2 * self.num_rows >= self.slots_size:
            self.grow_slots()
        return NEW

    def add(self, codes, starts, doc_data, doc_offsets, groups, score, rank, line):
        """Rows ``starts[i]`` to ``starts[i + 1]`` belong to the query `codes[i]`; `groups` and `rank` may be None.

        Returns the repeated rows, and the line where the document of each was first.
        """
        query: cython.const[int64_t][::1] = codes
        start: cython.const[int64_t][::1] = starts
        data: cython.const[uint8_t][::1] = doc_data
        ends: cython.const[int64_t][::1] = doc_offsets
        scores: cython.const[cython.double][::1] = score
        ranks: cython.const[cython.double][::1] = score if rank is None else rank
        group: cython.const[int64_t][::1] = starts if groups is None else groups
        lines: cython.const[int64_t][::1] = line
        has_groups: cython.bint = groups is not None
        nothing: uint8_t = 0
        base: cython.pointer[cython.const[uint8_t]] = cython.address(nothing)
        first: int64_t
        i: int64_t
        s: int64_t
        if len(doc_data) > 0:
            base = cython.address(data[0])
        self.ranked = rank is not None
        self.num_repeated = 0
        with cython.nogil:
            for s in range(start.shape[0] - 1):
                if query[s] != self.query:
                    self.close_query()
                    self.query = query[s]
                for i in range(start[s], start[s + 1]):
                    first = self.add_row(
                        base + ends[i],
                        ends[i + 1] - ends[i],
                        group[i] if has_groups else 0,
                        scores[i],
                        ranks[i],
                        lines[i],
                    )
                    if first >= 0:
                        if self.num_repeated >= self.repeated_space:
                            self.resize_repeated(2 * self.repeated_space)
                        self.repeated[2 * self.num_repeated] = i
                        self.repeated[2 * self.num_repeated + 1] = first
                        self.num_repeated += 1
        found = np.empty((self.num_repeated, 2), dtype=np.int64)
        view: int64_t[:, ::1] = found
        if self.num_repeated > 0:
            memcpy(cython.address(view[0, 0]), self.repeated, self.num_repeated * 16)
        return found[:, 0], found[:, 1]

    def totals(self):
        """Rows that are no repetitions, tied ones, queries with ranks that contradict the scores, least and greatest
        score, and whether each score is the negated rank."""
        self.close_query()
        self.query = -1
        return self.total, self.num_tied, self.num_contradicted, self.least, self.most, bool(self.negated)
