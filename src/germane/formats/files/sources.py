"""Open inputs: plain files, compressed files, and ``-`` for standard input.

The compression is detected from the first bytes, never from the name. A truncated compressed file, or one with a wrong
checksum, raises an `InputError` as soon as reading gets there.
"""

from __future__ import annotations

import io
import sys
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager, suppress
from importlib import import_module
from pathlib import Path
from typing import Any, BinaryIO
from urllib.parse import unquote

from germane.errors import InputError, MissingExtraError, OutOfMemoryError, did_you_mean
from germane.formats.files.addresses import Address, place
from germane.formats.files.part_folders import is_folder, meant_by, parts_of, require_one_table
from germane.formats.files.patterns import WILDCARD, is_pattern
from germane.formats.rows.column_names import ALIASES, plain_name
from germane.progress import open_counted, step, stop_listening

STDIN = "-"

COMPRESSIONS = {
    "gz": (b"\x1f\x8b",),
    "zst": (b"\x28\xb5\x2f\xfd",),
    # The start of a block or, in an empty file, of the footer: "BZh" alone could be the start of a query id.
    "bz2": tuple(
        b"BZh%d" % level + block for level in range(1, 10) for block in (b"1AY&SY", b"\x17\x72\x45\x38\x50\x90")
    ),
    "xz": (b"\xfd7zXZ\x00",),
}
"""The first bytes of each type of compressed file."""

NAME_ENDINGS = ("run", "trec", "txt", "tsv", "csv", "json", "jsonl", "parquet", "pq", "orc", "arrow", "qrels")
BLOCK = 1 << 18


def source_name(path: str | Path | Address) -> str:
    """Return the name of an input in error messages.

    >>> source_name("-"), source_name("runs/bm25.run")
    ('<stdin>', 'runs/bm25.run')
    """
    return "<stdin>" if str(path) == STDIN else str(path)


def display_name(path: str | Path | Address) -> str:
    """Return the name of a system from its file name, without folder and usual extensions.

    >>> [display_name(p) for p in ("runs/bm25.run.gz", "input.bm25.txt", "runs/run=dense", "logs/2024-*/part-*", "-")]
    ['bm25', 'input.bm25', 'dense', 'logs', 'stdin']
    """
    if str(path) == STDIN:
        return "stdin"
    if is_pattern(path := meant_by(path)):
        path = next((part for part in reversed(str(path).split("/")) if part and not WILDCARD.search(part)), path)
    name = Path(str(path)).name or Path(str(path)).resolve().name
    if "=" in name and plain_name(name.partition("=")[0]) in ALIASES["tag"]:  # a folder that names a run
        return unquote(name.partition("=")[2])
    for endings in (tuple(COMPRESSIONS), NAME_ENDINGS):
        stem, dot, ending = name.rpartition(".")
        if stem and dot and ending.lower() in endings:
            name = stem
    return name


@contextmanager
def memory_for(path: str | Path | Address) -> Iterator[None]:
    """Turn a MemoryError into an error that names the file."""
    try:
        yield
    except OutOfMemoryError:
        raise
    except MemoryError:
        raise OutOfMemoryError("not enough memory to read it", source=source_name(path)) from None


def is_plain_file(path: str | Path | Address) -> bool:
    """Return whether this is a regular, uncompressed file, which can be read from any position."""
    where = place(path)
    if str(path) == STDIN or isinstance(where, Address) or not where.is_file():
        return False
    with where.open("rb") as file:
        return compression(file.read(16)) is None


def compression(head: bytes) -> str | None:
    """Return the compression of a file that starts with these bytes, or None."""
    return next((name for name, starts in COMPRESSIONS.items() if head.startswith(starts)), None)


def open_source(path: str | Path | Address) -> BinaryIO:
    """Open an input to read its decompressed bytes; a folder with a table in parts is read as one file."""
    if is_folder(path):
        from germane.formats.files.joined_parts import open_parts

        require_one_table(path)
        return open_parts(path, parts_of(path) or [])
    raw = open_raw(path)
    head, raw = peek(raw, 16)
    kind = compression(head)
    if kind is None:
        return raw
    try:
        return piece_stream(_decompressed(_decompressor(kind, raw), kind, source_name(path)), raw)
    except MissingExtraError:
        raw.close()
        raise


def open_start(path: str | Path | Address) -> BinaryIO:
    """Open an input to detect its format: as `open_source`, but only the first part of a binary table in parts."""
    if is_folder(path):
        from germane.formats.files.part_tables import first_binary_part

        if (first := first_binary_part(path)) is not None:
            return open_source(first)
    return open_source(path)


def text_of(path: str | Path | Address) -> str:
    """Return the content of a file as text, without a byte order mark."""
    with open_source(path) as stream:
        return stream.read().decode("utf-8", "surrogateescape").removeprefix("\ufeff")


def first_bytes(path: str | Path | Address, size: int) -> bytes:
    """Return the first bytes of a file, decompressed."""
    with open_source(path) as stream:
        return stream.read(size)


