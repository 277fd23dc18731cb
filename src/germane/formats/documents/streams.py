"""Byte streams for document readers: count the bytes read, and convert other encodings to UTF-8."""

from __future__ import annotations

import codecs
import io
from collections.abc import Callable, Generator
from typing import BinaryIO

from germane.errors import GermaneError, InputError
from germane.formats.files.sources import BLOCK, piece_stream

UTF_8 = ("utf-8", "utf-8-sig")
"""Python's names of encodings that need no conversion."""

UTF_16_MARKS = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


def counted(stream: BinaryIO, count: Callable[[int], None]) -> BinaryIO:
    """Wrap a stream so that `count` is called with the number of bytes of each read."""
    return io.BufferedReader(_Counted(stream, count), BLOCK)


def recoded(stream: BinaryIO, encoding: str, source: str) -> BinaryIO:
    """Return the stream converted from `encoding` to UTF-8.

    >>> recoded(io.BytesIO("café".encode("latin-1")), "latin-1", "menu.txt").read()
    b'caf\\xc3\\xa9'
    """
    return stream if encoding in UTF_8 else piece_stream(_in_utf_8(stream, encoding, source), stream)


def known_encoding(name: str) -> str:
    """Return Python's canonical name of a text encoding.

    >>> known_encoding("UTF8"), known_encoding("latin1")
    ('utf-8', 'iso8859-1')
    """
    try:
        found = codecs.lookup(name)
        "".encode(name)  # some of Python's codecs are not text encodings
    except LookupError:
        hint = "use, for example, utf-8, latin-1, cp1252 or utf-16"
        raise GermaneError(f"unknown encoding {name!r}", hint=hint) from None
    return found.name


def decoded(data: bytes, source: str, line: int | None, start: int, errors: str = "strict") -> str:
    """Decode UTF-8; errors give the position, counted from `line` and byte offset `start`, where the data begin."""
    try:
        return data.decode("utf-8", errors)
    except UnicodeDecodeError as error:
        name = "utf-16" if start == 0 and data.startswith(UTF_16_MARKS) else "latin-1"
        at_line = None if line is None else line + data.count(b"\n", 0, error.start)
        problem = f"expected UTF-8, found byte 0x{data[error.start]:02x} at offset {start + error.start:,}"
        hint = f"for text in another encoding use, for example, `encoding={name!r}`"
        raise InputError(source, at_line, problem, hint=hint) from None


class _Counted(io.RawIOBase):
    def __init__(self, inner: BinaryIO, count: Callable[[int], None]) -> None:
        self._inner = inner
        self._count = count

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return self._inner.seekable()

    def seek(self, offset: int, whence: int = io.SEEK_SET, /) -> int:
        return self._inner.seek(offset, whence)

    def tell(self) -> int:
        return self._inner.tell()

    def readinto(self, buffer: bytearray | memoryview) -> int:  # type: ignore[override]
        data = self._inner.read(len(buffer))
        buffer[: len(data)] = data
        self._count(len(data))
        return len(data)

    def close(self) -> None:
        if not self.closed:
            self._inner.close()
        super().close()


def _in_utf_8(stream: BinaryIO, encoding: str, source: str) -> Generator[bytes, None, None]:
    decoder = codecs.getincrementaldecoder(encoding)()
    offset, ended = 0, False
    while not ended:
        data = stream.read(BLOCK)
        ended = not data
        pending = len(decoder.getstate()[0])
        try:
            text = decoder.decode(data, final=ended)
        except UnicodeDecodeError as error:
            at = offset - pending + error.start
            problem = f"expected {encoding}, found invalid bytes at offset {at:,} ({error.reason})"
            raise InputError(source, None, problem, hint="check the value of `encoding=`") from None
        offset += len(data)
        yield text.encode("utf-8", "surrogatepass")
