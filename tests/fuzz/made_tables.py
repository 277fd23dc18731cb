"""Tables by chance: columns of every type that Arrow, NumPy and Python have, right and wrong, in every wrapping."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from random import Random
from typing import Any

import numpy as np
import pyarrow as pa

IDS = ("q1", "q1", "q2", "q1", "q3", "q2")
DOCS = ("d1", "d2", "d1", "d3", "d1", "d5")
ODD: tuple[Any, ...] = (
    *(
        None,
        float("nan"),
        float("inf"),
        -float("inf"),
        10**400,
        -(2**63),
        2**64,
        "",
        "x",
        "1",
        b"d1",
        b"\xff",
        "\ud800",
        "\0",
    ),
    *(True, (), (1,), [], [1], {}, {"a": 1}, {1}, object, Decimal("1.5"), Decimal("NaN"), Fraction(1, 3), 1j),
    *(
        np.float32(1),
        np.int8(-1),
        np.datetime64("NaT"),
        np.array([1]),
        np.array(1.0),
        np.str_("q"),
        dt.date(2026, 1, 1),
    ),
)
ARROW: dict[str, Callable[[Sequence[str], Sequence[float]], Any]] = {
    "string": lambda ids, _: pa.array(ids, pa.string()),
    "large string": lambda ids, _: pa.array(ids, pa.large_string()),
    "string view": lambda ids, _: pa.array(ids, pa.string_view()),
    "dictionary": lambda ids, _: pa.array(ids).dictionary_encode(),
    "dictionary with nulls": lambda ids, _: pa.DictionaryArray.from_arrays(
        pa.array([None, *range(1, len(ids))], pa.int32()), pa.array([None, *ids])
    ),
    "dictionary of numbers": lambda _, numbers: pa.array(numbers).dictionary_encode(),
    "strings with nulls": lambda ids, _: pa.array([None, *ids][: len(ids)], pa.string()),
    "empty strings": lambda ids, _: pa.array([""] * len(ids)),
    "binary": lambda ids, _: pa.array([id_.encode() for id_ in ids], pa.binary()),
    "binary that is no text": lambda ids, _: pa.array([b"\xff" + id_.encode() for id_ in ids], pa.binary()),
    "fixed binary": lambda ids, _: pa.array([id_.encode()[:2].ljust(2, b"\0") for id_ in ids], pa.binary(2)),
    "int8": lambda _, numbers: pa.array([int(n) for n in numbers], pa.int8()),
    "int64": lambda _, numbers: pa.array([int(n) for n in numbers], pa.int64()),
    "uint8": lambda _, numbers: pa.array([abs(int(n)) for n in numbers], pa.uint8()),
    "huge unsigned": lambda _, numbers: pa.array([2**64 - 1 - abs(int(n)) for n in numbers], pa.uint64()),
    "integers with nulls": lambda _, numbers: pa.array([None, *map(int, numbers)][: len(numbers)], pa.int64()),
    "float16": lambda _, numbers: pa.array(np.asarray(numbers, np.float16)),
    "float32": lambda _, numbers: pa.array(numbers, pa.float32()),
    "float64": lambda _, numbers: pa.array(numbers, pa.float64()),
    "floats with NaN": lambda _, numbers: pa.array([float("nan"), *numbers][: len(numbers)]),
    "floats with infinity": lambda _, numbers: pa.array([float("-inf"), *numbers][: len(numbers)]),
    "floats with nulls": lambda _, numbers: pa.array([*numbers[:-1], None], pa.float64()),
    "decimal": lambda _, numbers: pa.array([Decimal(repr(n)) for n in numbers], pa.decimal128(30, 10)),
    "boolean": lambda _, numbers: pa.array([n > 1 for n in numbers]),
    "timestamp": lambda _, numbers: pa.array([int(n) for n in numbers], pa.timestamp("us")),
    "timestamp in a zone": lambda _, numbers: pa.array([int(n) for n in numbers], pa.timestamp("ns", "UTC")),
    "date": lambda _, numbers: pa.array([int(n) for n in numbers], pa.date32()),
    "time": lambda _, numbers: pa.array([abs(int(n)) for n in numbers], pa.time64("us")),
    "duration": lambda _, numbers: pa.array([int(n) for n in numbers], pa.duration("s")),
    "null": lambda ids, _: pa.nulls(len(ids)),
    "list": lambda _, numbers: pa.array([[n] for n in numbers]),
    "fixed list": lambda _, numbers: pa.array([[n, n] for n in numbers], pa.list_(pa.float64(), 2)),
    "struct": lambda ids, numbers: pa.array([{"a": a, "b": b} for a, b in zip(ids, numbers, strict=True)]),
    "map": lambda ids, numbers: pa.array(
        [[(a, b)] for a, b in zip(ids, numbers, strict=True)], pa.map_(pa.string(), pa.float64())
    ),
    "numbers as text": lambda _, numbers: pa.array([str(n) for n in numbers]),
}
TEXTS = ("string", "large string", "string view", "dictionary", "int64", "int8", "uint8", "numbers as text")
NUMBERS = ("float64", "float32", "float16", "int64", "int8", "uint8", "boolean", "decimal")


@dataclass(frozen=True)
class Column:
    """A column by name and type. `odd` are values, by row, that are not of its type; only lists of Python hold them."""

    name: str
    kind: str
    texts: tuple[str, ...]
    numbers: tuple[float, ...]
    odd: tuple[tuple[int, int], ...] = ()

    def arrow(self) -> Any:
        return ARROW[self.kind](self.texts, self.numbers)

    def values(self) -> list[Any]:
        plain: list[Any] = self.arrow().to_pylist()
        for row, which in self.odd:
            plain[row % len(plain)] = ODD[which]
        return plain


@dataclass(frozen=True)
class Made:
    """A table, and the kind of object that it comes as."""

    columns: tuple[Column, ...]
    wrapping: str

    def rows(self) -> int:
        return min((len(column.texts) for column in self.columns), default=0)


def made(roles: Sequence[tuple[str, str, Sequence[str]]], wrappings: Sequence[str], chance: Random) -> Made:
    """A table with these columns (role, kind of values, names), of which some are wrong, missing, double or besides."""
    size = chance.choice((1, 2, 3, 4, 5, 6))
    columns = []
    wrong = chance.random() < 0.6
    for role, values, names in roles:
        if wrong and chance.random() < 0.05:
            continue
        right = TEXTS if values == "text" else NUMBERS
        kind = chance.choice(tuple(ARROW)) if wrong and chance.random() < 0.4 else chance.choice(right)
        length = size if not wrong or chance.random() > 0.05 else chance.choice((1, size + 1))
        texts = tuple(
            (DOCS if role == "document" else IDS)[row % 6] + ("" if row < 6 else str(row)) for row in range(length)
        )
        numbers = tuple(float(chance.choice((0, 1, 2, 3, 1.5, -1, 100))) for _ in range(length))
        if role == "document":
            numbers = tuple(map(float, range(length)))
        odd = tuple((chance.randrange(9), chance.randrange(len(ODD))) for _ in range(wrong and chance.random() < 0.2))
        columns.append(Column(chance.choice(names), kind, texts, numbers, odd))
    if wrong and columns and chance.random() < 0.1:
        columns.append(chance.choice(columns))
    if chance.random() < 0.1:
        columns.append(Column("besides", chance.choice(tuple(ARROW)), IDS[:size], (0.0,) * size))
    chance.shuffle(columns)
    return Made(tuple(columns), chance.choice(wrappings))


def as_table(given: Made) -> pa.Table:
    rows = given.rows()
    arrays = [column.arrow()[:rows] for column in given.columns]
    return pa.Table.from_arrays(arrays, names=[column.name for column in given.columns])


def _frame(given: Made) -> Any:
    import pandas as pd

    return pd.DataFrame(
        {column.name: pd.Series(column.values()[: given.rows()], dtype=object) for column in given.columns}
    )


def _polars(given: Made) -> Any:
    import polars as pl

    return pl.from_arrow(
        as_table(Made(tuple({column.name: column for column in given.columns}.values()), given.wrapping))
    )


def _structured(given: Made) -> Any:
    columns = {column.name: column.arrow()[: given.rows()].to_numpy(zero_copy_only=False) for column in given.columns}
    kinds = [(name, array.dtype) for name, array in columns.items()]
    found = np.zeros(given.rows(), dtype=kinds)
    for name, array in columns.items():
        found[name] = array
    return found


def _nested(given: Made) -> Any:
    """A dict of dicts: the first column's values, then the second's, then the third's."""
    lists = [column.values() for column in given.columns]
    if len(lists) < 3:
        return {}
    found: dict[Any, Any] = {}
    for first, second, third in zip(*lists[:3], strict=False):
        if first.__hash__ is None or second.__hash__ is None:
            found["odd"] = {"x": third} if first is None else third
        else:
            found.setdefault(_hashable(first), {})[_hashable(second)] = third
    return found


def _hashable(value: Any) -> Any:
    try:
        hash(value)
    except TypeError:
        return str(value)
    return value


WRAPPINGS: dict[str, Callable[[Made], Any]] = {
    "table": as_table,
    "batch": lambda given: pa.Table.to_batches(as_table(given))[0] if given.rows() and given.columns else pa.table({}),
    "pandas": _frame,
    "pandas of Arrow": lambda given: as_table(Made(tuple({c.name: c for c in given.columns}.values()), "")).to_pandas(),
    "polars": _polars,
    "lists": lambda given: {column.name: column.values() for column in given.columns},
    "arrays": lambda given: {column.name: column.arrow().to_numpy(zero_copy_only=False) for column in given.columns},
    "objects": lambda given: {
        column.name: np.asarray([*column.values(), None], object)[:-1] for column in given.columns
    },
    "rows": lambda given: list(zip(*(column.values() for column in given.columns), strict=False)),
    "dicts": lambda given: [
        dict(zip((column.name for column in given.columns), row, strict=True))
        for row in zip(*(column.values() for column in given.columns), strict=False)
    ],
    "tuple": lambda given: tuple(column.arrow().to_numpy(zero_copy_only=False) for column in given.columns),
    "structured": _structured,
    "nested": _nested,
}
