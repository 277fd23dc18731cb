"""Compiled loops, and the plain references that check them and take over where there was no compiler."""

from __future__ import annotations

import importlib
import importlib.util
import sys
from collections.abc import Callable
from importlib.machinery import EXTENSION_SUFFIXES
from typing import Any

from germane.kernels import reference


def _load(name: str) -> Any:
    """A kernel if it is there as compiled code, else the references. An uncompiled kernel file must never run."""
    spec = importlib.util.find_spec(f"germane.kernels.{name}")
    if spec is None or not (spec.origin or "").endswith(tuple(EXTENSION_SUFFIXES)):
        return reference
    # The kernels read eight bytes as one little-endian word.
    module = importlib.import_module(f"germane.kernels.{name}") if sys.byteorder == "little" else reference
    return module if getattr(module, "COMPILED", False) else reference


_match = _load("_match")
Matcher: type[reference.Matcher] = _match.Matcher
gather_lines: Callable[[Any, Any, bytearray, int, int], tuple[int, int]] = _match.gather_lines

IN_USE = "reference kernels: no compiled extension" if Matcher is reference.Matcher else "compiled kernels"
"""What `germane --version` says of them."""
