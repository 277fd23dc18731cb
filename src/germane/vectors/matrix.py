"""A matrix of vectors, one to a row, in whatever kind of number; it may lie in a file larger than memory."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from germane import kernels
from germane.errors import InputError
from germane.tables.ids import FloatArray, Ids

Reals = npt.NDArray[Any]
"""Rows in single or double precision."""
KINDS = ("float32", "float16", "bfloat16", "int8", "binary", "float64")
ROWS_AT_ONCE = 1 << 14


@dataclass(frozen=True, eq=False)
class Vectors:
    """Vectors with their ids. `kind` says what the numbers are: bfloat16 is stored as 16-bit, binary as packed bytes.

    >>> Vectors.of([[1.0, 0.0], [0.5, 0.5]]).num
    2
    """

    values: npt.NDArray[Any]
    kind: str
    ids: Ids
    name: str = "vectors"

    @classmethod
    def of(
        cls, values: npt.ArrayLike, *, kind: str | None = None, ids: Ids | None = None, name: str = "vectors"
    ) -> Vectors:
        """Vectors from an array; where its numbers leave the kind open, `kind` says it."""
        array = np.asanyarray(values)
        if array.ndim != 2 or array.shape[1] == 0:
            raise InputError(
                name, None, f"expected a matrix, one vector to a row, found an array of shape {array.shape}"
            )
        found = _kind_of(array, kind, name)
        stored = array.view(np.uint16) if found == "bfloat16" and array.dtype != np.uint16 else array
        numbers = Ids.of(range(len(array))) if ids is None else ids
        if len(numbers) != len(array):
            raise InputError(name, None, f"expected an id for each of {len(array)} vectors, found {len(numbers)} ids")
        return cls(stored, found, numbers, name)

    @property
    def num(self) -> int:
        return len(self.values)

    @property
    def dimensions(self) -> int:
        """How many components a vector has: bits, if it is binary."""
        return self.values.shape[1] * (8 if self.kind == "binary" else 1)

    @property
    def is_whole(self) -> bool:
        """All components are small whole numbers, so that sums of products are exact."""
        return self.kind in ("int8", "binary")

    def rows(self, which: slice | npt.NDArray[np.int64], real: type[np.floating[Any]]) -> Reals:
        """Some rows as contiguous single or double precision numbers; each value is kept as it is."""
        part = self.values[which]
        if self.kind == "bfloat16":
            part = (part.astype(np.uint32) << 16).view(np.float32)
        elif self.kind == "binary":
            part = np.unpackbits(np.ascontiguousarray(part), axis=1).astype(np.int8) * 2 - 1
        return np.ascontiguousarray(part, dtype=real)

    def squared_norms(self, rows: Reals, first: int = 0) -> FloatArray:
        """The squared length of each of some rows, which begin at row `first`; refuses what is not finite."""
        squared = np.empty(len(rows))
        kernels.squared_norms(rows, squared)
        if not np.isfinite(squared).all():
            row = int(np.flatnonzero(~np.isfinite(squared))[0])
            raise InputError(
                self.name,
                None,
                f"expected finite numbers, found NaN, infinity or an overflow in vector {self.ids[first + row]!r}",
            )
        return squared

    def require_lengths(self, squared: FloatArray, first: int = 0) -> None:
        """Refuse a vector without length, which has no angle to others."""
        if not squared.all():
            row = int(np.flatnonzero(squared == 0)[0])
            found = f"only zeros in vector {self.ids[first + row]!r}"
            raise InputError(self.name, None, f"cosine compares directions, found {found}", hint="use dot or euclidean")

    def all_squared_norms(self) -> FloatArray:
        """The squared length of every vector."""
        starts = range(0, self.num, ROWS_AT_ONCE)
        parts = [self.squared_norms(self.rows(slice(a, a + ROWS_AT_ONCE), np.float64), a) for a in starts]
        return np.concatenate(parts) if parts else np.zeros(0)


def _kind_of(array: npt.NDArray[Any], kind: str | None, name: str) -> str:
    dtype = array.dtype.name
    fits = {
        "float32": ("float32",),
        "float16": ("float16",),
        "float64": ("float64",),
        "bfloat16": ("bfloat16", "uint16"),
        "int8": ("int8",),
        "binary": ("uint8",),
    }
    if kind is not None and kind not in fits:
        raise InputError(name, None, f"expected a kind of number, one of {', '.join(KINDS)}, found {kind!r}")
    if kind is None:
        found = [each for each, dtypes in fits.items() if dtypes[0] == dtype]
        if found:
            return found[0]
    elif dtype in fits[kind]:
        return kind
    hints = {
        "uint16": "bfloat16 is stored as 16-bit whole numbers: say so with kind=bfloat16",
        "uint8": "packed bits are stored as bytes: say so with kind=binary",
    }
    expected = "one of " + ", ".join(KINDS) if kind is None else f"numbers that can be {kind}"
    raise InputError(name, None, f"expected {expected}, found {dtype}", hint=hints.get(dtype))
