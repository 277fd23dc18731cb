"""Columns of delimited rows: the kernel, its reference and Python's csv module agree."""

import csv
import io

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from germane import kernels
from germane.kernels import BAD, OK, reference

SYMBOLS = [b",", b";", b"\t", b" ", b"\n", b"\r\n", b"\r", b'"', b'""', b".", b"_", b"\xff", b"\x00", b"\x0b"]
FIELDS = [b"1", b"-0", b"0.5", b"1e3", b"nan", b"a b", b"cat", b"\xc3\xa9", b"x" * 9]
TOKENS = st.sampled_from([*SYMBOLS, *FIELDS])
DELIMITERS = st.sampled_from([b",", b";", b"\t", b" "])
KINDS = st.lists(st.integers(0, 2), min_size=1, max_size=4).map(bytes)


def read(engine: object, delimiter: bytes, kinds: bytes, content: bytes, most: int = 100) -> object:
    reader = engine.ColumnReader(delimiter, kinds, most)  # type: ignore[attr-defined]
    state, num_lines, codes, texts, numbers, lines = reader.read(
        bytearray(b"skip" + content + bytes(8)), 4, 4 + len(content)
    )
    if state != OK:
        return state
    shown = [[value.hex() for value in column] for column in numbers.tolist()]
    return num_lines, codes.tolist(), texts, shown, None if lines is None else lines.tolist()


@given(DELIMITERS, KINDS, st.lists(TOKENS, max_size=20), st.integers(1, 3))
@example(b",", b"\1\2", [b'"cat","0.5"\n', b" 1 , -0 \r\n", b" \t\n", b"a,1\n"], 3)
@example(b" ", b"\1\2", [b"  cat \t 0.5 \n", b"\n", b"b 1\r\n"], 3)
@example(b",", b"\0\2\1", [b'"a ""b"" c",1,cat\n'], 3)
def test_the_kernel_reads_what_the_reference_reads(
    delimiter: bytes, kinds: bytes, parts: list[bytes], most: int
) -> None:
    content = b"".join(parts) + b"\n"
    assert read(kernels, delimiter, kinds, content, most) == read(reference, delimiter, kinds, content, most)


@given(DELIMITERS.filter(lambda delimiter: delimiter != b" "), st.integers(2, 3), st.lists(TOKENS, max_size=20))
def test_what_is_read_is_what_csv_reads(delimiter: bytes, num_fields: int, parts: list[bytes]) -> None:
    content = b"".join(parts) + b"\n"
    found = read(kernels, delimiter, b"\1" * num_fields, content)
    if found == BAD:
        return
    text = io.StringIO(content.decode("utf-8", "surrogateescape"), newline="")
    rows = [
        row for row in csv.reader(text, delimiter=delimiter.decode(), strict=True) if "".join(row).strip() or row[1:]
    ]
    assert isinstance(found, tuple)
    values = [[field.decode("utf-8", "surrogateescape") for field in column] for column in found[2]]
    columns = [[texts[code] for code in codes] for texts, codes in zip(values, found[1], strict=True)]
    assert [list(row) for row in zip(*columns, strict=True)] == rows


@pytest.mark.parametrize("text", ["-0", "-0.0", "+.5", "1.", "1e-400", "0.1", "123456789012345678901", "5e-324"])
def test_a_number_is_that_of_python(text: str) -> None:
    """Its sign too: minus zero is what `float` makes of it."""
    found = read(kernels, b",", b"\2", text.encode() + b"\n")
    assert isinstance(found, tuple)
    assert found[3] == [[float(text).hex()]]


@pytest.mark.parametrize("field", [b"x" * 100_001, b'"' + b"x" * 100_001 + b'"'])
def test_very_long_fields_are_left_to_the_plain_reader(field: bytes) -> None:
    assert read(kernels, b",", b"\0", field + b"\n") == read(reference, b",", b"\0", field + b"\n") == BAD


def test_codes_count_in_order_of_appearance() -> None:
    content = b"".join(b"label %d\n" % (i % 50) for i in range(200))
    _, _, codes, texts, _, lines = kernels.ColumnReader(b",", b"\1", 50).read(
        bytearray(content + bytes(8)), 0, len(content)
    )
    assert np.array_equal(codes[0], np.arange(200) % 50)
    assert texts == [[b"label %d" % i for i in range(50)]]
    assert lines is None
