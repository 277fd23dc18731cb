"""The files of a segment: how long each array must be, and what its values may point at.

Files are opened only if their sizes agree with one another, so that a number taken from one of them can be compared
with the size of the file it points into.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from germane.errors import InputError
from germane.retrieval.indexes.manifest import MANIFEST, MEND, FileEntry, SegmentEntry
from germane.retrieval.indexes.mapped_array import Bounds, MappedArray

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
    bounds = None
    if rule.offsets_into is not None:
        bounds = Bounds(files[rule.offsets_into].length, are_offsets=True)
    elif rule.numbers_of is not None:
        bounds = Bounds(files[rule.numbers_of].length - 1)
    return MappedArray(path, entry, bounds)
