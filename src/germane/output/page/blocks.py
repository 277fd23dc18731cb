"""Data inside a page: JSON that cannot end its script element, and compressed where it is large."""

from __future__ import annotations

import base64
import gzip
import json
import math
from collections.abc import Mapping
from typing import Any

import numpy as np

LARGE = 4_000
"""Characters above which a block is compressed; browsers unpack it by themselves, from a file too."""


def block(name: str, value: Any) -> str:
    """A `<script type="application/json">` that the page reads by its name.

    >>> block("names", ["</script><b>", float("nan")])
    '<script type="application/json" id="data-names">["\\\\u003c/script\\\\u003e\\\\u003cb\\\\u003e",null]</script>'
    """
    text = as_json(value)
    if len(text) <= LARGE:
        return f'<script type="application/json" id="data-{name}">{text}</script>'
    # No time in the header, so that the same numbers make the same page.
    packed = base64.b64encode(gzip.compress(text.encode(), compresslevel=9, mtime=0)).decode()
    return f'<script type="application/json" id="data-{name}" data-packed="gzip">{packed}</script>'


def as_json(value: Any) -> str:
    """JSON in ASCII, without a character that HTML could take for its own; NaN and infinity are null."""
    text = json.dumps(plain(value), ensure_ascii=True, allow_nan=False, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def plain(value: Any) -> Any:
    """Lists, dicts and numbers that JSON knows."""
    if isinstance(value, np.ndarray):
        return plain(value.tolist())
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    if isinstance(value, float | np.floating):
        return float(value) if math.isfinite(value) else None
    return int(value) if isinstance(value, np.integer) else value


class ColumnPool:
    """Columns of numbers, each kept once however often it is used, and its values once each where they repeat."""

    def __init__(self) -> None:
        self.columns: list[Any] = []
        self._place: dict[tuple[str, bytes], int] = {}

    def add(self, values: Any) -> int:
        """Where the column stands."""
        column = np.asarray(values)
        key = (column.dtype.str, column.tobytes())
        if key not in self._place:
            self._place[key] = len(self.columns)
            self.columns.append(_coded(column))
        return self._place[key]


def _coded(column: Any) -> Any:
    if column.dtype.kind != "f":
        return column.tolist()
    if np.isfinite(column).all() and (column == np.floor(column)).all():
        return column.astype(np.int64).tolist()
    distinct, codes = np.unique(column, return_inverse=True)
    if len(distinct) * 2 > len(column):
        return column.tolist()
    return {"values": distinct.tolist(), "codes": codes.tolist()}
