"""Read JSON lines into blocks of documents: usual lines in the kernel, all others by the reader of records."""

from __future__ import annotations

from collections.abc import Iterator
from typing import BinaryIO

from germane import kernels
from germane.formats.documents import blocks
from germane.formats.documents.blocks import DocumentBlock
from germane.formats.documents.parts import HTML_NAME, PartsReader
from germane.formats.documents.records import JsonLines
from germane.formats.documents.seen_ids import SeenIds
from germane.formats.rows.text import BOM
from germane.tables.columns.ids import Ids, to_bytes

PIECE = 1 << 20
"""Number of bytes read at a time; more if a line is longer."""
MOST_KEYS = 32
"""Maximum number of different keys of a file whose lines the kernel reads."""


class JsonColumnsReader:
    """Reads one file of JSON lines into blocks.

    A line is usual if all its keys were seen in earlier lines, and only one can be the id, the title or the text.
    The first line with a new key is thus read as a record, and so is every line that is not as expected.
    """

    def __init__(self, source: str, parts: PartsReader, seen: SeenIds) -> None:
        self._source = source
        self._parts = parts
        self._seen = seen
        self._records = JsonLines(source, id_names=parts.id_names)
        self._columns = kernels.DocumentColumns()
        self._num_known = 0
        self._number = 1

    def blocks(self, stream: BinaryIO) -> Iterator[DocumentBlock]:
        """Yield the documents of a stream in blocks."""
        data = stream.read(PIECE)
        offset = len(BOM) if data.startswith(BOM) else 0
        place, is_end = offset, not data
        base = 0  # offset of `data` in the file
        while data:
            before = self._columns.num_docs
            place, num_lines = self._columns.read(data, place, is_end)
            if num_lines:
                ids = self._columns.ids_from(before)
                self._seen.add_lines(*ids, self._source, self._number)
                self._number += num_lines
            if self._columns.num_docs >= blocks.DOCS_PER_BLOCK or self._columns.num_bytes >= blocks.BYTES_PER_BLOCK:
                yield self._taken()
            end = data.find(b"\n", place) + 1 or (len(data) if is_end else 0)
            if end and place < len(data):
                self._read_line(data[place:end], base + place)
                place = end
                continue
            if is_end:
                break
            more = stream.read(max(PIECE, len(data) - place))
            base, data, place, is_end = base + place, data[place:] + more, 0, not more
        if self._columns.num_docs:
            yield self._taken()

    def _read_line(self, line: bytes, start: int) -> None:
        """Read a line that the kernel left, and let it read more lines like this one."""
        if line.strip():
            record = self._records.record(line, self._number, start)
            doc, title, text = self._parts.parts(record, self._source)
            self._seen.add(doc, self._source, self._number)
            self._columns.append(to_bytes(doc), to_bytes(title), to_bytes(text))
            if len(self._parts.names) != self._num_known:
                self._num_known = len(self._parts.names)
                self._expect_known_keys()
        self._number += 1

    def _expect_known_keys(self) -> None:
        """Tell the kernel which keys there are, unless the same key could mean different things in different lines."""
        names = list(self._parts.names)
        folded = [name.casefold() for name in names]
        ids, titles, texts = self._parts.names_in_use(names)
        plain = len({*folded}) == len(names) <= MOST_KEYS and all(
            '"' not in name and "\\" not in name for name in names
        )
        chosen = self._parts.fields is not None
        if (
            plain and len(ids) == 1 and len(titles) <= 1 and (chosen or len(texts) == 1)
            and not {*titles, *texts} & {name for name in names if name.casefold() == HTML_NAME}
        ):  # fmt: skip
            place = {name: i for i, name in enumerate(names)}
            title = [place[name] for name in titles]
            wanted = [place[name] for name in texts]
            self._columns.expect(
                [to_bytes(name) for name in names], place[ids[0]], title[0] if title else -1,
                wanted if chosen else title + wanted, [] if chosen else wanted,
            )  # fmt: skip
        else:
            self._columns.expect([], 0, -1, [], [])

    def _taken(self) -> DocumentBlock:
        return DocumentBlock(*(Ids(data, offsets) for data, offsets in self._columns.take()))
