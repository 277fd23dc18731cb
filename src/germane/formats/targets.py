"""Opening what results are written to: files, compressed if their name says so, and ``-`` for standard output."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO

from germane.errors import InputError, MissingExtraError
from germane.formats.sources import STDIN


@contextlib.contextmanager
def open_target(path: str | Path) -> Iterator[BinaryIO]:
    """Open for writing bytes. A file appears under its name only once it is complete."""
    if str(path) == STDIN:
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
        return
    final = Path(path)
    if not final.name:
        raise InputError("output", None, f"expected the name of a file, found {str(path)!r}")
    partial = final.with_name(final.name + ".partial")
    try:
        with partial.open("wb") as raw, _compressed(raw, final.suffix.lower()) as target:
            yield target
        partial.replace(final)
    except OSError as error:
        raise InputError(path, None, f"cannot be written: {error.strerror or error}") from None
    finally:
        partial.unlink(missing_ok=True)


def _compressed(raw: BinaryIO, ending: str) -> contextlib.AbstractContextManager[Any]:
    if ending == ".gz":
        import gzip

        return gzip.GzipFile(filename="", fileobj=raw, mode="wb", mtime=0)  # equal input, equal bytes
    if ending == ".bz2":
        import bz2

        return bz2.BZ2File(raw, "wb")
    if ending == ".xz":
        import lzma

        return lzma.LZMAFile(raw, "wb")
    if ending == ".zst":
        import importlib

        try:
            module = importlib.import_module("compression.zstd")  # Python 3.14
        except ImportError:
            try:
                module = importlib.import_module("zstandard")
            except ImportError:
                raise MissingExtraError("writing .zst files", "zstd") from None
            return module.ZstdCompressor(write_checksum=True).stream_writer(raw, closefd=False)  # type: ignore[no-any-return]
        return module.ZstdFile(raw, "wb")  # type: ignore[no-any-return]
    return contextlib.nullcontext(raw)
