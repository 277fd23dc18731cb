"""SMART's files, in which Cranfield, CISI, MED and their contemporaries came: ``.I`` and a number, then a letter for
each part (``.T`` title, ``.A`` author, ``.B`` source, ``.W`` words)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, BinaryIO

from germane.errors import InputError
from germane.formats.documents.records import Record, RecordReader, numbered_lines
from germane.formats.documents.streams import decoded

START = re.compile(rb"\.I\s+\S+\s*\r?\n\.[A-Z]\s")
"""How such a file begins."""

NEXT = re.compile(rb"\.I(?:\s+(.*?))?\s*$", re.DOTALL)
PART = re.compile(r"\.([A-Z])\s*")


class SmartRecords(RecordReader):
    """The records of a SMART file; a part that comes twice in one is joined."""

    def records(self, stream: BinaryIO) -> Iterator[Record]:
        held: list[bytes] = []
        first_line, first_byte = 1, 0
        for number, start, line in numbered_lines(stream):
            is_next = line.startswith(b".I") and NEXT.fullmatch(line)
            if is_next and held:
                yield self._record(held, first_line, first_byte)
            if is_next:
                held, first_line, first_byte = [line], number, start
            elif held:
                held.append(line)
            elif line.strip():
                raise InputError(self.source, number, f"expected .I and a number, found {line[:80]!r}")
        if held:
            yield self._record(held, first_line, first_byte)

    def _record(self, lines: list[bytes], line: int, start: int) -> Record:
        data = b"".join(lines)
        return Record(start, len(data), line, parts_of(decoded(data, self.source, line, start, self.errors)))

    def parse(self, text: str) -> Mapping[str, Any]:
        return parts_of(text)


def parts_of(text: str) -> dict[str, str]:
    """The parts of one record, by letter.

    >>> parts_of(".I 7\\n.T\\nOn wings\\n.W\\na wing\\nin a slipstream\\n")
    {'I': '7', 'T': 'On wings', 'W': 'a wing\\nin a slipstream'}
    """
    first, *rest = text.replace("\r\n", "\n").split("\n")
    parts: dict[str, list[str]] = {"I": [first.removeprefix(".I").strip()]}
    part = "W"  # text before any letter
    for line in rest:
        if found := PART.fullmatch(line):
            part = found[1]
            parts.setdefault(part, [])
        else:
            parts.setdefault(part, []).append(line)
    return {name: "\n".join(found).strip() for name, found in parts.items()}
