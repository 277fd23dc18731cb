"""A matrix of vectors, one per row, of any supported number type; it may be a file larger than memory."""

from __future__ import annotations

import mmap
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from germane import kernels
from germane.errors import InputError
from germane.tables.columns.id_columns import from_integers
from germane.tables.columns.ids import FloatArray, Ids, IntArray

if TYPE_CHECKING:
    import torch

Reals = npt.NDArray[Any]
"""Rows in single or double precision."""
KINDS = ("float32", "float16", "bfloat16", "int8", "binary", "float64")
ROWS_AT_ONCE = 1 << 14
PACK_HINT = "pack bits first, for example with np.packbits(vectors > 0, axis=1)"


def is_tensor(values: object) -> bool:
    """Whether this is a torch tensor; torch is not imported to find out."""
    return type(values).__module__.partition(".")[0] == "torch"


class DeviceArray:
    """A torch tensor as the matrix of `Vectors`: it stays on its device, and rows are copied to the host on demand.

    It provides what `Vectors` needs of an array: shape, number type, and rows as NumPy arrays.
    """

    def __init__(self, tensor: torch.Tensor) -> None:
        self.tensor = tensor.detach()
        self.shape = tuple(tensor.shape)
        self.ndim = tensor.ndim

    def __len__(self) -> int:
        return int(self.shape[0])

    @property
    def kind(self) -> str:
        """The number type, as torch names it."""
        return str(self.tensor.dtype).removeprefix("torch.")

    def __getitem__(self, which: slice | IntArray) -> npt.NDArray[Any]:
        import torch

        part = self.tensor[which if isinstance(which, slice) else torch.as_tensor(which, device=self.tensor.device)]
        host = part.cpu().contiguous()
        # NumPy has no bfloat16: the same bits as integers.
        if part.dtype == torch.bfloat16:
            return np.asarray(host.view(torch.int16).numpy().view(np.uint16))
        return np.asarray(host.numpy())


