"""A column in every shape and library that its users have, and results made comparable."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from importlib.util import find_spec
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
from scipy import sparse

Column = list[Any]
Shape = Callable[[Column], Any]

READ: dict[str, Shape] = {
    "tuple": tuple,
    "array": np.asarray,
    "array of objects": lambda values: np.asarray([*values, None], dtype=object)[:-1],
    "column of a matrix": lambda values: np.asarray(values).reshape(-1, 1),
    "strided array": lambda values: np.repeat(np.asarray(values), 2)[::2],
    "masked array without a mask": lambda values: np.ma.MaskedArray(np.asarray(values)),
    "series": pd.Series,
    "series with an index": lambda values: pd.Series(values, index=[f"i{place}" for place in range(len(values))]),
    "frame with one column": lambda values: pd.DataFrame({"x": values}),
    "polars series": pl.Series,
    "polars frame with one column": lambda values: pl.DataFrame({"x": values}),
    "arrow array": pa.array,
    "arrow chunks": lambda values: pa.chunked_array([values[:1], values[1:]]),
    "arrow table with one column": lambda values: pa.table({"x": values}),
    "generator": lambda values: (value for value in values),
    "values of a dict": lambda values: dict(enumerate(values)).values(),
    "structured array with one field": lambda values: np.asarray(values).view([("x", np.asarray(values).dtype)]),
}
"""Shapes with one reading: the result is that of the list, or an error of germane."""

NUMBERS: dict[str, Shape] = {
    "sparse column": lambda values: sparse.csr_array(np.asarray(values).reshape(-1, 1)),
}
"""Shapes that hold numbers only."""
if find_spec("torch") is not None:  # which .ci/run installs
    NUMBERS |= {
        "tensor": lambda values: _tensor(values, "float64"),
        "tensor of bfloat16": lambda values: _tensor(values, "bfloat16"),
        "tensor with a gradient": lambda values: _tensor(values, "float64").requires_grad_(),
    }

REFUSED: dict[str, Shape] = {
    "row of a matrix": lambda values: np.asarray(values).reshape(1, -1),
    "two columns": lambda values: np.stack([np.asarray(values)] * 2, axis=1),
    "single value": lambda values: np.asarray(values[0]),
    "three axes": lambda values: np.asarray(values).reshape(-1, 1, 1),
    "frame with two columns": lambda values: pd.DataFrame({"x": values, "y": values}),
    "polars frame with two columns": lambda values: pl.DataFrame({"x": values, "y": values}),
    "arrow table with two columns": lambda values: pa.table({"x": values, "y": values}),
    "masked array": lambda values: np.ma.MaskedArray(np.asarray(values), [True] + [False] * (len(values) - 1)),
    "set": set,
    "text": lambda values: "".join(map(str, values)),
    "bytes": lambda values: bytes(len(values)),
    "nested dict": lambda values: {0: dict(enumerate(values))},
    "sparse row": lambda values: sparse.csr_array(np.arange(1.0, len(values) + 1).reshape(1, -1)),
    "function": lambda _: len,
    "nothing in it": lambda _: [],
}
"""Shapes that are not one column, or have two readings: an error of germane."""


def _tensor(values: Column, kind: str) -> Any:
    import torch

    found = torch.tensor(values, dtype=getattr(torch, kind))
    assert found.tolist() == values, "bfloat16 holds the values of the calls exactly"
    return found


def is_column(value: object) -> bool:
    """Whether an argument of a call that works is a column of plain values."""
    return (
        isinstance(value, list)
        and len(value) > 1
        and all(isinstance(one, int | float | str) and not isinstance(one, bool) for one in value)
    )


def holds_numbers(values: Column) -> bool:
    return all(isinstance(value, int | float) for value in values)


def plain(value: Any) -> Any:
    """A result as nested tuples of plain values, so that two can be compared; of functions only their kind counts."""
    if isinstance(value, np.generic):
        return plain(value.item())
    if isinstance(value, float):
        return int(value) if value.is_integer() else repr(value)
    if hasattr(value, "to_bytes_list"):  # ids, in whatever form
        return tuple(value.to_bytes_list())
    if value is None or isinstance(value, str | int | bytes):
        return value
    if isinstance(value, np.ndarray):
        return ("array", value.shape, plain(value.tolist()))
    if isinstance(value, Mapping):
        return tuple((plain(key), plain(one)) for key, one in value.items())
    if isinstance(value, list | tuple):
        return tuple(map(plain, value))
    if isinstance(value, set | frozenset):
        return tuple(sorted(map(repr, value)))
    if dataclasses.is_dataclass(value):
        return (
            type(value).__name__,
            *(
                (f.name, plain(getattr(value, f.name)))
                for f in dataclasses.fields(value)
                if f.compare and f.name != "name"
            ),
        )
    if type(value).__module__.startswith("germane."):
        return (type(value).__name__, plain(vars(value)))
    return type(value).__name__
