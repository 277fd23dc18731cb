"""What a reader of documents reads from: bytes that are counted on the way, and made UTF-8 where they are not."""

from __future__ import annotations

import codecs
import io
from collections.abc import Callable, Generator
from typing import BinaryIO

from germane.errors import GermaneError, InputError
from germane.formats.files.sources import BLOCK, piece_stream

UTF_8 = ("utf-8", "utf-8-sig")
"""Python's names for what needs no recoding."""

UTF_16_MARKS = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


def counted(stream: BinaryIO, count: Callable[[int], None]) -> BinaryIO:
    """The same stream; `count` is told how many bytes each reading brought."""
    return io.BufferedReader(_Counted(stream, count), BLOCK)


def recoded(stream: BinaryIO, encoding: str, source: str) -> BinaryIO:
    """The stream in UTF-8, whatever it was in.

    >>> recoded(io.BytesIO("café".encode("latin-1")), "latin-1", "menu.txt").read()
    b'caf\\xc3\\xa9'
    """
    return stream if encoding in UTF_8 else piece_stream(_in_utf_8(stream, encoding, source), stream)


def known_encoding(name: str) -> str:
    """Python's own name for an encoding of text.

    >>> known_encoding("UTF8"), known_encoding("latin1")
    ('utf-8', 'iso8859-1')
    """
    try:
        found = codecs.lookup(name)
        "".encode(name)  # some of Python's codecs are no encodings of text
    except LookupError:
        hint = "utf-8, latin-1, cp1252 and utf-16 are the usual ones"
        raise GermaneError(f"no encoding is called {name!r}", hint=hint) from None
    return found.name


def decoded(data: bytes, source: str, line: int | None, start: int, errors: str = "strict") -> str:
    """Bytes as text. What is no UTF-8 is an error that says where: the bytes begin on this `line` and at `start`."""
    try:
        return data.decode("utf-8", errors)
    except UnicodeDecodeError as error:
        name = "utf-16" if start == 0 and data.startswith(UTF_16_MARKS) else "latin-1"
        at_line = None if line is None else line + data.count(b"\n", 0, error.start)
        problem = f"expected UTF-8, found byte 0x{data[error.start]:02x} at offset {start + error.start:,}"
        hint = f"where the text is in another encoding, say so: `encoding={name!r}`"
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
            problem = f"expected {encoding}, found what is none at offset {at:,} ({error.reason})"
            raise InputError(source, None, problem, hint="is this the right `encoding=`?") from None
        offset += len(data)
        yield text.encode("utf-8", "surrogatepass")
