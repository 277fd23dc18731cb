"""Data inside a page: JSON that cannot end its script element, and compressed where it is large.

Numbers are most of a large page. In a compressed block they stand as the bytes of arrays behind the JSON, and a list of
steps says how they are put back: the page that reads the block has plain lists again, with every digit.
"""

from __future__ import annotations

import base64
import gzip
import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

LARGE = 4_000
"""Characters above which a block is compressed; browsers unpack it by themselves, from a file too."""
FEW = 32
"""Numbers up to which an array stays text: as bytes it would be no shorter."""
WHOLE = ("u1", "i1", "u2", "i2", "u4", "i4")
"""Types of whole numbers, smallest first."""


@dataclass(frozen=True, eq=False)
class Ragged:
    """Lists of different lengths: `counts` says how many of the `values` each has, and its shape is that of the lists.

    >>> Ragged(np.arange(3), np.array([[1, 0], [0, 2]])).lists()
    [[[0], []], [[], [1, 2]]]
    """

    values: Any
    counts: Any

    def lists(self) -> Any:
        """The lists themselves."""
        ends = np.cumsum(self.counts)[:-1]
        flat = [part.tolist() for part in np.split(self.values, ends)]
        for size in self.counts.shape[:0:-1]:
            flat = [flat[i : i + size] for i in range(0, len(flat), size)]
        return flat


@dataclass(frozen=True, eq=False)
class Rows:
    """Objects with the same keys, given as columns: alike things lie together and compress well.

    >>> Rows({"a": [1, 2], "b": ["x", "y"]}).objects()
    [{'a': 1, 'b': 'x'}, {'a': 2, 'b': 'y'}]
    """

    columns: Mapping[str, Any]

    def objects(self) -> list[dict[str, Any]]:
        """The objects themselves."""
        lists = (column.lists() if isinstance(column, Ragged) else column for column in self.columns.values())
        return [dict(zip(self.columns, row, strict=True)) for row in zip(*lists, strict=True)]


def block(name: str, value: Any) -> str:
    """A `<script type="application/json">` that the page reads by its name.

    >>> block("names", ["</script><b>", float("nan")])
    '<script type="application/json" id="data-names">["\\\\u003c/script\\\\u003e\\\\u003cb\\\\u003e",null]</script>'
    """
    packing = _Packing()
    text = json.dumps({"value": packing.packed(value, ("value",)), "steps": packing.steps}, separators=(",", ":"))
    if len(text) + sum(map(len, packing.parts)) <= LARGE:
        return f'<script type="application/json" id="data-{name}">{as_json(value)}</script>'
    header = text.encode()
    whole = b"".join([len(header).to_bytes(4, "little"), header, *packing.parts])
    # No time in the header, so that the same numbers make the same page.
    packed = base64.b64encode(gzip.compress(whole, compresslevel=9, mtime=0)).decode()
    return f'<script type="application/json" id="data-{name}" data-packed="gzip">{packed}</script>'


def as_json(value: Any) -> str:
    """JSON in ASCII, without a character that HTML could take for its own; NaN and infinity are null."""
    text = json.dumps(plain(value), ensure_ascii=True, allow_nan=False, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def plain(value: Any) -> Any:
    """Lists, dicts and numbers that JSON knows."""
    if isinstance(value, np.ndarray):
        return plain(value.tolist())
    if isinstance(value, Ragged | Rows):
        return plain(value.lists() if isinstance(value, Ragged) else value.objects())
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    if isinstance(value, float | np.floating):
        return float(value) if math.isfinite(value) else None
    return int(value) if isinstance(value, np.integer) else value


class _Packing:
    """A value on its way into a block: what stays JSON, the bytes behind it, and the steps that put them back."""

    def __init__(self) -> None:
        self.parts: list[bytes] = []
        self.steps: list[list[Any]] = []

    def packed(self, value: Any, path: tuple[str | int, ...]) -> Any:
        """The value without its arrays; `path` leads to it."""
        if isinstance(value, np.ndarray):
            return self._array(value, path)
        if isinstance(value, Ragged | Rows):
            ragged = isinstance(value, Ragged)
            inner = {"values": value.values, "counts": value.counts} if isinstance(value, Ragged) else value.columns
            found = self.packed(inner, path)
            self.steps.append(["ragged" if ragged else "rows", path])
            return found
        if isinstance(value, Mapping):
            return {str(key): self.packed(item, (*path, str(key))) for key, item in value.items()}
        if isinstance(value, list | tuple):
            if all(type(item) in (str, int) for item in value):
                return value
            return [self.packed(item, (*path, i)) for i, item in enumerate(value)]
        return plain(value)

    def _array(self, array: Any, path: tuple[str | int, ...]) -> Any:
        kind = _kind(array)
        if kind is None or array.size <= FEW:
            return plain(array)
        if kind == "f8":
            distinct, codes = np.unique(array, return_inverse=True, equal_nan=True)
            if len(distinct) * 4 < array.size:
                found = {"values": self._array(distinct, (*path, "values"))}
                found["codes"] = self._array(codes.reshape(array.shape), (*path, "codes"))
                self.steps.append(["codes", path])
                return found
        flat = np.ascontiguousarray(array, dtype=f"<{kind}").reshape(-1)
        # The first bytes of all numbers, then the second ones: alike bytes lie together.
        self.parts.append(flat.view(np.uint8).reshape(len(flat), -1).T.tobytes())
        self.steps.append([kind, path, list(array.shape)])
        return None


def _kind(array: Any) -> str | None:
    """The smallest type that keeps the numbers as they are; None for an array of anything else."""
    if array.dtype.kind not in "iuf" or not array.size:
        return None
    if array.dtype.kind == "f" and not (np.isfinite(array).all() and (array == np.floor(array)).all()):
        return "f8"
    low, high = array.min(), array.max()
    fitting = (kind for kind in WHOLE if np.iinfo(kind).min <= low and high <= np.iinfo(kind).max)
    return next(fitting, "f8" if abs(low) < 2**53 and high < 2**53 else None)


class ColumnPool:
    """Columns of numbers, each kept once however often it is used."""

    def __init__(self) -> None:
        self.columns: list[Any] = []
        self._place: dict[tuple[str, bytes], int] = {}

    def add(self, values: Any) -> int:
        """Add a column, or reuse an equal one, and return its index."""
        column = np.asarray(values)
        key = (column.dtype.str, column.tobytes())
        if key not in self._place:
            self._place[key] = len(self.columns)
            self.columns.append(column)
        return self._place[key]
