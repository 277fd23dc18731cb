"""The ids of all documents read, and where each was, to name the place of a duplicate."""

from __future__ import annotations

from array import array

import numpy as np
import numpy.typing as npt

from germane import kernels
from germane.errors import InputError
from germane.tables.columns.ids import Ids, IntArray, to_bytes


class SeenIds:
    """The ids seen so far and the location of each, to detect duplicates immediately.

    A dictionary would take 150 bytes per document; this takes the bytes of the id plus about 40.

    >>> seen = SeenIds()
    >>> seen.add("d1", "a.jsonl", 1)
    >>> seen.add("d1", "b.jsonl", 7)
    Traceback (most recent call last):
    germane.errors.InputError: b.jsonl:7: duplicate document 'd1' (first in a.jsonl, line 1)
    """

    def __init__(self) -> None:
        self._ids = kernels.IdSet()
        self._lines = array("Q")
        self._files = array("L")
        self._sources: list[str] = []

    def __len__(self) -> int:
        return len(self._ids)

    def add(self, doc: str, source: str, line: int | None) -> None:
        """Remember this id; raise an `InputError` if it is a duplicate."""
        number = self._ids.add(to_bytes(doc))
        if number >= 0:
            raise InputError(source, line, f"duplicate document {doc!r}{self._place(number, source)}")
        self._remember(1, source, line or 0)

    def add_lines(self, data: npt.NDArray[np.uint8], offsets: IntArray, source: str, first_line: int) -> None:
        """Remember the ids of documents in consecutive lines; raise an `InputError` at the first duplicate."""
        added, number = self._ids.add_all(data, offsets)
        self._remember(added, source, first_line)
        if number >= 0:
            doc = Ids(data, offsets)[added]
            raise InputError(source, first_line + added, f"duplicate document {doc!r}{self._place(number, source)}")

    def _remember(self, count: int, source: str, first_line: int) -> None:
        """Remember the place of the ids just added; line 0 means that they have none."""
        self._lines.extend(range(first_line, first_line + count) if first_line else [0] * count)
        if not self._sources or self._sources[-1] != source:
            self._sources.append(source)
        self._files.extend(array("L", [len(self._sources) - 1]) * count)

    def _place(self, number: int, source: str) -> str:
        line, file = self._lines[number], self._sources[self._files[number]]
        if file == source:
            return f" (first on line {line})" if line else ""
        return f" (first in {file}, line {line})" if line else f" (first in {file})"
