import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from germane import kernels
from germane.kernels import reference
from germane.tables.columns.ids import Ids

pytestmark = pytest.mark.skipif(
    kernels.decimal_text is reference.decimal_text,
    reason="there is no compiled extension to compare with the reference",
)


def as_lists(text: reference.Text) -> tuple[list[int], list[int]]:
    data, offsets = text
    return data.tolist(), offsets.tolist()


WHOLE = st.one_of(
    st.integers(-(2**63), 2**63 - 1), st.sampled_from([0, 9, 10, 99, 100, -1, 2**63 - 1, -(2**63), 10**18, 10**18 - 1])
)


@given(st.lists(WHOLE, max_size=20))
def test_decimal_text(values: list[int]) -> None:
    column = np.array(values, dtype=np.int64)
    assert as_lists(kernels.decimal_text(column)) == as_lists(reference.decimal_text(column))


@given(st.integers(1, 9).flatmap(lambda w: st.lists(st.binary(min_size=w, max_size=w), min_size=1, max_size=12)))
def test_unpadded(rows: list[bytes]) -> None:
    matrix = np.frombuffer(b"".join(rows), dtype=np.uint8).reshape(len(rows), -1)
    assert as_lists(kernels.unpadded(matrix)) == as_lists(reference.unpadded(matrix))
    assert kernels.row_changes(matrix).tolist() == reference.row_changes(matrix).tolist()


@given(st.lists(st.sampled_from([b"", b"a", b"b", b"ab", b"abc"]), min_size=1, max_size=20))
def test_changes_and_hashes(words: list[bytes]) -> None:
    ids = Ids.of(words)
    assert kernels.changes(ids.data, ids.offsets).tolist() == reference.changes(ids.data, ids.offsets).tolist()
    numbers = kernels.hashes(ids.data, ids.offsets).tolist()
    assert all(
        (a == b) == (x == y) for a, x in zip(words, numbers, strict=True) for b, y in zip(words, numbers, strict=True)
    )


@given(st.sets(st.binary(max_size=4), max_size=20), st.lists(st.binary(max_size=4), max_size=10))
def test_places_in_order(known: set[bytes], others: list[bytes]) -> None:
    ids, wanted = Ids.of(sorted(known)), Ids.of([*others, *known])
    found = kernels.places_in_order(ids.data, ids.offsets, wanted.data, wanted.offsets)
    assert found.tolist() == reference.places_in_order(ids.data, ids.offsets, wanted.data, wanted.offsets).tolist()


# A shared start, eight bytes that decide, zeros that look like padding, and what lies behind the eight bytes.
NEARLY_ALIKE = st.lists(st.sampled_from([b"", b"\0", b"a", b"ab", b"abcdefgh", b"\xff", b"z" * 9]), max_size=4).map(
    b"".join
)


@given(
    st.lists(st.one_of(st.binary(max_size=12), NEARLY_ALIKE), max_size=40), st.sampled_from([b"", b"doc-", b"x" * 20])
)
def test_byte_order(words: list[bytes], prefix: bytes) -> None:
    ids = Ids.of([b"first", *(prefix + word for word in words)])
    order, place = kernels.byte_order(ids.data, ids.offsets[1:])
    expected_order, expected_place = reference.byte_order(ids.data, ids.offsets[1:])
    assert (order.tolist(), place.tolist()) == (expected_order.tolist(), expected_place.tolist())
    assert [prefix + words[i] for i in order] == sorted(prefix + word for word in words)


def test_byte_order_of_many() -> None:
    words = [f"{i * 7919 % 5003}/{i % 3}" for i in range(5000)]
    ids = Ids.of(words)
    assert [words[i] for i in ids.sorted_indices()] == sorted(words)
    assert ids.byte_order().tolist() == [sorted(set(words)).index(word) for word in words]
