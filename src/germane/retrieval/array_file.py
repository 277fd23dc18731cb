"""Arrays written piece by piece into NumPy's file format, with size and checksum counted on the way.

Nothing is mapped for writing: on a full disk a mapped write kills the process; a plain one is an error to be told.
"""

from __future__ import annotations

import contextlib
import hashlib
import io
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
import numpy.typing as npt

from germane.retrieval.manifest import FileEntry

Array = npt.NDArray[Any]


class ArrayFile:
    """One array of a known length and type, written from its start to its end."""

    def __init__(self, stream: BinaryIO, length: int, dtype: npt.DTypeLike) -> None:
        self.dtype = np.dtype(dtype)
        self._stream = stream
        self._digest = hashlib.blake2b(digest_size=16)
        self._size = 0
        self._missing = length
        header = io.BytesIO()
        shape = {"descr": np.lib.format.dtype_to_descr(self.dtype), "fortran_order": False, "shape": (length,)}
        np.lib.format.write_array_header_1_0(header, shape)
        self._write(header.getvalue())

    def append(self, values: Array) -> None:
        """The next values; they are made the array's type, which must be able to hold them."""
        self._missing -= len(values)
        self._write(np.ascontiguousarray(values, dtype=self.dtype).data.cast("B") if len(values) else b"")

    def _write(self, data: bytes | memoryview) -> None:
        self._stream.write(data)
        self._digest.update(data)
        self._size += len(data)

    def entry(self) -> FileEntry:
        """What the manifest says of it, once it is complete."""
        if self._missing:
            raise AssertionError(f"an array lacks {self._missing} of its values")
        return FileEntry(self._size, self._digest.hexdigest())


@contextlib.contextmanager
def writing_arrays(folder: Path, shapes: Mapping[str, tuple[int, npt.DTypeLike]]) -> Iterator[dict[str, ArrayFile]]:
    """Open the files of several arrays in a folder; at the end all of them are on the disk."""
    folder.mkdir()
    with contextlib.ExitStack() as stack:
        streams = {name: stack.enter_context((folder / f"{name}.npy").open("wb")) for name in shapes}
        yield {name: ArrayFile(streams[name], length, dtype) for name, (length, dtype) in shapes.items()}
        for stream in streams.values():
            stream.flush()
            os.fsync(stream.fileno())


def write_arrays(folder: Path, arrays: Mapping[str, Array]) -> dict[str, FileEntry]:
    """Write arrays that are there already."""
    with writing_arrays(folder, {name: (len(array), array.dtype) for name, array in arrays.items()}) as files:
        for name, array in arrays.items():
            files[name].append(array)
        return {name: file.entry() for name, file in files.items()}
