"""Write arrays piece by piece in NumPy's file format, computing block checksums on the way.

No file is mapped for writing: on a full disk a mapped write kills the process, while a plain one raises an error.
"""

from __future__ import annotations

import contextlib
import io
import os
import zlib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
import numpy.typing as npt

from germane.retrieval.indexes.manifest import FileEntry
from germane.retrieval.indexes.mapped_array import BLOCK_SIZE, Stored

Array = npt.NDArray[Any]


class ArrayFile:
    """One array of known length and type, written sequentially."""

    def __init__(self, stream: BinaryIO, length: int, dtype: npt.DTypeLike) -> None:
        self.dtype = np.dtype(dtype)
        self._stream = stream
        self._sums = bytearray()
        self._sum = 0
        self._size = 0
        self._length = self._missing = length
        header = io.BytesIO()
        shape = {"descr": np.lib.format.dtype_to_descr(self.dtype), "fortran_order": False, "shape": (length,)}
        np.lib.format.write_array_header_1_0(header, shape)
        self._write(header.getvalue())

    def append(self, values: Array) -> None:
        """Append values, converted to the array's type, which must be able to hold them."""
        self._missing -= len(values)
        self._write(np.ascontiguousarray(values, dtype=self.dtype).data.cast("B") if len(values) else b"")

    def _write(self, data: bytes | memoryview) -> None:
        self._stream.write(data)
        rest = memoryview(data)
        while rest:
            room = BLOCK_SIZE - self._size % BLOCK_SIZE
            self._sum = zlib.crc32(rest[:room], self._sum)
            self._size += len(rest[:room])
            rest = rest[room:]
            if self._size % BLOCK_SIZE == 0:
                self._sums += self._sum.to_bytes(4, "little")
                self._sum = 0

    def entry(self) -> FileEntry:
        """Return the manifest entry of the complete array."""
        if self._missing:
            raise AssertionError(f"an array lacks {self._missing} of its values")
        last = self._sum.to_bytes(4, "little") if self._size % BLOCK_SIZE else b""
        return FileEntry(self._size, self.dtype.str, self._length, (self._sums + last).hex())


@contextlib.contextmanager
def writing_arrays(folder: Path, shapes: Mapping[str, tuple[int, npt.DTypeLike]]) -> Iterator[dict[str, ArrayFile]]:
    """Open the files of several arrays in a folder; on exit all of them are flushed to disk."""
    folder.mkdir()
    with contextlib.ExitStack() as stack:
        streams = {name: stack.enter_context((folder / f"{name}.npy").open("wb")) for name in shapes}
        yield {name: ArrayFile(streams[name], length, dtype) for name, (length, dtype) in shapes.items()}
        for stream in streams.values():
            stream.flush()
            os.fsync(stream.fileno())


def write_array(path: Path, array: Array) -> FileEntry:
    """Write one array and flush it to disk."""
    with path.open("wb") as stream:
        file = ArrayFile(stream, len(array), array.dtype)
        file.append(array)
        stream.flush()
        os.fsync(stream.fileno())
        return file.entry()


def write_arrays(folder: Path, arrays: Mapping[str, Stored]) -> dict[str, FileEntry]:
    """Write complete arrays to a folder."""
    with writing_arrays(folder, {name: (len(array), array.dtype) for name, array in arrays.items()}) as files:
        for name, array in arrays.items():
            files[name].append(np.asarray(array))
        return {name: file.entry() for name, file in files.items()}
