"""Arrays inside JSON: bytes in base64, with their type and shape. Every bit survives; nothing can be executed."""

from __future__ import annotations

import base64
import math
from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from germane.errors import GermaneError

TYPES = ("<f8", "<i8")
MOST = 1 << 40


def array_to_json(array: npt.NDArray[Any]) -> dict[str, Any]:
    """An array of floats or whole numbers as a plain object.

    >>> array_to_json(np.array([1.0]))
    {'dtype': '<f8', 'shape': [1], 'base64': 'AAAAAAAA8D8='}
    """
    dtype = "<f8" if array.dtype.kind == "f" else "<i8"
    data = np.ascontiguousarray(array, dtype=dtype).tobytes()
    return {"dtype": dtype, "shape": list(array.shape), "base64": base64.b64encode(data).decode("ascii")}


def array_from_json(given: Mapping[str, Any]) -> npt.NDArray[Any]:
    """Back from the plain object.

    >>> array_from_json(array_to_json(np.array([[1.5, -2.0]]))).tolist()
    [[1.5, -2.0]]
    """
    if given.get("dtype") not in TYPES:
        raise GermaneError(f"expected an array of type {' or '.join(TYPES)}, found {given.get('dtype')!r}")
    try:
        data = base64.b64decode(given["base64"], validate=True)
    except (ValueError, KeyError, TypeError):
        raise GermaneError("expected the bytes of an array in base64, found something else") from None
    shape = given.get("shape", [])
    if not isinstance(shape, list) or not all(type(size) is int and 0 <= size <= MOST for size in shape):
        raise GermaneError(f"expected the shape of an array, found {shape!r}")
    if len(data) != 8 * math.prod(shape):
        raise GermaneError(f"expected {8 * math.prod(shape)} bytes for an array of shape {shape}, found {len(data)}")
    return np.frombuffer(data, dtype=given["dtype"]).reshape(shape).astype(given["dtype"][1:])
