"""The ids seen so far and where each was, so that a second document of one id is noticed at once.

A dictionary would take 150 bytes per document; this takes the id's own bytes and about thirty more.
"""

from __future__ import annotations

from array import array

from germane.errors import InputError

FREE = 0xFFFFFFFF
"""In the table: nobody's place yet. So this holds four billion ids."""


class SeenIds:
    """Ids with their places.

    >>> seen = SeenIds()
    >>> seen.add("d1", "a.jsonl", 1)
    >>> seen.add("d1", "b.jsonl", 7)
    Traceback (most recent call last):
    germane.errors.InputError: b.jsonl:7: document 'd1' was in a.jsonl, line 1, already
    """

    def __init__(self) -> None:
        self._ids = bytearray()
        self._ends = array("Q")
        self._lines = array("Q")
        self._files = array("L")
        self._sources: list[str] = []
        self._table = array("I", [FREE]) * 16

    def __len__(self) -> int:
        return len(self._ends)

    def add(self, doc: str, source: str, line: int | None) -> None:
        """Remember this id; an `InputError` if it was there already."""
        data = doc.encode("utf-8", "surrogateescape")
        slot, first = self._find(data)
        if first is not None:
            raise InputError(source, line, f"document {doc!r} was {self._place(first, source)} already")
        self._table[slot] = len(self._ends)
        self._ids += data
        self._ends.append(len(self._ids))
        self._lines.append(line or 0)
        if not self._sources or self._sources[-1] != source:
            self._sources.append(source)
        self._files.append(len(self._sources) - 1)
        if 3 * len(self._ends) > 2 * len(self._table):
            self._grow()

    def _find(self, data: bytes) -> tuple[int, int | None]:
        """The slot of an id, and its number if it is there."""
        mask = len(self._table) - 1
        slot = hash(data) & mask
        while (number := self._table[slot]) != FREE:
            if self._id(number) == data:
                return slot, number
            slot = (slot + 1) & mask
        return slot, None

    def _id(self, number: int) -> bytes:
        return bytes(self._ids[self._ends[number - 1] if number else 0 : self._ends[number]])

    def _grow(self) -> None:
        self._table = array("I", [FREE]) * (4 * len(self._table))
        for number in range(len(self._ends)):
            self._table[self._find(self._id(number))[0]] = number

    def _place(self, number: int, source: str) -> str:
        line, file = self._lines[number], self._sources[self._files[number]]
        if file == source:
            return f"on line {line}" if line else "there"
        return f"in {file}, line {line}," if line else f"in {file}"
