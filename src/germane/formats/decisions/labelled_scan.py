"""Rows of a delimited file, read by the scanning kernel on every core until a line is out of the ordinary.

Such a line is left to the plain reader, together with all that follow: it reads them, or says what is wrong.
"""

from __future__ import annotations

import io
import itertools
from collections.abc import Generator, Iterator, Sequence
from typing import Any, BinaryIO

from germane import kernels
from germane.formats.decisions.coded_columns import CodedText
from germane.formats.files.sources import piece_stream
from germane.tables.columns.threads import map_in_threads, num_threads

SKIP, TEXT, NUMBER = range(3)
PIECE = 1 << 22
"""Bytes that a core reads at a time."""
SLACK = 8
"""Bytes that the kernel may look at beyond the end."""
MOST_TEXTS = 10_000
"""Maximum number of distinct texts in a column of a piece; more are hardly labels."""


class RowScanner:
    """The rows of a stream, from the bytes in `rest` on, as far as the kernel reads them.

    `line` is the number of the last line read. What was not read is in `rest` and in the stream.
    """

    def __init__(self, stream: BinaryIO, delimiter: str, kinds: bytes, rest: bytes, line: int) -> None:
        self.rest, self.line = rest, line
        self._stream, self._reader = stream, kernels.ColumnReader(delimiter.encode(), kinds, MOST_TEXTS)

    def blocks(self) -> Iterator[tuple[list[CodedText], Any, Sequence[int]]]:
        """Yield the columns of texts, the columns of numbers, and the line numbers of some rows at a time."""
        space = max(PIECE * num_threads(), 2 * len(self.rest))
        buffer, held = bytearray(space + SLACK), len(self.rest)
        buffer[:held], self.rest = self.rest, b""
        while True:
            filled = held + _read_into(self._stream, memoryview(buffer)[held:space])
            at_end, end = filled < space, buffer.rfind(b"\n", 0, filled) + 1
            if at_end and end < filled:
                buffer[filled] = ord("\n")
                end = filled + 1
            ranges = list(itertools.pairwise(_cuts(buffer, end)))
            results = map_in_threads(lambda each: self._reader.read(buffer, *each), ranges)
            for (start, _), found in zip(ranges, results, strict=True):
                state, num_lines, codes, texts, numbers, places = found
                if state != kernels.OK:
                    self.rest = bytes(memoryview(buffer)[start:filled])
                    return
                first = self.line + 1
                self.line += num_lines
                lines = range(first, self.line + 1) if places is None else (places + first).tolist()
                yield [CodedText.of_bytes(*each) for each in zip(texts, codes, strict=True)], numbers, lines
            if at_end:
                return
            held = filled - end
            if held == space:  # a line is longer than the buffer
                self.rest = bytes(memoryview(buffer)[:filled])
                return
            buffer[:held] = buffer[end:filled]

    def text_of_the_rest(self, encoding: str = "utf-8") -> io.TextIOWrapper:
        """Return what was not read as text with unchanged ends of lines; closing it closes the stream."""
        return text_of(self._stream, self.rest, encoding)


def text_of(stream: BinaryIO, before: bytes = b"", encoding: str = "utf-8") -> io.TextIOWrapper:
    """Return the bytes before, then those of the stream, as text with unchanged ends of lines."""
    whole = piece_stream(_pieces(stream, before), stream) if before else stream
    return io.TextIOWrapper(whole, encoding=encoding, errors="surrogateescape", newline="")


def _pieces(stream: BinaryIO, before: bytes) -> Generator[bytes, None, None]:
    yield before
    while data := stream.read(PIECE):
        yield data


def _read_into(stream: Any, space: memoryview) -> int:
    """Fill the space as far as the stream goes, and return the number of bytes."""
    filled = 0
    while filled < len(space) and (count := stream.readinto(space[filled:])):
        filled += count
    return filled


def _cuts(buffer: bytearray, end: int) -> list[int]:
    """Return where the pieces of ``buffer[:end]`` begin and end, at line ends: one for each core."""
    threads = num_threads() if end > PIECE >> 4 else 1
    near = (buffer.find(b"\n", end * i // threads, end) + 1 for i in range(1, threads))
    return sorted({0, *(cut for cut in near if 0 < cut < end), end})
