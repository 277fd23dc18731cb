"""Ids from whole columns of other libraries, without a Python object per row."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from germane.tables.ids import Ids, IntArray

# With fewer rows per stretch of equally long ids, comparing neighbours in NumPy costs more than a dict of all rows.
ROWS_PER_STRETCH = 16
# What is done for so many rows fits the processor's cache.
ROWS_AT_ONCE = 1 << 15


def from_integers(array: npt.NDArray[Any]) -> Ids:
    """Whole numbers as decimal text.

    >>> list(from_integers(np.array([7, 1234567, 0])))
    ['7', '1234567', '0']
    """
    if len(array) == 0 or array.min() < 0:
        return Ids.of(array.tolist())
    digits_needed = len(str(int(array.max())))
    narrow = np.uint32 if digits_needed < 10 else np.uint64
    lengths = np.ones(len(array), dtype=np.int64)
    for power in range(1, digits_needed):
        lengths += array >= 10**power
    blocks = -(-digits_needed // 4)
    # Four digits at a time: a table says how 0000 to 9999 are written.
    four = np.arange(10_000)[:, None] // np.array([1000, 100, 10, 1]) % 10 + ord("0")
    written = np.ascontiguousarray(four, dtype=np.uint8).view(np.uint32).ravel()
    base = narrow(10_000)

    def write(low: int, high: int) -> npt.NDArray[np.uint8]:
        rest: npt.NDArray[Any] = array[low:high].astype(narrow)
        digits = np.empty((len(rest), blocks), dtype=np.uint32)
        for block in reversed(range(blocks)):
            higher = rest // base
            digits[:, block] = written[rest - higher * base]
            rest = higher
        return digits.view(np.uint8).reshape(len(digits), 4 * blocks)

    return _cut(write, lengths, at_end=True)


def from_fixed_width(array: npt.NDArray[Any]) -> Ids:
    """Text or bytes of NumPy's fixed width; what it pads with is not part of the id.

    >>> list(from_fixed_width(np.array([b"d1", b"d10"]))), list(from_fixed_width(np.array(["é", "d10"])))
    (['d1', 'd10'], ['é', 'd10'])
    """
    if len(array) == 0 or array.dtype.itemsize == 0:
        return Ids.of(array.tolist())
    padded = np.ascontiguousarray(array)
    lengths = np.char.str_len(padded).astype(np.int64)
    if array.dtype.kind == "S":
        matrix = padded.view(np.uint8).reshape(len(array), -1)
        return _cut(lambda low, high: matrix[low:high], lengths, at_end=False)
    points = padded.view(np.uint32).reshape(len(array), -1)
    if not array.dtype.isnative or points.max() >= 128:
        return Ids.of(array.tolist())
    return _cut(lambda low, high: points[low:high].astype(np.uint8), lengths, at_end=False)


def from_arrow(array: Any) -> Ids:
    """An Arrow array of text, bytes or whole numbers, without nulls. Text of one chunk is not copied."""
    import pyarrow as pa
    import pyarrow.types as kinds

    if kinds.is_dictionary(array.type):
        array = array.cast(array.type.value_type)
    if kinds.is_integer(array.type):
        return from_integers(array.to_numpy())
    if kinds.is_fixed_size_binary(array.type):
        array = array.cast(pa.binary())
    # Text of all chunks together may be longer than 32-bit offsets can say.
    array = array.cast(pa.large_binary() if "binary" in str(array.type) else pa.large_string())
    if isinstance(array, pa.ChunkedArray):
        array = array.chunk(0) if array.num_chunks == 1 else array.combine_chunks()
    if isinstance(array, pa.ChunkedArray):
        array = pa.concat_arrays(array.chunks)
    _, offset_buffer, data_buffer = array.buffers()
    if len(array) == 0 or data_buffer is None:
        return Ids(np.zeros(0, dtype=np.uint8), np.zeros(len(array) + 1, dtype=np.int64))
    offsets = np.frombuffer(offset_buffer, dtype=np.int64)[array.offset : array.offset + len(array) + 1]
    first, last = int(offsets[0]), int(offsets[-1])
    data = np.frombuffer(data_buffer, dtype=np.uint8)[first:last]
    return Ids(data, offsets if first == 0 else offsets - first)


def encode_queries(ids: Ids) -> tuple[Ids, IntArray]:
    """The distinct ids in order of first appearance, and for each row the number of its id among them.

    >>> queries, codes = encode_queries(Ids.of(["q7", "q7", "q10", "q7"]))
    >>> list(queries), codes
    (['q7', 'q10'], array([0, 0, 1, 0]))
    """
    if len(ids) == 0:
        return ids, np.zeros(0, dtype=np.int64)
    starts = _segment_starts(ids)
    return _encode_segments(ids.take(starts), starts, len(ids))


def encode_plain(array: npt.NDArray[Any]) -> tuple[Ids, IntArray]:
    """`encode_queries` for a NumPy column of whole numbers or of fixed width, writing out each stretch only once."""
    if len(array) == 0:
        return Ids.of(()), np.zeros(0, dtype=np.int64)
    starts = np.concatenate(([0], np.flatnonzero(array[1:] != array[:-1]) + 1))
    first = array[starts]
    heads = from_integers(first) if first.dtype.kind in "iu" else from_fixed_width(first)
    return _encode_segments(heads, starts, len(array))


def find_duplicate(query: IntArray, docs: Ids) -> tuple[int, int] | None:
    """Two rows with the same query and document, the one that repeats the other being the earliest; or None."""
    keys = _hashes(docs) + query.astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    order = np.argsort(keys, kind="stable")
    met = np.flatnonzero(keys[order[1:]] == keys[order[:-1]])
    if len(met) == 0:
        return None
    # Equal keys are nearly always equal ids; the bytes decide.
    seen: dict[tuple[int, bytes], int] = {}
    for row in np.unique(np.concatenate((order[met], order[met + 1]))).tolist():
        first = seen.setdefault((int(query[row]), docs.bytes_at(row)), row)
        if first != row:
            return first, row
    return None


def _cut(matrix: Callable[[int, int], npt.NDArray[np.uint8]], lengths: IntArray, *, at_end: bool) -> Ids:
    """Ids from the rows of a matrix of bytes (made a few rows at a time), of which the first or last so many count."""
    offsets = np.zeros(len(lengths) + 1, dtype=np.int64)
    np.cumsum(lengths, out=offsets[1:])
    data = np.empty(offsets[-1], dtype=np.uint8)
    for low in range(0, len(lengths), ROWS_AT_ONCE):
        high = min(low + ROWS_AT_ONCE, len(lengths))
        block = matrix(low, high)
        width = block.shape[1]
        column = np.arange(width, dtype=np.int32)
        length = lengths[low:high, None].astype(np.int32)
        used = column >= width - length if at_end else column < length
        data[offsets[low] : offsets[high]] = block[used]
    return Ids(data, offsets)


def _segment_starts(ids: Ids) -> IntArray:
    """The rows whose id differs from the one before; every row where looking for them does not pay."""
    lengths = np.diff(ids.offsets)
    bounds = np.concatenate(([0], np.flatnonzero(np.diff(lengths)) + 1, [len(lengths)]))
    if (len(bounds) - 1) * ROWS_PER_STRETCH > len(ids) + 1000:
        return np.arange(len(ids))
    starts = [np.zeros(1, dtype=np.int64)]
    for low, high in zip(bounds[:-1].tolist(), bounds[1:].tolist(), strict=True):
        if low:
            starts.append(np.array([low]))
        if high - low > 1 and lengths[low]:
            block = ids.data[ids.offsets[low] : ids.offsets[high]].reshape(high - low, -1)
            starts.append(np.flatnonzero((block[1:] != block[:-1]).any(axis=1)) + low + 1)
    return np.concatenate(starts)


def _encode_segments(heads: Ids, starts: IntArray, num_rows: int) -> tuple[Ids, IntArray]:
    codes: dict[bytes, int] = {}
    code_of_segment = np.asarray([codes.setdefault(head, len(codes)) for head in heads.to_bytes_list()], dtype=np.int64)
    return Ids.of(codes), np.repeat(code_of_segment, np.diff(starts, append=num_rows))


def _hashes(ids: Ids) -> npt.NDArray[np.uint64]:
    """A 64-bit number per id, equal for equal ids: the sum of its bytes, each times a number drawn for its place."""
    lengths = np.diff(ids.offsets)
    weights = np.random.default_rng(0).integers(1, 1 << 63, size=int(lengths.max(initial=0)), dtype=np.uint64)
    hashes = lengths.astype(np.uint64)
    for low in range(0, len(ids), ROWS_AT_ONCE):
        high = min(low + ROWS_AT_ONCE, len(ids))
        offsets = ids.offsets[low : high + 1] - ids.offsets[low]
        data = ids.data[ids.offsets[low] : ids.offsets[high]].astype(np.uint64)
        place = np.arange(len(data)) - np.repeat(offsets[:-1], lengths[low:high])
        total = np.concatenate((np.zeros(1, dtype=np.uint64), np.cumsum(data * weights[place])))
        hashes[low:high] += total[offsets[1:]] - total[offsets[:-1]]
    return hashes
