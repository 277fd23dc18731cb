"""Read TREC documents: many ``<DOC>`` elements per file, each with a ``<DOCNO>`` and publisher-specific elements."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any, BinaryIO

from germane.errors import InputError
from germane.formats.documents.html_text import read_html
from germane.formats.documents.records import Record, RecordReader
from germane.formats.documents.streams import decoded
from germane.formats.files.sources import BLOCK
from germane.formats.rows.text import BOM

START = re.compile(rb"\s*(?:<[?!][^>]*>\s*)*(?:<(?!DOC[\s>])\w+>\s*)?<DOC(?:\s[^>]*)?>", re.IGNORECASE)
"""The start of a TREC file: declarations and one enclosing element may precede the first ``<DOC>``."""

OPEN = re.compile(rb"<DOC(?:\s[^>]*)?>", re.IGNORECASE)
CLOSE = re.compile(rb"</DOC\s*>", re.IGNORECASE)
OUTSIDE = re.compile(rb"(?:\s|<[^>]*>)*")
TAG = re.compile(r"<([A-Za-z][\w.-]*)(?:\s[^<>]*)?>")

IDS = ("DOCNO",)
TITLES = ("TITLE", "HEADLINE", "HL", "HEAD", "TTL", "TI")
BODIES = ("LP", "LEADPARA", "TEXT")
"""Elements of the article's text; in the Wall Street Journal the lead paragraph is outside ``<TEXT>``."""

CONTENTS = "CONTENTS"
"""Name of the field for the whole content of a document without these elements, as in a web crawl."""

ABOUT = ("DOCNO", "DOCID", "DOCOLDNO", "DOCHDR")


class TrecDocuments(RecordReader):
    """Reader of TREC documents; markup inside an element is removed."""

    def records(self, stream: BinaryIO) -> Iterator[Record]:
        for start, line, data in self._documents(stream):
            text = decoded(data, self.source, line, start, self.errors)
            yield Record(start, len(data), line, elements_of(text))

    def parse(self, text: str) -> Mapping[str, Any]:
        return elements_of(text)

    def _documents(self, stream: BinaryIO) -> Iterator[tuple[int, int, bytes]]:
        """Yield (byte offset, line number, bytes from <DOC> to </DOC>) of each document."""
        held, offset, line, seen = bytearray(), 0, 1, 0
        while block := stream.read(BLOCK):
            held += block
            # A tag may span two blocks, so rescan the tail of the previous one.
            while found := CLOSE.search(held, max(0, seen - 64)):
                data = bytes(held[: found.end()])
                start = self._opening(data, offset, line)
                yield offset + start, line + data.count(b"\n", 0, start), data[start:]
                del held[: found.end()]
                offset, line, seen = offset + len(data), line + data.count(b"\n"), 0
            seen = len(held)
        rest = bytes(held)
        if opened := OPEN.search(rest):
            at_line = line + rest.count(b"\n", 0, opened.start())
            raise InputError(self.source, at_line, "expected </DOC> after this <DOC>, found the end of the file")
        self._check_outside(rest, offset, line)

    def _opening(self, data: bytes, offset: int, line: int) -> int:
        """Return the offset of <DOC> in these bytes, which end with </DOC>."""
        opened = OPEN.search(data)
        if opened is None:
            at_line = line + data.count(b"\n", 0, len(data) - 2)
            raise InputError(self.source, at_line, "expected <DOC> before this </DOC>, found none")
        self._check_outside(data[: opened.start()], offset, line)
        if second := OPEN.search(data, opened.end()):
            at_line = line + data.count(b"\n", 0, opened.start())
            next_line = line + data.count(b"\n", 0, second.start())
            problem = f"expected </DOC> after this <DOC>, found the next <DOC> on line {next_line}"
            raise InputError(self.source, at_line, problem)
        return opened.start()

    def _check_outside(self, data: bytes, offset: int, line: int) -> None:
        """Check that there is only white space and tags between documents."""
        read_to = len(BOM) if offset == 0 and data.startswith(BOM) else 0
        outside = OUTSIDE.match(data, read_to)
        assert outside is not None
        if outside.end() < len(data):
            at_line = line + data.count(b"\n", 0, outside.end())
            raise InputError(self.source, at_line, f"expected <DOC>, found {data[outside.end() :][:80]!r}")


def elements_of(document: str) -> dict[str, str]:
    """Return the text of the direct children of ``<DOC>``, by name; elements of the same name are joined.

    >>> elements_of("<DOC><DOCNO> A-1 </DOCNO><HL>Wine</HL><TEXT><P>Red &amp; white</TEXT></DOC>")
    {'DOCNO': 'A-1', 'HL': 'Wine', 'TEXT': 'Red & white'}
    >>> elements_of("<DOC><DOCNO>2</DOCNO>What is TSS?</DOC>")
    {'DOCNO': '2', 'CONTENTS': 'What is TSS?'}
    """
    inside = document[document.index(">") + 1 : document.rindex("<")]
    parts: dict[str, list[str]] = {}
    rest: list[str] = []
    read_to = 0
    for name, begin, content_begin, content_end, end in _elements(inside):
        parts.setdefault(name, []).append(inside[content_begin:content_end])
        if name in ABOUT or name in TITLES:
            rest.append(inside[read_to:begin])
            read_to = end
    if not any(name in parts for name in BODIES):
        rest.append(inside[read_to:])
        parts[CONTENTS] = ["\n".join(rest)]
    return {name: _plain("\n".join(found)) for name, found in parts.items()}


def _elements(text: str) -> Iterator[tuple[str, int, int, int, int]]:
    """Yield (name, start, content start, content end, end) of each closed outermost element."""
    unclosed: set[str] = set()  # from here on, so that each is searched only once
    read_to = 0
    while opening := TAG.search(text, read_to):
        name = opening[1].upper()
        closing = None if name in unclosed else _closing(name).search(text, opening.end())
        if closing is None:
            unclosed.add(name)
            read_to = opening.end()
        else:
            yield name, opening.start(), opening.end(), closing.start(), closing.end()
            read_to = closing.end()


@lru_cache(maxsize=1000)
def _closing(name: str) -> re.Pattern[str]:
    return re.compile(f"</{re.escape(name)}\\s*>", re.IGNORECASE)


def _plain(markup: str) -> str:
    if "<" not in markup and "&" not in markup:
        return markup.strip()
    title, text = read_html(markup)
    return f"{title}\n{text}" if title else text
