"""Arrays mapped from an index's files: a block is compared with its checksum when it is first touched.

Nothing of a file is handed out before that, so a damaged file is an error and never another score. Values that are used
as addresses (offsets, numbers of documents and terms) are compared with their bounds at the same moment. A block is
checked once per process: a file that somebody changes while it is mapped is not noticed any more.

The files of a segment are opened only if their sizes agree with one another, so that a number taken from one of them
can be compared with the size of the file it points into.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from germane.errors import InputError
from germane.retrieval.indexes.manifest import MANIFEST, MEND, FileEntry, SegmentEntry
from germane.tables.columns.ids import IntArray

BLOCK_SIZE = 1 << 16
"""Bytes per checksum: reading one block more than needed takes 16 µs, and the checksums are 1/16,384 of a file."""


class MappedArray:
    """One array of a segment's file. Whatever is read of it was checked; `np.asarray` checks and gives all of it.

    Values may be from 0 to `largest`; offsets ascend as well, from 0 up to `largest` itself.
    """

    def __init__(self, path: Path, entry: FileEntry, largest: int | None = None, *, are_offsets: bool = False) -> None:
        self.path = path
        self.dtype = np.dtype(entry.dtype)
        self._largest, self._are_offsets = largest, are_offsets
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
        if self._largest is None or last <= first:
            return
        values, limit = self._values[first:last], self._largest
        if self._are_offsets:
            values = self._values[max(first - 1, 0) : last]
            begins = first > 0 or values[0] == 0
            ends = last < len(self) or values[-1] == limit
            fits = (
                begins and ends and values[0] >= 0 and values[-1] <= limit and bool((values[1:] >= values[:-1]).all())
            )
        else:
            fits = values.min() >= 0 and values.max() <= limit
        if not fits:
            kind = "offsets that ascend from 0 to" if self._are_offsets else "numbers from 0 to"
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


NUMBERS, COUNTS, BYTES, INT32 = ("<i8",), ("|u1", "<u2", "<i4"), ("|u1",), ("<i4",)


@dataclass(frozen=True)
class Rule:
    """The types an array may have, the array that is as long (`plus` entries shorter), and what its values are."""

    types: tuple[str, ...]
    as_long_as: str
    plus: int = 0
    offsets_into: str | None = None
    numbers_of: str | None = None


RULES: Mapping[str, Rule] = {
    "terms": Rule(BYTES, "terms"),
    "term_offsets": Rule(NUMBERS, "cf", 1, offsets_into="terms"),
    "start": Rule(NUMBERS, "cf", 1, offsets_into="doc"),
    "doc": Rule(INT32, "doc", numbers_of="length"),
    "tf": Rule(COUNTS, "doc"),
    "max_tf": Rule(INT32, "cf"),
    "min_length": Rule(INT32, "cf"),
    "cf": Rule(NUMBERS, "cf"),
    "length": Rule(INT32, "length"),
    "twin_start": Rule(NUMBERS, "length", 1, offsets_into="twin_term"),
    "twin_term": Rule(INT32, "doc", numbers_of="cf"),
    "twin_tf": Rule(COUNTS, "doc"),
    "ids": Rule(BYTES, "ids"),
    "id_offsets": Rule(NUMBERS, "length", 1, offsets_into="ids"),
    "id_order": Rule(INT32, "length", numbers_of="length"),
    "titles": Rule(BYTES, "titles"),
    "title_offsets": Rule(NUMBERS, "length", 1, offsets_into="titles"),
    "texts": Rule(BYTES, "texts"),
    "text_offsets": Rule(NUMBERS, "length", 1, offsets_into="texts"),
    "position_start": Rule(NUMBERS, "cf", 1, offsets_into="positions"),
    "positions": Rule(INT32, "positions"),
}
"""Every array by name. One that is as long as itself has a length of its own."""
OPTIONAL = frozenset({"position_start", "positions"})
DELETED = Rule(BYTES, "length")


def map_segment(folder: Path, files: Mapping[str, FileEntry]) -> dict[str, MappedArray]:
    """Map the files of a segment; their sizes are compared, and nothing is read yet."""
    missing = sorted(RULES.keys() - files.keys() - (frozenset() if OPTIONAL & files.keys() else OPTIONAL))
    unknown = sorted(files.keys() - RULES.keys())
    if missing or unknown:
        what = f"no file {missing[0]!r}" if missing else f"an unknown file {unknown[0]!r}"
        problem = f"part of an index is damaged: expected the files of a segment, found {what}"
        raise InputError(folder.parent / MANIFEST, None, problem, hint=MEND)
    return {name: _mapped(folder / f"{name}.npy", entry, RULES[name], files) for name, entry in files.items()}


def map_deleted(folder: Path, entry: SegmentEntry) -> MappedArray | None:
    """Map the list of deleted documents of a segment, if there is one."""
    if entry.deleted is None or entry.deleted_file is None:
        return None
    return _mapped(folder / entry.deleted, entry.deleted_file, DELETED, entry.files)


def _mapped(path: Path, entry: FileEntry, rule: Rule, files: Mapping[str, FileEntry]) -> MappedArray:
    length = files[rule.as_long_as].length + rule.plus
    if entry.length != length or entry.dtype not in rule.types:
        what = f"expected {length:,} values of type {' or '.join(rule.types)}, found {entry.length:,} of {entry.dtype}"
        raise InputError(path, None, f"part of an index is damaged: {what}", hint=MEND)
    if rule.offsets_into is not None:
        return MappedArray(path, entry, files[rule.offsets_into].length, are_offsets=True)
    return MappedArray(path, entry, None if rule.numbers_of is None else files[rule.numbers_of].length - 1)
