"""Vectors in files: matrices that NumPy saved, mapped and never read as a whole, and columns of ids or labels."""

from __future__ import annotations

import io
import warnings
from pathlib import Path
from tokenize import TokenError
from typing import Any

import numpy as np
import numpy.typing as npt

from germane.errors import InputError
from germane.formats.files.sources import STDIN, first_bytes, open_source, source_name
from germane.tables.columns.array_columns import as_ids
from germane.tables.columns.ids import Ids

NPY, ZIP = b"\x93NUMPY", b"PK\x03\x04"
SAVE_HINT = "numpy.save(path, array) writes such a file"
SEVERAL_HINT = "an .npz file holds several arrays, compressed or not; save each by itself with numpy.save"


def open_vectors(path: str | Path) -> npt.NDArray[Any]:
    """The matrix in a .npy file, mapped: rows are read when somebody asks for them.

    It must be stored row by row, or each block of rows would be spread over the whole file.
    """
    if str(path) == STDIN:
        raise InputError(source_name(path), None, "vectors are mapped, which a stream cannot be", hint="name a file")
    head = first_bytes(path, len(NPY))
    if not head.startswith(NPY):
        hint = SEVERAL_HINT if head.startswith(ZIP) else SAVE_HINT
        raise InputError(path, None, f"expected a .npy file, found one that begins with {head!r}", hint=hint)
    array = _load(path)
    if array.ndim != 2:
        raise InputError(path, None, f"expected a matrix, one vector to a row, found an array of shape {array.shape}")
    if not array.flags.c_contiguous:
        hint = "numpy.save(path, numpy.ascontiguousarray(array)) stores it by row"
        raise InputError(path, None, "expected a matrix stored by row, found one stored by column", hint=hint)
    return array


def _load(path: str | Path) -> npt.NDArray[Any]:
    try:
        return _loaded(path, mmap_mode="r")
    except DAMAGED as error:
        if "mmap" in str(error) and "empty" in str(error):
            return _loaded(path)
        problem = f"cannot be mapped as a .npy file{_told(error)}"
        raise InputError(path, None, problem, hint=_why(path, error)) from None


DAMAGED = (ValueError, OSError, EOFError, SyntaxError, TokenError, TypeError, OverflowError, MemoryError, Warning)
"""What NumPy raises for a file that is none of its own: its header is read as Python's source."""


def _loaded(file: Any, **how: Any) -> npt.NDArray[Any]:
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # a header that NumPy has to guess at
        array: npt.NDArray[Any] = np.load(file, allow_pickle=False, **how)
    return array


def _told(error: Exception) -> str:
    """What NumPy says, where it speaks of the file and not of itself."""
    text = str(error)
    return f": {text}" if text.startswith(("cannot reshape", "mmap length", "EOF", "No data")) else ""


def _why(path: str | Path, error: Exception) -> str:
    with Path(path).open("rb") as file:
        if file.read(2) == b"\x1f\x8b":
            return "a compressed file cannot be mapped: decompress it first"
    if "object" in str(error).lower():
        return "arrays of Python objects are not read; save numbers, or text of fixed width"
    return "it may be truncated: copy or download it again"


def read_column(source: Any, role: str, name: str) -> Ids:
    """Ids or labels, one for each vector: a text file with one to a line, a .npy file, or a column in memory."""
    if not isinstance(source, str | Path):
        return as_ids(source, role, name)
    with open_source(source) as file:
        data = file.read()
    if data.startswith(NPY):
        try:
            column = _loaded(io.BytesIO(data))
        except DAMAGED as error:
            hint = "it may be truncated, or hold Python objects; text of fixed width and whole numbers are read"
            raise InputError(source, None, f"cannot be read as a .npy file{_told(error)}", hint=hint) from None
        return as_ids(column, role, str(source))
    return _lines(data, role, source)


def _lines(data: bytes, role: str, source: str | Path) -> Ids:
    """One id to a line, taken as it stands; only the end of the line is not part of it."""
    if b"\r\n" in data:
        data = data.replace(b"\r\n", b"\n")
    if data and not data.endswith(b"\n"):
        data += b"\n"
    block = np.frombuffer(data, dtype=np.uint8)
    ends = np.flatnonzero(block == ord("\n"))
    offsets = np.concatenate(([0], ends - np.arange(len(ends))))
    empty = np.flatnonzero(np.diff(offsets) == 0)
    if len(empty):
        raise InputError(source, int(empty[0]) + 1, f"expected a {role} on every line, found an empty line")
    return Ids(block[block != ord("\n")], offsets)
