from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays

from germane import kernels
from germane.tables.columns import id_columns
from germane.tables.columns.id_columns import (
    encode_plain,
    encode_queries,
    find_duplicate,
    from_arrow,
    from_fixed_width,
    from_integers,
)
from germane.tables.columns.ids import Ids

INTEGER_TYPES = [np.int8, np.uint8, np.int16, np.int32, np.uint32, np.int64, np.uint64, np.dtype(">i4")]


@pytest.mark.parametrize("dtype", INTEGER_TYPES, ids=str)
@given(data=st.data())
def test_integers_are_written_in_decimal(dtype: Any, data: st.DataObject) -> None:
    array = data.draw(arrays(dtype, array_shapes(max_dims=1, max_side=20)))
    assert list(from_integers(array)) == [str(value) for value in array.tolist()]


@pytest.mark.parametrize(
    "values", [[], [0], [9, 10, 99, 100, 9999, 10_000, 99_999_999, 10**8], [2**64 - 1, 0], [2**32 - 1, 2**32]]
)
def test_integers_at_the_edges(values: list[int]) -> None:
    assert list(from_integers(np.array(values, dtype=np.uint64))) == [str(value) for value in values]


def test_more_integers_than_are_done_at_once() -> None:
    values = np.arange(id_columns.ROWS_AT_ONCE * 2 + 3)
    ids = from_integers(values)
    assert (len(ids), ids[id_columns.ROWS_AT_ONCE], ids[len(ids) - 1]) == (
        len(values),
        str(id_columns.ROWS_AT_ONCE),
        str(values[-1]),
    )
    assert ids.to_bytes_list() == [str(value).encode() for value in values.tolist()]


@pytest.mark.parametrize(
    "array",
    [
        np.array([b"d1", b"d10", b""]),
        np.array(["d1", "d10", ""]),
        np.array(["d1", "é", "日本"]),
        np.array([b"abc", b"abd"]),
        np.array([b"\xff\xfe", b"a"]),
        np.array(["d1", "d2", "d3", "d44"])[::2],
        np.array(["d1", "d10"], dtype=">U3"),
        np.array([], dtype="S4"),
        np.array([""], dtype="U0"),
    ],
)
def test_text_of_fixed_width(array: npt.NDArray[Any]) -> None:
    assert from_fixed_width(array).to_bytes_list() == Ids.of(array.tolist()).to_bytes_list()


WORDS = ["d1", "", "é", "long enough to be no inline string view", "d1"]
ARROW_ARRAYS = {
    "string": pa.array(WORDS),
    "large_string": pa.array(WORDS, pa.large_string()),
    "string_view": pa.array(WORDS).cast(pa.string_view()),
    "binary": pa.array([word.encode() for word in WORDS]),
    "large_binary": pa.array([word.encode() for word in WORDS], pa.large_binary()),
    "dictionary": pa.array(WORDS).dictionary_encode(),
    "a slice": pa.array(["x", *WORDS, "y"]).slice(1, 5),
    "chunks": pa.chunked_array([WORDS[:2], WORDS[2:]]),
    "one chunk": pa.chunked_array([WORDS]),
    "dictionaries in chunks": pa.chunked_array(
        [pa.array(WORDS[:2]).dictionary_encode(), pa.array(WORDS[2:]).dictionary_encode()]
    ),
}


@pytest.mark.parametrize("name", ARROW_ARRAYS)
def test_arrow_text(name: str) -> None:
    ids = from_arrow(ARROW_ARRAYS[name])
    assert list(ids) == WORDS
    assert ids.offsets[0] == 0
    assert ids.offsets[-1] == len(ids.data)


def test_other_arrow_columns() -> None:
    assert list(from_arrow(pa.array([3, 1, 2], pa.int16()))) == ["3", "1", "2"]
    assert list(from_arrow(pa.array([3, 1, 2]).slice(1))) == ["1", "2"]
    assert list(from_arrow(pa.chunked_array([[3], [1, 2]]))) == ["3", "1", "2"]
    assert list(from_arrow(pa.array([b"ab", b"cd"], pa.binary(2)))) == ["ab", "cd"]
    assert list(from_arrow(pa.array([], pa.string()))) == []
    assert list(from_arrow(pa.chunked_array([], pa.string()))) == []
    longer = [None, pa.py_buffer(np.array([0, 2, 3]).tobytes() + b"odd"), pa.py_buffer(b"abc")]
    assert list(from_arrow(pa.Array.from_buffers(pa.large_binary(), 2, longer))) == ["ab", "c"]


def test_arrow_text_is_not_copied() -> None:
    array = pa.array(["d1", "d2"], pa.large_string())
    assert from_arrow(array).data.ctypes.data == array.buffers()[2].address


def by_dict(words: list[bytes]) -> tuple[list[bytes], list[int]]:
    codes: dict[bytes, int] = {}
    rows = [codes.setdefault(word, len(codes)) for word in words]
    return list(codes), rows


REPEATED = st.lists(st.tuples(st.sampled_from([b"1", b"2", b"10", b"11", b"", b"100"]), st.integers(1, 5)), max_size=12)


@given(REPEATED)
def test_queries_are_numbered_as_a_dict_would(repeated: list[tuple[bytes, int]]) -> None:
    words = [word for word, times in repeated for _ in range(times)]
    queries, codes = encode_queries(Ids.of(words))
    assert (queries.to_bytes_list(), codes.rows.tolist()) == by_dict(words)


def test_queries_in_many_short_stretches() -> None:
    words = [b"1", b"22"] * 2000
    queries, codes = encode_queries(Ids.of(words))
    assert (queries.to_bytes_list(), codes.rows.tolist()) == by_dict(words)


@pytest.mark.parametrize("dtype", [np.int64, "S3", "U3"])
def test_plain_columns_are_numbered_the_same(dtype: str) -> None:
    array = np.array([7, 7, 10, 7, 7, 3]).astype(dtype)
    queries, codes = encode_plain(array)
    assert (list(queries), codes.rows.tolist()) == (["7", "10", "3"], [0, 0, 1, 0, 0, 2])
    assert len(encode_plain(array[:0])[0]) == 0


ROWS = st.lists(st.tuples(st.integers(0, 2), st.sampled_from([b"", b"a", b"b", b"ab", b"ba", b"aa"])), max_size=12)


@settings(max_examples=200)
@given(ROWS)
def test_the_earliest_repetition_is_found(rows: list[tuple[int, bytes]]) -> None:
    expected = next(((rows.index(row), i) for i, row in enumerate(rows) if row in rows[:i]), None)
    query = np.array([row[0] for row in rows], dtype=np.int64)
    assert find_duplicate(query, Ids.of(row[1] for row in rows)) == expected


def test_bytes_decide_where_hashes_meet(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kernels, "hashes", lambda data, offsets: np.zeros(len(offsets) - 1, dtype=np.uint64))
    assert find_duplicate(np.zeros(3, dtype=np.int64), Ids.of(["a", "b", "c"])) is None
    assert find_duplicate(np.zeros(3, dtype=np.int64), Ids.of(["a", "b", "a"])) == (0, 2)


def test_hashes_of_many_rows_do_not_depend_on_where_they_stand() -> None:
    size = id_columns.ROWS_AT_ONCE + 10
    docs = Ids.of([*map(str, range(size)), "5"])
    assert find_duplicate(np.zeros(size + 1, dtype=np.int64), docs) == (5, size)
