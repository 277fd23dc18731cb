"""Lines of text from columns: every number as Python writes it, every row as joined by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from germane import kernels
from germane.kernels import reference_lines
from germane.tables.columns.ids import Ids

# fmt: off
HARD = [
    0.0, -0.0, 1.0, -1.0, 0.1, 0.3, 0.1 + 0.2, 1e15, 1e16, 1e17, 123456789012345.0, 999999999999999.0,
    999999999999999.9, 1234567890123456.0, 1e-4, 0.00012345678901234, 9.999e-5, 1e-5, 5e-324, 1.7976931348623157e308,
    2.5, 19.9954, 1e22, 1e23, 0.5, 99999.5, 4503599627370496.5, 0.1 * 3, 1 / 3, 2 / 3, 100.0, 1e14, 1e14 + 0.5,
    12.345678901234567,
]
# fmt: on
NUMBERS = (
    st.floats(allow_nan=False, allow_infinity=False)
    | st.floats(-100, 100, width=32)
    | st.integers(-(10**16), 10**16).flatmap(lambda m: st.integers(0, 22).map(lambda p: m / 10**p))
    | st.decimals(-1000, 1000, places=4).map(float)
)


@settings(max_examples=300)
@given(values=st.lists(NUMBERS, min_size=1, max_size=100))
def test_numbers_are_written_as_python_writes_them(values: list[float]) -> None:
    data, offsets = kernels.float_text(np.array(values))
    assert Ids(data, offsets).to_bytes_list() == [repr(value).encode() for value in values]


@pytest.mark.parametrize("value", [*HARD, *(-value for value in HARD)])
def test_hard_numbers(value: float) -> None:
    around = [math.nextafter(value, -math.inf), value, math.nextafter(value, math.inf)]
    finite = np.array([each for each in around if math.isfinite(each)])
    assert Ids(*kernels.float_text(finite)).to_bytes_list() == [repr(each).encode() for each in finite.tolist()]


def test_many_numbers_of_few_digits() -> None:
    rng = np.random.default_rng(3)
    for places in range(16):
        values = rng.integers(-(10**9), 10**9, 2000) / 10.0**places
        assert Ids(*kernels.float_text(values)).to_bytes_list() == [repr(each).encode() for each in values.tolist()]


TEXTS = st.lists(st.binary(max_size=9), min_size=1, max_size=9)


@given(ids=TEXTS, rows=st.data(), between=st.lists(st.binary(max_size=3), min_size=3, max_size=3))
def test_rows_are_joined_alike(ids: list[bytes], rows: st.DataObject, between: list[bytes]) -> None:
    first = Ids.of(ids)
    size = rows.draw(st.integers(0, 12))
    number = np.array(rows.draw(st.lists(st.integers(0, len(ids) - 1), min_size=size, max_size=size)), dtype=np.int64)
    second = Ids.of([str(place) for place in range(size)])
    columns = [(first.data, first.offsets, number), (second.data, second.offsets)]
    expected = b"".join(
        between[0] + ids[k] + between[1] + b"%d" % i + between[2] for i, k in enumerate(number.tolist())
    )
    for engine in (kernels, reference_lines):
        assert bytes(engine.joined_rows(columns, between)) == expected
