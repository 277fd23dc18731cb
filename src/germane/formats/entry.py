"""What the registry knows of a format."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import BinaryIO

from germane.formats.column_names import Kind
from germane.formats.columns import Columns
from germane.formats.detect import Detected
from germane.formats.text import RowError, TextRow, scan_text
from germane.tables.qrels import Qrels
from germane.tables.run import Run

Scan = Callable[[Detected], Iterator[TextRow | RowError]]


@dataclass(frozen=True)
class Format:
    """One format: how to read it, how to write it, and what it can hold beside queries, documents, scores and grades.

    `scan` goes row by row and reports what is wrong with each; `read`, where a format has a faster way, gives all
    columns at once. `example` is a line or two of such a file.
    """

    name: str
    description: str
    example: str
    endings: tuple[str, ...]
    scan: Scan
    write_run: Callable[[Run, BinaryIO], None] | None
    write_qrels: Callable[[Qrels, BinaryIO], None] | None
    holds: frozenset[str] = frozenset()
    read: Callable[[Detected], Columns] | None = None

    @property
    def kinds(self) -> tuple[Kind, ...]:
        """Whether it is a format of runs, of judgments or of both."""
        run: tuple[Kind, ...] = () if self.write_run is None else ("run",)
        return run if self.write_qrels is None else (*run, "qrels")

    def read_columns(self, detected: Detected) -> Columns:
        """All columns of a file; raises at the first thing that is wrong."""
        if self.read is not None:
            return self.read(detected)
        return Columns.from_rows(self.scan(detected), detected.source, detected.left_out)


def scan_lines(detected: Detected) -> Iterator[TextRow | RowError]:
    """The rows of any format that a `TextLayout` describes."""
    layout = detected.layout or detected.quoted_layout
    assert layout is not None
    return scan_text(detected.stream, layout, detected.source, quoted=detected.layout is None)
