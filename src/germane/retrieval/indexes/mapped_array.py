"""Arrays memory-mapped from index files; each block is checked against its checksum on first use.

No value is returned before its block is checked, so a damaged file is an error and never a different score. Values used
as addresses (offsets, numbers of documents and terms) are checked against their bounds at the same time. A block is
checked once per process: later changes to a mapped file go unnoticed.

The files of a segment are opened only if their sizes agree, so that a number read from one of them can be checked
against the size of the file it points into.
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
"""Bytes per checksum: reading one extra block takes 16 µs, and the checksums are 1/16,384 of a file."""


class MappedArray:
    """One array of a segment's file. All values read are checked; `np.asarray` checks and returns all of them.

    Values lie between 0 and `largest`; offsets also ascend, from 0 up to `largest` itself.
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
            reason = error.strerror if isinstance(error, OSError) else "the file is empty"
            raise InputError(path, None, f"cannot read part of an index: {reason}", hint=MEND) from None
        if len(self._bytes) != entry.size:
            raise self.damage(f"expected {entry.size:,} bytes, found {len(self._bytes):,}")
        if self._header < 0 or self._header % self.dtype.itemsize or len(self._sums) != -(-entry.size // BLOCK_SIZE):
            raise self.damage(f"expected {entry.length:,} values and a checksum for each block")
        self._values: npt.NDArray[Any] = self._bytes[self._header :].view(self.dtype)

    def __len__(self) -> int:
        return len(self._values)

    @property
    def nbytes(self) -> int:
        """Size of the values in bytes, without the file's header."""
        return self._values.nbytes

    def __array__(self, dtype: npt.DTypeLike | None = None, copy: bool | None = None) -> npt.NDArray[Any]:
        self.check()
        return np.array(self._values, dtype) if copy else np.asarray(self._values, dtype)

    def __getitem__(self, key: int | slice | IntArray) -> Any:
        """Return one value, or an array of values: a slice, or those at given indices."""
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
        """Check every block that was not checked yet."""
        self._check_blocks(0, len(self._sums) - 1)

    def check_stretches(self, first: IntArray, last: IntArray) -> None:
        """Check the blocks of many ranges, each from `first` up to `last`."""
        filled = last > first
        if filled.any():
            self._require_inside(int(first[filled].min()), int(last[filled].max()))
            low, high = self._block_of(first[filled]), self._block_of(last[filled] - 1)
            # Running sum of range starts minus ends: above 0 where at least one range needs the block.
            num = len(self._sums) + 1
            steps = np.bincount(low, minlength=num) - np.bincount(high + 1, minlength=num)
            for block in np.flatnonzero(np.cumsum(steps)).tolist():
                self._check_blocks(block, block)

    @property
    def raw(self) -> npt.NDArray[Any]:
        """The whole array, unchecked."""
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
        """Reject indices outside this array: they come from other files, which may be damaged."""
        if not 0 <= first <= last <= len(self):
            raise self.damage(f"expected {len(self):,} values, found references to values {first:,} to {last:,}")

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
            self._whole[block] = 1  # two threads may both get here, with the same result
            block = self._whole.find(0, block, last + 1)

    def _check_bounds(self, first: int, last: int) -> None:
        """Check bounds, which a matching checksum does not guarantee: it may have been computed from wrong values."""
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
            kind = "ascending offsets from 0 to" if self._are_offsets else "numbers from 0 to"
            raise self.damage(f"expected {kind} {limit:,}, found others")

    def damage(self, what: str) -> InputError:
        """Return an error that names the file and says what to do."""
        return InputError(self.path, None, f"damaged index: {what}", hint=MEND)


Stored = npt.NDArray[Any] | MappedArray
"""An array of a segment, in memory or in a file. `np.asarray` returns all of it, indexing a part."""


def check_stretches(arrays: Iterable[Stored], first: IntArray, last: IntArray) -> None:
    """Check the ranges from `first` up to `last` of several arrays."""
    for array in arrays:
        if isinstance(array, MappedArray):
            array.check_stretches(first, last)


def raw(stored: Stored) -> npt.NDArray[Any]:
    """Return the whole array unchecked, for callers that read only ranges checked by `check_stretches`."""
    return stored.raw if isinstance(stored, MappedArray) else stored


NUMBERS, COUNTS, BYTES, INT32 = ("<i8",), ("|u1", "<u2", "<i4"), ("|u1",), ("<i4",)


@dataclass(frozen=True)
class Rule:
    """Allowed types of an array, the array that sets its length (plus `plus`), and what its values refer to."""

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
"""Rules for every array, by name. An array as long as itself has an independent length."""
OPTIONAL = frozenset({"position_start", "positions"})
DELETED = Rule(BYTES, "length")


def map_segment(folder: Path, files: Mapping[str, FileEntry]) -> dict[str, MappedArray]:
    """Map the files of a segment; their sizes are checked, but nothing is read yet."""
    missing = sorted(RULES.keys() - files.keys() - (frozenset() if OPTIONAL & files.keys() else OPTIONAL))
    unknown = sorted(files.keys() - RULES.keys())
    if missing or unknown:
        what = f"missing file {missing[0]!r}" if missing else f"unknown file {unknown[0]!r}"
        problem = f"damaged index: {what}"
        raise InputError(folder.parent / MANIFEST, None, problem, hint=MEND)
    return {name: _mapped(folder / f"{name}.npy", entry, RULES[name], files) for name, entry in files.items()}


def map_deleted(folder: Path, entry: SegmentEntry) -> MappedArray | None:
    """Map the list of deleted documents of a segment, if any."""
    if entry.deleted is None or entry.deleted_file is None:
        return None
    return _mapped(folder / entry.deleted, entry.deleted_file, DELETED, entry.files)


def _mapped(path: Path, entry: FileEntry, rule: Rule, files: Mapping[str, FileEntry]) -> MappedArray:
    length = files[rule.as_long_as].length + rule.plus
    if entry.length != length or entry.dtype not in rule.types:
        what = f"expected {length:,} values of type {' or '.join(rule.types)}, found {entry.length:,} of {entry.dtype}"
        raise InputError(path, None, f"damaged index: {what}", hint=MEND)
    if rule.offsets_into is not None:
        return MappedArray(path, entry, files[rule.offsets_into].length, are_offsets=True)
    return MappedArray(path, entry, None if rule.numbers_of is None else files[rule.numbers_of].length - 1)
