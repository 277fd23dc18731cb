"""Read vectors from .npy files, memory-mapped and never read as a whole, and columns of ids or labels."""

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
SAVE_HINT = "use numpy.save(path, array) to write one"
SEVERAL_HINT = "an .npz file contains several arrays; save each one separately with numpy.save"


def open_vectors(path: str | Path) -> npt.NDArray[Any]:
    """Memory-map the matrix in a .npy file, so that rows are read only when needed.

    It must be stored by row (C order); otherwise each block of rows would be spread over the whole file.
    """
    if str(path) == STDIN:
        raise InputError(
            source_name(path),
            None,
            "cannot read vectors from standard input (they are memory-mapped)",
            hint="save them to a file",
        )
    head = first_bytes(path, len(NPY))
    if not head.startswith(NPY):
        hint = SEVERAL_HINT if head.startswith(ZIP) else SAVE_HINT
        raise InputError(path, None, f"expected a .npy file, found one that starts with {head!r}", hint=hint)
    array = _load(path)
    if array.ndim != 2:
        raise InputError(path, None, f"expected a matrix with one vector per row, found shape {array.shape}")
    if not array.flags.c_contiguous:
        hint = "save it with numpy.save(path, numpy.ascontiguousarray(array))"
        raise InputError(path, None, "expected a matrix stored by row, found one stored by column", hint=hint)
    return array


def _load(path: str | Path) -> npt.NDArray[Any]:
    try:
        return _loaded(path, mmap_mode="r")
    except DAMAGED as error:
        if "mmap" in str(error) and "empty" in str(error):
            return _loaded(path)
        problem = f"invalid .npy file{_library_message(error)}"
        raise InputError(path, None, problem, hint=_why(path, error)) from None


DAMAGED = (ValueError, OSError, EOFError, SyntaxError, TokenError, TypeError, OverflowError, MemoryError, Warning)
"""What NumPy raises for an invalid .npy file, whose header it parses as Python source."""


def _loaded(file: Any, **how: Any) -> npt.NDArray[Any]:
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # a header that NumPy can only guess
        array: npt.NDArray[Any] = np.load(file, allow_pickle=False, **how)
    return array


def _library_message(error: Exception) -> str:
    """Return NumPy's message if it is about the file and not about NumPy, else an empty string."""
    text = str(error)
    return f": {text}" if text.startswith(("cannot reshape", "mmap length", "EOF", "No data")) else ""


def _why(path: str | Path, error: Exception) -> str:
    with Path(path).open("rb") as file:
        if file.read(2) == b"\x1f\x8b":
            return "decompress it first; a compressed file cannot be memory-mapped"
    if "object" in str(error).lower():
        return "save it as numbers or fixed-width text; arrays of Python objects are not read"
    return "it may be truncated; copy or download it again"


def read_column(source: Any, role: str, name: str) -> Ids:
    """Read ids or labels, one per vector: a text file with one per line, a .npy file, or an in-memory column."""
    if not isinstance(source, str | Path):
        return as_ids(source, role, name)
    with open_source(source) as file:
        data = file.read()
    if data.startswith(NPY):
        try:
            column = _loaded(io.BytesIO(data))
        except DAMAGED as error:
            hint = "it may be truncated or contain Python objects; save it as integers or fixed-width text"
            raise InputError(source, None, f"invalid .npy file{_library_message(error)}", hint=hint) from None
        return as_ids(column, role, str(source))
    return _lines(data, role, source)


def _lines(data: bytes, role: str, source: str | Path) -> Ids:
    """Read one id per line, verbatim except for the line break."""
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
