"""Arrays mapped from an index's files: a block is compared with its checksum when it is first touched.

Nothing of a file is handed out before that, so a damaged file is an error and never another score. Values that are used
as addresses (offsets, numbers of documents and terms) are compared with their bounds at the same moment. A block is
checked once per process: a file that somebody changes while it is mapped is not noticed any more.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from germane.errors import InputError
from germane.retrieval.indexes.manifest import MEND, FileEntry
from germane.tables.columns.ids import IntArray

BLOCK_SIZE = 1 << 16
"""Bytes per checksum: reading one block more than needed takes 16 µs, and the checksums are 1/16,384 of a file."""


@dataclass(frozen=True)
class Bounds:
    """What the values of an array may be: from 0 to `last`; offsets ascend as well, from 0 up to `last` itself."""

    last: int
    are_offsets: bool = False


class MappedArray:
    """One array of a segment's file. Whatever is read of it was checked; `np.asarray` checks and gives all of it."""

    def __init__(self, path: Path, entry: FileEntry, bounds: Bounds | None = None) -> None:
        self.path = path
        self.dtype = np.dtype(entry.dtype)
        self._bounds = bounds
        self._header = entry.size - entry.length * self.dtype.itemsize
        self._sums = np.frombuffer(bytes.fromhex(entry.sums), "<u4")
        self._whole = bytearray(len(self._sums))
        try:
            self._bytes = np.asarray(np.memmap(path, np.uint8, mode="r"))
        except (OSError, ValueError) as error:
            reason = error.strerror if isinstance(error, OSError) else "it is empty"
            raise InputError(path, None, f"part of an index cannot be read: {reason}", hint=MEND) from None
        if len(self._bytes) != entry.size:
            raise self.damage(f"expected {entry.size:,} bytes, found {len(self._bytes):,}")
        if self._header < 0 or self._header % self.dtype.itemsize or len(self._sums) != -(-entry.size // BLOCK_SIZE):
            raise self.damage(f"expected {entry.length:,} values, each block of them with a checksum")
        self._values: npt.NDArray[Any] = self._bytes[self._header :].view(self.dtype)

    def __len__(self) -> int:
        return len(self._values)

    @property
    def nbytes(self) -> int:
        """Bytes of its values, without the file's header."""
        return self._values.nbytes

    def __array__(self, dtype: npt.DTypeLike | None = None, copy: bool | None = None) -> npt.NDArray[Any]:
        self.check()
        return np.array(self._values, dtype) if copy else np.asarray(self._values, dtype)

    def __getitem__(self, key: int | slice | IntArray) -> Any:
        """A value, or an array of values: a stretch, or those at some places, counted from 0."""
        if isinstance(key, slice):
            first = 0 if key.start is None else int(key.start)
            last = len(self) if key.stop is None else int(key.stop)
            self._check_stretch(first, last)
            return self._values[first:last]
        if isinstance(key, np.ndarray):
            self._check_places(key)
        else:
            self._check_stretch(int(key), int(key) + 1)
        return self._values[key]

    def check(self) -> None:
        """Compare every block that was not touched yet with its checksum."""
        self._check_blocks(0, len(self._sums) - 1)

    def check_stretches(self, first: IntArray, last: IntArray) -> None:
        """Compare the blocks of many stretches, each from `first` up to `last`, with their checksums."""
        filled = last > first
        if filled.any():
            self._require_inside(int(first[filled].min()), int(last[filled].max()))
            low, high = self._block_of(first[filled]), self._block_of(last[filled] - 1)
            # Where stretches begin and end, summed up: above 0 is what at least one of them needs.
            num = len(self._sums) + 1
            steps = np.bincount(low, minlength=num) - np.bincount(high + 1, minlength=num)
            for block in np.flatnonzero(np.cumsum(steps)).tolist():
                self._check_blocks(block, block)

    @property
    def raw(self) -> npt.NDArray[Any]:
        """The whole array, nothing of it checked."""
        return self._values

    def _check_stretch(self, first: int, last: int) -> None:
        self._require_inside(first, last)
        if last > first:
            size = self.dtype.itemsize
            self._check_blocks(
                (self._header + first * size) // BLOCK_SIZE, (self._header + last * size - 1) // BLOCK_SIZE
            )

    def _check_places(self, places: IntArray) -> None:
        if len(places):
            self._require_inside(int(places.min()), int(places.max()) + 1)
            needed = np.zeros(len(self._sums), np.bool_)
            needed[self._block_of(places)] = True
            for block in np.flatnonzero(needed).tolist():
                self._check_blocks(block, block)

    def _block_of(self, places: IntArray) -> IntArray:
        return (np.asarray(places, np.int64) * self.dtype.itemsize + self._header) // BLOCK_SIZE

    def _require_inside(self, first: int, last: int) -> None:
        """Places come from other files of the index: they are compared with this one's size before they are used."""
        if not 0 <= first <= last <= len(self):
            raise self.damage(f"expected {len(self):,} values, found that values {first:,} to {last:,} are needed")

    def _check_blocks(self, first: int, last: int) -> None:
        block = self._whole.find(0, first, last + 1)
        while block >= 0:
            begin, end = block * BLOCK_SIZE, min((block + 1) * BLOCK_SIZE, len(self._bytes))
            found = zlib.crc32(self._bytes[begin:end].data)
            if found != self._sums[block]:
                what = f"expected checksum {self._sums[block]:08x} of bytes {begin:,} to {end - 1:,}, found {found:08x}"
                raise self.damage(what)
            self._check_bounds(
                max(begin - self._header, 0) // self.dtype.itemsize, (end - self._header) // self.dtype.itemsize
            )
            self._whole[block] = 1  # two threads may both come here: they find the same
            block = self._whole.find(0, block, last + 1)

    def _check_bounds(self, first: int, last: int) -> None:
        """Bounds hold for all that was written; a file whose checksum was made for other values breaks them."""
        if self._bounds is None or last <= first:
            return
        values, limit = self._values[first:last], self._bounds.last
        if self._bounds.are_offsets:
            values = self._values[max(first - 1, 0) : last]
            begins = first > 0 or values[0] == 0
            ends = last < len(self) or values[-1] == limit
            fits = (
                begins and ends and values[0] >= 0 and values[-1] <= limit and bool((values[1:] >= values[:-1]).all())
            )
        else:
            fits = values.min() >= 0 and values.max() <= limit
        if not fits:
            kind = "offsets that ascend from 0 to" if self._bounds.are_offsets else "numbers from 0 to"
            raise self.damage(f"expected {kind} {limit:,}, found others")

    def damage(self, what: str) -> InputError:
        """An error that names the file and says what to do."""
        return InputError(self.path, None, f"part of an index is damaged: {what}", hint=MEND)


Stored = npt.NDArray[Any] | MappedArray
"""An array of a segment, in memory or in a file. `np.asarray` gives all of it, an index or a slice a part."""


def check_stretches(arrays: Iterable[Stored], first: IntArray, last: IntArray) -> None:
    """Compare the stretches from `first` up to `last` of arrays with their checksums."""
    for array in arrays:
        if isinstance(array, MappedArray):
            array.check_stretches(first, last)


def raw(stored: Stored) -> npt.NDArray[Any]:
    """The whole array, nothing of it checked: for those who read only what they had checked by `check_stretches`."""
    return stored.raw if isinstance(stored, MappedArray) else stored
