"""Write arrays piece by piece in NumPy's file format, computing block checksums on the way.

No file is mapped for writing: on a full disk a mapped write kills the process, while a plain one raises an error.
"""

from __future__ import annotations

import contextlib
import io
import os
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
import numpy.typing as npt

from germane.retrieval.indexes.manifest import FileEntry
from germane.retrieval.indexes.mapped_array import BLOCK_SIZE

Array = npt.NDArray[Any]


class ArrayFile:
    """One array of any length, written sequentially. Its header, which tells the length, is written at the end."""

    def __init__(self, stream: BinaryIO, dtype: npt.DTypeLike) -> None:
        self.dtype = np.dtype(dtype)
        self.length = 0
        self._stream = stream
        self._sums = bytearray()
        self._sum = 0
        self._size = 0
        self._first_block = bytearray()
        self._entry: FileEntry | None = None
        self._write(self._header())

    def _header(self) -> bytes:
        """Return NumPy's header, which has the same size for every length."""
        header = io.BytesIO()
        shape = {"descr": np.lib.format.dtype_to_descr(self.dtype), "fortran_order": False, "shape": (self.length,)}
        np.lib.format.write_array_header_1_0(header, shape)
        return header.getvalue()

    def append(self, values: Array) -> None:
        """Append values, converted to the array's type, which must be able to hold them."""
        self.length += len(values)
        self._write(np.ascontiguousarray(values, dtype=self.dtype).data.cast("B") if len(values) else b"")

    def _write(self, data: bytes | memoryview) -> None:
        self._stream.write(data)
        rest = memoryview(data)
        while rest:
            room = BLOCK_SIZE - self._size % BLOCK_SIZE
            if self._size < BLOCK_SIZE:
                self._first_block += rest[:room]
            self._sum = zlib.crc32(rest[:room], self._sum)
            self._size += len(rest[:room])
            rest = rest[room:]
            if self._size % BLOCK_SIZE == 0:
                self._sums += self._sum.to_bytes(4, "little")
                self._sum = 0

    def finish(self) -> FileEntry:
        """Complete the file, flush it to disk, and return its manifest entry; a second call only returns it."""
        if self._entry is not None:
            return self._entry
        header = self._header()
        self._first_block[: len(header)] = header
        self._stream.seek(0)
        self._stream.write(header)
        self._stream.flush()
        os.fsync(self._stream.fileno())
        sums = self._sums + (self._sum.to_bytes(4, "little") if self._size % BLOCK_SIZE else b"")
        sums[:4] = zlib.crc32(self._first_block).to_bytes(4, "little")
        self._entry = FileEntry(self._size, self.dtype.str, self.length, sums.hex())
        return self._entry


class ArrayFolder:
    """The files of several arrays in one folder."""

    def __init__(self, folder: Path, stack: contextlib.ExitStack) -> None:
        self._folder = folder
        self._stack = stack
        self._files: dict[str, ArrayFile] = {}

    def create(self, name: str, dtype: npt.DTypeLike) -> ArrayFile:
        """Create the file of an array."""
        stream = self._stack.enter_context((self._folder / f"{name}.npy").open("wb"))
        self._files[name] = file = ArrayFile(stream, dtype)
        return file

    def finish(self) -> dict[str, FileEntry]:
        """Complete all files, and return their manifest entries."""
        return {name: file.finish() for name, file in self._files.items()}


@contextlib.contextmanager
def writing_arrays(folder: Path) -> Iterator[ArrayFolder]:
    """Create a folder of arrays; on exit all of its files are closed."""
    folder.mkdir()
    with contextlib.ExitStack() as stack:
        yield ArrayFolder(folder, stack)


def write_array(path: Path, array: Array) -> FileEntry:
    """Write one array and flush it to disk."""
    with path.open("wb") as stream:
        file = ArrayFile(stream, array.dtype)
        file.append(array)
        return file.finish()
