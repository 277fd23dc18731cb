"""Text in encodings other than UTF-8: only where one is named, and then turned into UTF-8 on the way in."""

from __future__ import annotations

import codecs
from collections.abc import Generator
from typing import BinaryIO

from germane.errors import GermaneError, InputError, did_you_mean
from germane.formats.files.sources import piece_stream

BLOCK = 1 << 20
USUAL = ("utf-8", "cp1252", "latin-1", "utf-16", "utf-16-le", "utf-16-be", "mac-roman", "shift-jis", "gb18030")
"""Encodings that an error suggests; Python knows many more."""
UTF_16_STARTS = (b"\xff\xfe", b"\xfe\xff")


def require_encoding(name: str) -> str:
    """Return the name of a text encoding in Python's spelling; an unknown one is an error.

    >>> require_encoding("Windows-1252"), require_encoding("UTF8")
    ('cp1252', 'utf-8')
    """
    try:
        codecs.getincrementaldecoder(name)
        found = codecs.lookup(name)
        "".encode(name)  # refuses what is not text, such as base64
    except (LookupError, ValueError):
        problem = f"unknown encoding {name!r}{did_you_mean(name, USUAL)}"
        raise GermaneError(problem, hint=f"choose from {', '.join(USUAL)}, or another that Python knows") from None
    return found.name


def encoding_of(head: bytes) -> str | None:
    """Return the kind of UTF-16 that a file starts like, with a byte order mark or with ASCII characters; else None.

    >>> [encoding_of("truth".encode(name)) for name in ("utf-16", "utf-16-le", "utf-16-be", "utf-8")]
    ['utf-16', 'utf-16-le', 'utf-16-be', None]
    """
    start = head[:200]
    if start.startswith(UTF_16_STARTS) and b"\0" in start:
        return "utf-16"
    odd, even = start[1::2], start[::2]
    if len(odd) > 1 and not odd.strip(b"\0") and b"\0" not in even:
        return "utf-16-le"
    return "utf-16-be" if len(odd) > 1 and not even.strip(b"\0") and b"\0" not in odd else None


def as_utf8(stream: BinaryIO, encoding: str, source: str) -> BinaryIO:
    """Return a stream of the same text in UTF-8; closing it closes the given one."""
    return piece_stream(_transcoded(stream, encoding, source), stream)


def _transcoded(stream: BinaryIO, encoding: str, source: str) -> Generator[bytes, None, None]:
    decoder = codecs.getincrementaldecoder(encoding)()
    line, at_end = 1, False
    while not at_end:
        data = stream.read(BLOCK)
        at_end = not data
        try:
            text = decoder.decode(data, at_end).encode()
        except UnicodeError as error:
            start = getattr(error, "start", 0)
            problem = f"expected text in {encoding}, found bytes that are not"
            hint = f"name another encoding: `encoding=…`, such as {', '.join(USUAL[:4])}"
            raise InputError(source, line + data[:start].count(b"\n"), problem, hint=hint) from None
        if text:
            line += text.count(b"\n")
            yield text