def peek(stream: BinaryIO, size: int) -> tuple[bytes, BinaryIO]:
    """Return the next `size` bytes (fewer at the end), and a stream that still has them and replaces the given one."""
    try:
        head = stream.read(size)
        if stream.seekable():
            stream.seek(-len(head), io.SEEK_CUR)
            return head, stream
    except BaseException:
        stream.close()
        raise
    return head, piece_stream(_blocks(stream, head), stream)


def open_raw(path: str | Path | Address) -> BinaryIO:
    """Open a file as it is stored."""
    if str(path) == STDIN:
        return piece_stream(_standard_input())
    where = place(path)
    if isinstance(where, Address):
        return piece_stream(where.blocks())
    try:
        return open_counted(where)
    except FileNotFoundError:
        raise InputError(path, None, f"no such file{_near(where)}") from None
    except (OSError, ValueError) as error:
        raise InputError(path, None, f"cannot open the file: {error}") from None


def _standard_input() -> Generator[bytes, None, None]:
    """Yield the blocks of standard input, which must stay open."""
    if sys.stdin.buffer.isatty():  # somebody types
        stop_listening()
    with step("reading standard input"):
        yield from _blocks(sys.stdin.buffer)


def meant_inside(folder: str | Path) -> str | None:
    """Return a hint naming the files in a folder written by `germane release`, or None."""
    qrels, events = Path(folder) / "qrels.txt", Path(folder) / "events.jsonl"
    if not (qrels.is_file() and events.is_file()):
        return None
    return f"this is a release of judgments; use {qrels} for qrels, {events} for the judgments of each assessor"


def _near(path: Path) -> str:
    """Return the end of an error message that suggests a similarly named file, with or without extensions."""
    names = [entry.name for entry in path.parent.iterdir()] if path.parent.is_dir() else []
    near = did_you_mean(path.name, names, likeness=0.8)
    if near:
        return near
    by_stem = {display_name(name): name for name in names}
    near = did_you_mean(display_name(path), by_stem, likeness=0.8)
    stem = near.removeprefix("; did you mean ").removesuffix("?")
    return f"; did you mean {by_stem[stem]}?" if near else ""


class _Pieces(io.RawIOBase):
    """A stream of pieces of bytes; closing it closes the streams that they come from."""

    def __init__(self, pieces: Generator[bytes, None, None], *inner: BinaryIO) -> None:
        self._pieces = pieces
        self._inner = inner
        self._left = memoryview(b"")
        self._place = 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: bytearray | memoryview) -> int:  # type: ignore[override]
        while not self._left:
            piece = next(self._pieces, None)
            if piece is None:
                return 0
            self._left = memoryview(piece)
        count = min(len(buffer), len(self._left))
        buffer[:count] = self._left[:count]
        self._left = self._left[count:]
        self._place += count
        return count

    def tell(self) -> int:
        return self._place

    def close(self) -> None:
        if not self.closed:
            self._pieces.close()
            for stream in self._inner:
                stream.close()
        super().close()


def piece_stream(pieces: Generator[bytes, None, None], *inner: BinaryIO) -> BinaryIO:
    """Return a stream of pieces of bytes; closing it closes the inner streams too."""
    return io.BufferedReader(_Pieces(pieces, *inner), BLOCK)


def _blocks(file: Any, head: bytes = b"") -> Generator[bytes, None, None]:
    """Yield the bytes already read, then the rest of a file."""
    yield head
    while data := file.read(BLOCK):
        yield data


def _decompressed(pieces: Iterator[bytes], kind: str, source: str) -> Generator[bytes, None, None]:
    """Yield decompressed bytes, with errors of the decompressor turned into an `InputError`."""
    try:
        yield from pieces
    except EOFError:
        problem = f"truncated .{kind} file"
        raise InputError(source, None, problem, hint="copy or download it again") from None
    except (InputError, MemoryError):
        raise
    except Exception as error:  # each decompressor has its own exception
        problem = f"corrupt .{kind} file: {error}"
        raise InputError(source, None, problem, hint="copy or download it again") from None


def _decompressor(kind: str, raw: BinaryIO) -> Iterator[bytes]:
    if kind != "zst":
        return _blocks(import_module({"gz": "gzip", "bz2": "bz2", "xz": "lzma"}[kind]).open(raw))
    with suppress(ImportError):
        return _blocks(import_module("compression.zstd").open(raw))  # Python 3.14
    try:
        return _zstd_frames(raw, import_module("zstandard").ZstdDecompressor)
    except ImportError:
        raise MissingExtraError("reading .zst files", "zstd") from None


def _zstd_frames(raw: BinaryIO, decompressor: Callable[[], Any]) -> Iterator[bytes]:
    """Yield the frames of a .zst file; unlike zstandard's own reader, detect a truncated last frame."""
    frame, data = None, b""
    while data := data or raw.read(BLOCK):
        frame = frame or decompressor().decompressobj()
        yield frame.decompress(data)
        data = frame.unused_data if frame.eof else b""
        frame = None if frame.eof else frame
    if frame is not None:
        raise EOFError
