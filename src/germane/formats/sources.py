"""Opening what people pass as input: plain files, compressed ones, and ``-`` for standard input.

What a file is follows from its first bytes, never from its name. A compressed file that ends too early, or whose
checksum is wrong, is an `InputError` at the moment it is noticed, however far into the reading that is.
"""

from __future__ import annotations

import io
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, Protocol

from germane.errors import InputError, MissingExtraError, OutOfMemoryError, did_you_mean
from germane.formats.part_folders import parts_of, require_one_table

STDIN = "-"

COMPRESSIONS = {
    "gz": (b"\x1f\x8b",),
    "zst": (b"\x28\xb5\x2f\xfd",),
    # The start of a block or, in an empty file, of the footer: "BZh" alone could begin somebody's query id.
    "bz2": tuple(
        b"BZh%d" % level + block for level in range(1, 10) for block in (b"1AY&SY", b"\x17\x72\x45\x38\x50\x90")
    ),
    "xz": (b"\xfd7zXZ\x00",),
}
"""The first bytes of each kind of compressed file."""

NAME_ENDINGS = ("run", "trec", "txt", "tsv", "csv", "json", "jsonl", "parquet", "pq", "orc", "arrow", "qrels")
BLOCK = 1 << 18


class Reads(Protocol):
    """All that is asked of a decompressor's file object."""

    def read(self, size: int, /) -> bytes: ...

    def close(self) -> None: ...


def source_name(path: str | Path) -> str:
    """How errors name an input.

    >>> source_name("-"), source_name("runs/bm25.run")
    ('<stdin>', 'runs/bm25.run')
    """
    return "<stdin>" if str(path) == STDIN else str(path)


def display_name(path: str | Path) -> str:
    """The name of a system, from the name of its file: without folder and the usual endings.

    >>> [display_name(p) for p in ("runs/bm25.run.gz", "input.bm25.txt", "results.test", "-")]
    ['bm25', 'input.bm25', 'results.test', 'stdin']
    """
    if str(path) == STDIN:
        return "stdin"
    name = Path(path).name or Path(path).resolve().name
    for endings in (tuple(COMPRESSIONS), NAME_ENDINGS):
        stem, dot, ending = name.rpartition(".")
        if stem and dot and ending.lower() in endings:
            name = stem
    return name


@contextmanager
def memory_for(path: str | Path) -> Iterator[None]:
    """Name the file that there is not enough memory for, whatever it was that ran out of it."""
    try:
        yield
    except OutOfMemoryError:
        raise
    except MemoryError:
        raise OutOfMemoryError("not enough memory to read it", source=source_name(path)) from None


def is_plain_file(path: str | Path) -> bool:
    """Whether this is a regular, uncompressed file, which can be read from any position."""
    if str(path) == STDIN or not Path(path).is_file():
        return False
    with Path(path).open("rb") as file:
        return compression(file.read(16)) is None


def compression(head: bytes) -> str | None:
    """How a file that starts with these bytes is compressed, if it is."""
    return next((name for name, starts in COMPRESSIONS.items() if head.startswith(starts)), None)


def open_source(path: str | Path) -> BinaryIO:
    """Open an input for reading its decompressed bytes; of a folder that holds one table in parts, those of all."""
    if str(path) != STDIN and Path(path).is_dir():
        from germane.formats.joined_parts import open_parts

        require_one_table(path)
        return open_parts(path, parts_of(path) or [])
    raw = _open_raw(path)
    head, raw = peek(raw, 16)
    kind = compression(head)
    if kind is None:
        return raw
    try:
        return io.BufferedReader(_Decompressed(_OPENERS[kind](raw), raw, kind, source_name(path)), BLOCK)
    except MissingExtraError:
        raw.close()
        raise


def peek(stream: BinaryIO, size: int) -> tuple[bytes, BinaryIO]:
    """The next `size` bytes (fewer at the end), and a stream that still has them. Use it in place of the given one."""
    try:
        head = stream.read(size)
        if stream.seekable():
            stream.seek(-len(head), io.SEEK_CUR)
            return head, stream
    except BaseException:
        stream.close()
        raise
    return head, io.BufferedReader(_PutBack(head, stream), BLOCK)


def _open_raw(path: str | Path) -> BinaryIO:
    if str(path) == STDIN:
        return io.BufferedReader(_PutBack(b"", sys.stdin.buffer, owned=False), BLOCK)
    try:
        return Path(path).open("rb")
    except FileNotFoundError:
        raise InputError(path, None, f"no such file{_near(Path(path))}") from None
    except (OSError, ValueError) as error:
        raise InputError(path, None, f"cannot be opened: {error}") from None


