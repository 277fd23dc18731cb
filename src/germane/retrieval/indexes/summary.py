"""The summary of an index, as a result."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from germane.tables.notes.counts import counted
from germane.tables.notes.note import Note
from germane.tables.results.columns import F, Table, table
from germane.tables.results.result import Result

INDEX = (
    F("path", "name"),
    F("analyser", "name"),
    F("documents", "count"),
    F("words", "count"),
    F("terms", "count"),
    F("segments", "count"),
    F("positions", "flag"),
    F("added", "count"),
    F("deleted", "count"),
)
SIZES = (F("use", "name"), F("bytes", "count"))


@dataclass(frozen=True)
class IndexSummary(Result):
    """Statistics of an index, and what was just done to it."""

    path: str
    analyser: str
    num_docs: int
    num_tokens: int
    num_terms: int
    num_segments: int
    positions: bool
    size_in_bytes: Mapping[str, int]
    added: int = 0
    deleted: int = 0
    notes: tuple[Note, ...] = ()

    schema: ClassVar[str] = "index/1"
    fact_names: ClassVar[str] = "path analyser positions added deleted"

    def tables(self) -> Iterator[Table]:
        """Return the index as one row, and its size on disk by use."""
        yield table("index", INDEX, [self.document()])
        yield table("sizes", SIZES, [{"use": use, "bytes": size} for use, size in self.size_in_bytes.items()])

    def document(self) -> dict[str, Any]:
        """Return all values by name."""
        return {
            **self.facts(),
            "documents": self.num_docs,
            "words": self.num_tokens,
            "terms": self.num_terms,
            "segments": self.num_segments,
            "bytes": self.size_in_bytes,
        }

    def at_terminal(self, *, digits: int = 4) -> Iterator[Table | str]:
        """Return the summary in three lines."""
        done = ", ".join(f"{getattr(self, what):,} {what}" for what in ("added", "deleted") if getattr(self, what))
        sizes = ", ".join(f"{name} {readable_bytes(size)}" for name, size in self.size_in_bytes.items() if size)
        total, segments = readable_bytes(sum(self.size_in_bytes.values())), counted(self.num_segments, "segment")
        yield (
            f"{self.path}: {counted(self.num_docs, 'document')}{f' ({done})' if done else ''}, "
            f"{counted(self.num_tokens, 'word')}, {counted(self.num_terms, 'distinct term')}\n"
            f"analyser: {self.analyser}\n"
            f"on disk: {total} in {segments} ({sizes})\n"
        )


def readable_bytes(size: int) -> str:
    """Format a size for people.

    >>> readable_bytes(999), readable_bytes(12_340_000)
    ('999 B', '12.3 MB')
    """
    number, units = float(size), ["B", "kB", "MB", "GB", "TB"]
    while number >= 1000 and len(units) > 1:
        number /= 1000
        units.pop(0)
    return f"{size} B" if size < 1000 else f"{number:.1f} {units[0]}"
