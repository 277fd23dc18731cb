"""Ids from columns of other libraries, without a Python object per row."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from germane import kernels
from germane.tables.columns.ids import Ids, IntArray
from germane.tables.columns.stretches import Stretches
from germane.tables.columns.threads import map_in_threads, num_threads

ROWS_AT_ONCE = 1 << 18


Write = Callable[[npt.NDArray[Any]], tuple[npt.NDArray[np.uint8], IntArray]]


class WrittenLater(Ids):
    """Ids stored in a column of another type; their text is written only when needed."""

    column: npt.NDArray[Any]
    write: Write
    """Function that returns the bytes of such ids, and the offset of each."""

    def __init__(self, column: npt.NDArray[Any]) -> None:
        object.__setattr__(self, "column", column)

    def __len__(self) -> int:
        return len(self.column)

    @cached_property
    def _text(self) -> Ids:
        return _in_parts(self.write, self.column)

    def take(self, indices: IntArray) -> Ids:
        """The ids at these positions, in this order."""
        return type(self)(self.column[indices])

    @property
    def data(self) -> npt.NDArray[np.uint8]:
        return self._text.data

    @property
    def offsets(self) -> IntArray:
        return self._text.offsets


class DecimalIds(WrittenLater):
    """Ids that are integers, with their decimal text."""

    write = staticmethod(kernels.decimal_text)


class PaddedIds(WrittenLater):
    """Ids of fixed width: the rows of a matrix of bytes, without zeros at their ends."""

    write = staticmethod(kernels.unpadded)


def from_integers(array: npt.NDArray[Any]) -> Ids:
    """Return ids from integers, as decimal text.

    >>> list(from_integers(np.array([7, 1234567, -1])))
    ['7', '1234567', '-1']
    """
    if array.dtype.kind == "u" and array.max(initial=0) > np.iinfo(np.int64).max:
        return Ids.of(array.tolist())
    return DecimalIds(np.ascontiguousarray(array, dtype=np.int64))


def from_fixed_width(array: npt.NDArray[Any]) -> Ids:
    """Return ids from NumPy text or bytes of fixed width, without the padding.

    >>> list(from_fixed_width(np.array([b"d1", b"d10"]))), list(from_fixed_width(np.array(["é", "d10"])))
    (['d1', 'd10'], ['é', 'd10'])
    """
    if len(array) == 0 or array.dtype.itemsize == 0:
        return Ids.of(array.tolist())
    padded = np.ascontiguousarray(array)
    if array.dtype.kind == "S":
        return PaddedIds(padded.view(np.uint8).reshape(len(array), -1))
    points = padded.view(np.uint32).reshape(len(array), -1)
    if not array.dtype.isnative or points.max() >= 128:
        try:
            return Ids.of(array.tolist())
        except SystemError:
            raise ValueError("expected text, found numbers that are not characters") from None
    return PaddedIds(points.astype(np.uint8))


def _in_parts(write: Write, column: npt.NDArray[Any]) -> Ids:
    """Write a column in parts, in parallel, and join these."""
    starts = list(range(0, len(column), ROWS_AT_ONCE))
    shares = [starts[i :: num_threads()] for i in range(min(num_threads(), len(starts)))]
    written = map_in_threads(lambda share: [write(column[i : i + ROWS_AT_ONCE]) for i in share], shares)
    parts = [written[i % len(shares)][i // len(shares)] for i in range(len(starts))]
    if not parts:
        return Ids.of(())
    sizes = np.cumsum([0, *(len(data) for data, _ in parts)])
    offsets = [part[1:] + start for (_, part), start in zip(parts, sizes, strict=False)]
    return Ids(np.concatenate([data for data, _ in parts]), np.concatenate([np.zeros(1, dtype=np.int64), *offsets]))


def is_text(kind: Any) -> bool:
    """Whether this Arrow type is text or bytes; a struct of texts is neither."""
    names = ("string", "string_view", "binary", "binary_view", "fixed_size_binary")
    return str(kind).removeprefix("large_").partition("[")[0] in names


def decoded(array: Any) -> Any:
    """Return an Arrow array with values in place of dictionary codes, if it has any."""
    import pyarrow as pa

    if not pa.types.is_dictionary(array.type):
        return array
    chunks = array.chunks if isinstance(array, pa.ChunkedArray) else [array]
    kind = array.type.value_type
    if str(kind).endswith("_view"):  # which do not support take
        kind = pa.large_binary() if "binary" in str(kind) else pa.large_string()
    return pa.chunked_array([chunk.dictionary.cast(kind).take(chunk.indices) for chunk in chunks], kind)


def from_decimals(column: Any) -> Any:
    """Return decimals of Arrow as the nearest 64-bit numbers, which its own conversion misses by a digit.

    >>> import pyarrow as pa
    >>> from_decimals(pa.array(["6.56247381085762037"]).cast(pa.decimal128(18, 17)))[0].as_py()
    6.56247381085762
    """
    import pyarrow as pa

    return column.cast(pa.string()).cast(pa.float64())


def numbers_of(array: Any) -> npt.NDArray[Any]:
    """Return the values of an Arrow array of integers or floats without nulls; to_numpy would import pandas.

    >>> import pyarrow
    >>> numbers_of(pyarrow.chunked_array([[1, 2], [3]])[1:])
    array([2, 3])
    """
    kind = array.type
    letter = "f" if "float" in str(kind) or str(kind) == "double" else "u" if str(kind).startswith("u") else "i"
    dtype = np.dtype(f"{letter}{kind.bit_width // 8}")
    if hasattr(array, "chunks"):
        return np.concatenate([np.zeros(0, dtype), *map(numbers_of, array.chunks)])
    values = array.buffers()[1]
    return (
        np.zeros(0, dtype)
        if values is None
        else np.frombuffer(values, dtype, len(array), array.offset * dtype.itemsize)
    )


def from_arrow(array: Any) -> Ids:
    """Return ids from an Arrow array of text, bytes or integers without nulls. Text of one chunk is not copied."""
    import pyarrow as pa
    import pyarrow.types as kinds

    array = decoded(array)
    if kinds.is_integer(array.type):
        return from_integers(numbers_of(array))
    if kinds.is_fixed_size_binary(array.type):
        array = array.cast(pa.binary())
    if isinstance(array, pa.Array) and (kinds.is_string(array.type) or kinds.is_binary(array.type)):
        return _ids_of(array, np.int32)  # a cast imports pyarrow.compute, which takes as long as reading small files
    # The text of all chunks together may exceed 32-bit offsets.
    array = array.cast(pa.large_binary() if "binary" in str(array.type) else pa.large_string())
    if isinstance(array, pa.ChunkedArray):
        array = array.chunk(0) if array.num_chunks == 1 else array.combine_chunks()
    if isinstance(array, pa.ChunkedArray):
        array = pa.concat_arrays(array.chunks)
    return _ids_of(array, np.int64)


def _ids_of(array: Any, width: type[np.signedinteger[Any]]) -> Ids:
    """Return the ids of an array of text, whose offsets have this type."""
    _, offset_buffer, data_buffer = array.buffers()
    if len(array) == 0 or data_buffer is None:
        return Ids.of([""] * len(array))
    offsets = np.frombuffer(offset_buffer, width, len(array) + 1, array.offset * np.dtype(width).itemsize)
    offsets = offsets.astype(np.int64, copy=False)
    data = np.frombuffer(data_buffer, dtype=np.uint8)[offsets[0] : offsets[-1]]
    return Ids(data, offsets if offsets[0] == 0 else offsets - offsets[0])


def encode_queries(ids: Ids) -> tuple[Ids, Stretches]:
    """Return the distinct ids in order of first appearance, and the stretches of rows of each.

    >>> queries, stretches = encode_queries(Ids.of(["q7", "q7", "q10", "q7"]))
    >>> list(queries), stretches.rows
    (['q7', 'q10'], array([0, 0, 1, 0]))
    """
    starts = np.flatnonzero(kernels.changes(ids.data, ids.offsets))
    return _encode_heads(ids.take(starts), starts, len(ids))


def encode_plain(array: npt.NDArray[Any]) -> tuple[Ids, Stretches]:
    """Do the same as `encode_queries` for a NumPy column of integers or fixed width, faster."""
    if len(array) == 0:
        return Ids.of(()), Stretches.of(np.zeros(0, dtype=np.int64))
    if array.dtype.kind == "S":
        rows = np.ascontiguousarray(array).view(np.uint8).reshape(len(array), -1)
        starts = np.flatnonzero(kernels.row_changes(rows))
        return _encode_heads(from_fixed_width(array[starts]), starts, len(array))
    starts = np.concatenate(([0], np.flatnonzero(array[1:] != array[:-1]) + 1))
    return _encode_heads(from_integers(array[starts]), starts, len(array))


def find_duplicate(query: IntArray, docs: Ids) -> tuple[int, int] | None:
    """Return two rows with the same query and document, for the earliest repetition; or None."""
    keys = kernels.hashes(docs.data, docs.offsets) + query.astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15)
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


def _encode_heads(heads: Ids, starts: IntArray, num_rows: int) -> tuple[Ids, Stretches]:
    codes: dict[bytes, int] = {}
    code = np.asarray([codes.setdefault(head, len(codes)) for head in heads.to_bytes_list()], dtype=np.int64)
    return Ids.of(codes), Stretches(code, np.append(starts, num_rows))