@dataclass(frozen=True, eq=False)
class Vectors:
    """Vectors with their ids. `kind` is the number type: bfloat16 is stored as 16-bit integers, binary as packed bytes.

    `chosen` are the rows of `values` in use, if not all of them; nothing is copied.

    >>> Vectors.of([[1.0, 0.0], [0.5, 0.5]]).num
    2
    """

    values: npt.NDArray[Any] | DeviceArray
    kind: str
    ids: Ids
    name: str = "vectors"
    chosen: IntArray | None = None

    @classmethod
    def of(
        cls, values: npt.ArrayLike, *, kind: str | None = None, ids: Ids | None = None, name: str = "vectors"
    ) -> Vectors:
        """Return vectors from an array; `kind` is needed if the array's type is ambiguous."""
        array: Any = DeviceArray(values) if is_tensor(values) else np.asanyarray(values)
        if array.ndim != 2 or array.shape[1] == 0:
            found_shape = f"an array of shape {array.shape}"
            raise InputError(name, None, f"expected a matrix with one vector per row, found {found_shape}")
        found = _kind_of(array, kind, name)
        of_other_library = found == "bfloat16" and isinstance(array, np.ndarray) and array.dtype != np.uint16
        stored = array.view(np.uint16) if of_other_library else array
        numbers = from_integers(np.arange(len(array))) if ids is None else ids
        if len(numbers) != len(array):
            raise InputError(name, None, f"expected an id for each of {len(array)} vectors, found {len(numbers)} ids")
        return cls(stored, found, numbers, name)

    @property
    def num(self) -> int:
        return len(self.values) if self.chosen is None else len(self.chosen)

    @property
    def dimensions(self) -> int:
        """Number of components of a vector: bits, if it is binary."""
        return int(self.values.shape[1]) * (8 if self.kind == "binary" else 1)

    @property
    def resident(self) -> torch.Tensor | None:
        """The tensor that holds all vectors, if they were given as one."""
        return self.values.tensor if isinstance(self.values, DeviceArray) and self.chosen is None else None

    @property
    def is_whole(self) -> bool:
        """Whether all components are small integers, so that sums of products are exact."""
        return self.kind in ("int8", "binary")

    def take(self, rows: IntArray) -> Vectors:
        """Return some vectors, in this order; they are read only when needed.

        >>> list(Vectors.of([[1.0], [2.0], [3.0]]).take(np.array([2, 0])).ids)
        ['2', '0']
        """
        if len(rows) == self.num and (rows == np.arange(self.num)).all():
            return self
        chosen = rows if self.chosen is None else self.chosen[rows]
        return replace(self, ids=self.ids.take(rows), chosen=chosen)

    def stored(self, which: slice | IntArray) -> npt.NDArray[Any]:
        """Return some rows in their stored number type; nothing else is read."""
        if self.chosen is None:
            return self.values[which]
        wanted = self.chosen[which]
        if len(wanted) and (np.diff(wanted) == 1).all():  # a contiguous range needs no copy
            return self.values[wanted[0] : wanted[-1] + 1]
        return self.values[wanted]

    def rows(self, which: slice | IntArray, real: type[np.floating[Any]]) -> Reals:
        """Return some rows as contiguous single- or double-precision numbers; values are preserved."""
        part = self.stored(which)
        if self.kind == "bfloat16":
            part = (part.astype(np.uint32) << 16).view(np.float32)
        elif self.kind == "binary":
            part = np.unpackbits(np.ascontiguousarray(part), axis=1).astype(np.int8) * 2 - 1
        return np.ascontiguousarray(part, dtype=real)

    def release(self, first: int, last: int) -> None:
        """Release the memory of rows from `first` up to `last` of a mapped file, which are not needed soon.

        The system would drop them too, but only under memory pressure, and would count them as ours until then.
        """
        file: Any = getattr(self.values, "base", None)  # the memory map, if the array is mapped
        if not isinstance(file, mmap.mmap) or not isinstance(self.values, np.memmap) or first >= last:
            return
        if self.chosen is not None:
            first, last = int(self.chosen[first:last].min()), int(self.chosen[first:last].max()) + 1
        size, row = mmap.PAGESIZE, self.values.strides[0]
        origin = self.values.offset % mmap.ALLOCATIONGRANULARITY
        begin = -(-(origin + first * row) // size) * size
        end = (origin + min(last, len(self.values)) * row) // size * size
        if hasattr(mmap, "MADV_DONTNEED") and begin < end:
            file.madvise(mmap.MADV_DONTNEED, begin, end - begin)

    def squared_norms(self, rows: Reals, first: int | IntArray = 0) -> FloatArray:
        """Return the squared norms of rows, which start at row `first` or have these row numbers; an error if one is
        not finite."""
        squared = np.empty(len(rows))
        kernels.squared_norms(rows, squared)
        self.require_finite(squared, first)
        return squared

    def require_finite(self, squared: FloatArray, first: int | IntArray = 0) -> None:
        """Reject vectors with non-finite numbers."""
        if not np.isfinite(squared).all():
            name = self._name(first, int(np.flatnonzero(~np.isfinite(squared))[0]))
            found = f"NaN, infinity or an overflow in vector {name!r}"
            raise InputError(self.name, None, f"expected finite numbers, found {found}")

    def require_lengths(self, squared: FloatArray, first: int | IntArray = 0) -> None:
        """Reject a zero vector, whose angle to other vectors is undefined."""
        if not squared.all():
            row = int(np.flatnonzero(squared == 0)[0])
            found = f"only zeros in vector {self._name(first, row)!r}"
            problem = f"cosine requires non-zero vectors, found {found}"
            raise InputError(self.name, None, problem, hint="use dot or euclidean")

    def _name(self, first: int | IntArray, row: int) -> str:
        return self.ids[first + row if isinstance(first, int) else int(first[row])]

    def all_squared_norms(self) -> FloatArray:
        """Return the squared norm of every vector."""
        starts = range(0, self.num, ROWS_AT_ONCE)
        parts = [self.squared_norms(self.rows(slice(a, a + ROWS_AT_ONCE), np.float64), a) for a in starts]
        return np.concatenate(parts) if parts else np.zeros(0)


def _kind_of(array: npt.NDArray[Any] | DeviceArray, kind: str | None, name: str) -> str:
    dtype = array.kind if isinstance(array, DeviceArray) else array.dtype.name
    # Integers may stand for other types only if `kind` says so.
    fits = {name: (name,) for name in KINDS} | {"bfloat16": ("bfloat16", "uint16"), "binary": ("uint8",)}
    if dtype in (fits if kind is None else fits[kind]):
        return kind or dtype
    hints = {
        "uint16": "if these are bfloat16 numbers, use `dtype='bfloat16'`",
        "uint8": "if these are packed bits, use `dtype='binary'`",
    }
    hint = hints.get(dtype)
    if kind == "binary":
        hint = PACK_HINT
    elif hint is None and kind is None and dtype.startswith(("int", "uint", "float", "longdouble", "bool")):
        turned = "tensor.float()" if isinstance(array, DeviceArray) else "array.astype(np.float32)"
        hint = f"convert them with {turned}"
    expected = "one of " + ", ".join(KINDS) if kind is None else f"numbers that can be {kind}"
    raise InputError(name, None, f"expected {expected}, found {dtype}", hint=hint)
