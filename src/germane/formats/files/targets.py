"""Open outputs: files, compressed if their extension says so, and ``-`` for standard output."""

from __future__ import annotations

import contextlib
import itertools
import os
import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any, BinaryIO

from germane.errors import InputError, MissingExtraError
from germane.formats.files.addresses import Address, place
from germane.formats.files.file_lock import only_writer
from germane.formats.files.sources import STDIN

OVERWRITE = "use `overwrite=True` to replace it"
_numbers = itertools.count(1)


@contextlib.contextmanager
def open_target(path: str | Path, *, overwrite: bool = True, durable: bool = False) -> Iterator[BinaryIO]:
    """Open an output to write bytes; a file appears under its name only once it is complete.

    Two writers of the same file never mix: each writes a temporary file, and the last to finish wins. Without
    `overwrite`, the first to finish wins and the other gets an error. `durable` waits until the file is on disk.
    """
    if str(path) == STDIN:
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
        return
    final = place(path)
    if not final.name:
        raise InputError("output", None, f"expected a file name, found {str(path)!r}")
    if isinstance(final, Address):
        with _uploaded(final, overwrite=overwrite) as target:
            yield target
        return
    partial = final.with_name(f"{final.name}.{os.getpid()}-{next(_numbers)}.partial")
    try:
        with partial.open("wb") as raw:
            with _compressed(raw, final.suffix.lower()) as target:
                yield target
            if durable:
                raw.flush()
                os.fsync(raw.fileno())
        with contextlib.nullcontext() if overwrite else only_writer(final):
            if not overwrite:
                require_new(final, hint="another process has just written it; choose another name")
            partial.replace(final)
    except OSError as error:
        raise InputError(path, None, f"cannot write the file: {error.strerror or error}") from None
    finally:
        partial.unlink(missing_ok=True)


@contextlib.contextmanager
def _uploaded(address: Address, *, overwrite: bool) -> Iterator[BinaryIO]:
    """Write a temporary file, and copy it to an address once it is complete."""
    import tempfile

    with tempfile.TemporaryDirectory(prefix="germane-") as folder:
        local = Path(folder) / address.name
        with open_target(local) as target:
            yield target
        if not overwrite:
            require_new(str(address))
        address.upload(local)


def require_new(path: str | Path, hint: str = OVERWRITE) -> None:
    """Raise an error if the file already exists; standard output never does."""
    if str(path) != STDIN and place(path).exists():
        raise InputError(path, None, "file already exists", hint=hint)


def _compressed(raw: BinaryIO, ending: str) -> contextlib.AbstractContextManager[Any]:
    if ending == ".gz":
        import gzip

        return gzip.GzipFile(
            filename="", fileobj=raw, mode="wb", mtime=0
        )  # no time stamp, so equal input gives equal bytes
    if ending in (".bz2", ".xz"):
        module = import_module("bz2" if ending == ".bz2" else "lzma")
        return module.open(raw, "wb")  # type: ignore[no-any-return]
    if ending != ".zst":
        return contextlib.nullcontext(raw)
    with contextlib.suppress(ImportError):
        return import_module("compression.zstd").ZstdFile(raw, "wb")  # type: ignore[no-any-return] # Python 3.14
    try:
        compressor = import_module("zstandard").ZstdCompressor(write_checksum=True)
    except ImportError:
        raise MissingExtraError("writing .zst files", "zstd") from None
    return compressor.stream_writer(raw, closefd=False)  # type: ignore[no-any-return]