def meant_inside(folder: str | Path) -> str | None:
    """Which file of a folder may have been meant, if it is one that `germane release` made."""
    qrels, events = Path(folder) / "qrels.txt", Path(folder) / "events.jsonl"
    if not (qrels.is_file() and events.is_file()):
        return None
    return f"this looks like a release of judgments: its qrels are {qrels}, the judgments of each assessor {events}"


def _near(path: Path) -> str:
    """The end of a message: a file in the same folder whose name is nearly this one, with or without the endings."""
    names = [entry.name for entry in path.parent.iterdir()] if path.parent.is_dir() else []
    near = did_you_mean(path.name, names, likeness=0.8)
    if near:
        return near
    by_stem = {display_name(name): name for name in names}
    near = did_you_mean(display_name(path), by_stem, likeness=0.8)
    stem = near.removeprefix("; did you mean ").removesuffix("?")
    return f"; did you mean {by_stem[stem]}?" if near else ""


class _PutBack(io.RawIOBase):
    """A stream that starts with bytes already read from it."""

    def __init__(self, head: bytes, rest: BinaryIO, *, owned: bool = True) -> None:
        self._head = memoryview(head)
        self._rest = rest
        self._owned = owned

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: bytearray | memoryview) -> int:  # type: ignore[override]
        if self._head:
            count = min(len(self._head), len(buffer))
            buffer[:count] = self._head[:count]
            self._head = self._head[count:]
            return count
        data = self._rest.read(len(buffer))
        buffer[: len(data)] = data
        return len(data)

    def close(self) -> None:
        if not self.closed and self._owned:
            self._rest.close()
        super().close()


class _Decompressed(io.RawIOBase):
    """Decompressed bytes, with the decompressor's complaints turned into an `InputError`."""

    def __init__(self, inner: Reads, raw: BinaryIO, kind: str, source: str) -> None:
        self._inner = inner
        self._raw = raw
        self._kind = kind
        self._source = source
        self._place = 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: bytearray | memoryview) -> int:  # type: ignore[override]
        try:
            data = self._inner.read(len(buffer))
        except EOFError:
            problem = f"the .{self._kind} data end too early: the file is truncated"
            raise InputError(self._source, None, problem, hint="copy or download it again") from None
        except Exception as error:  # each decompressor has its own exception
            if isinstance(error, InputError | MemoryError):
                raise
            problem = f"the .{self._kind} data are corrupt: {error}"
            raise InputError(self._source, None, problem, hint="copy or download it again") from None
        buffer[: len(data)] = data
        self._place += len(data)
        return len(data)

    def tell(self) -> int:
        return self._place

    def close(self) -> None:
        if not self.closed:
            self._inner.close()
            self._raw.close()
        super().close()


def _open_gzip(raw: BinaryIO) -> Reads:
    import gzip

    return gzip.GzipFile(fileobj=raw, mode="rb")


def _open_bz2(raw: BinaryIO) -> Reads:
    import bz2

    return bz2.BZ2File(raw)


def _open_xz(raw: BinaryIO) -> Reads:
    import lzma

    return lzma.LZMAFile(raw)


def _open_zstd(raw: BinaryIO) -> Reads:
    import importlib

    try:
        file: Reads = importlib.import_module("compression.zstd").ZstdFile(raw)  # Python 3.14
    except ImportError:
        try:
            zstandard = importlib.import_module("zstandard")
        except ImportError:
            raise MissingExtraError("reading .zst files", "zstd") from None
        return _ZstdFrames(raw, lambda: zstandard.ZstdDecompressor().decompressobj())
    return file


class _Frame(Protocol):
    eof: bool
    unused_data: bytes

    def decompress(self, data: bytes, /) -> bytes: ...


class _ZstdFrames:
    """Reads the frames of a .zst file; unlike zstandard's own reader it notices when the last one is cut short."""

    def __init__(self, raw: BinaryIO, new_frame: Callable[[], _Frame]) -> None:
        self._raw = raw
        self._new_frame = new_frame
        self._frame: _Frame | None = None
        self._out = memoryview(b"")
        self._pending = b""

    def read(self, size: int, /) -> bytes:
        while not self._out:
            data = self._pending or self._raw.read(BLOCK)
            self._pending = b""
            if not data:
                if self._frame is not None:
                    raise EOFError
                return b""
            frame = self._frame = self._frame or self._new_frame()
            self._out = memoryview(frame.decompress(data))
            if frame.eof:
                self._pending = frame.unused_data
                self._frame = None
        block = self._out[:size].tobytes()
        self._out = self._out[size:]
        return block

    def close(self) -> None:
        self._out = memoryview(b"")


_OPENERS: dict[str, Callable[[BinaryIO], Reads]] = {
    "gz": _open_gzip,
    "bz2": _open_bz2,
    "xz": _open_xz,
    "zst": _open_zstd,
}
