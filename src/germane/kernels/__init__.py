"""Compiled loops, and the plain references that check them and take over where there was no compiler."""

from __future__ import annotations

import importlib
import importlib.util
import sys
from collections.abc import Callable
from importlib.machinery import EXTENSION_SUFFIXES
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from germane.kernels import reference

OK, BAD, INTERLEAVED = 0, 1, 2
"""All was well; a line was not what it should be; a query came back after another one (only the kernel minds)."""


def _load(name: str) -> Any:
    """A kernel if it is there as compiled code, else the references. An uncompiled kernel file must never run."""
    spec = importlib.util.find_spec(f"germane.kernels.{name}")
    # The kernels read eight bytes as one little-endian word.
    if spec is not None and (spec.origin or "").endswith(tuple(EXTENSION_SUFFIXES)) and sys.byteorder == "little":
        module = importlib.import_module(f"germane.kernels.{name}")
        if module.COMPILED:
            return module
    return importlib.import_module("germane.kernels.reference")


_scan = _load("_scan")
Matcher: type[reference.Matcher] = _scan.Matcher
TableReader: type[reference.TableReader] = _scan.TableReader
gather_lines: Callable[[Any, Any, bytearray, int, int], tuple[int, int]] = _scan.gather_lines

_ids = _load("_ids")
decimal_text: Callable[[npt.NDArray[np.int64]], reference.Text] = _ids.decimal_text
unpadded: Callable[[npt.NDArray[np.uint8]], reference.Text] = _ids.unpadded
changes: Callable[[npt.NDArray[np.uint8], npt.NDArray[np.int64]], npt.NDArray[np.bool_]] = _ids.changes
row_changes: Callable[[npt.NDArray[np.uint8]], npt.NDArray[np.bool_]] = _ids.row_changes
hashes: Callable[[npt.NDArray[np.uint8], npt.NDArray[np.int64]], npt.NDArray[np.uint64]] = _ids.hashes

IN_USE = "compiled kernels" if _scan.COMPILED and _ids.COMPILED else "reference kernels: no compiled extension"
"""What `germane --version` says of them."""
