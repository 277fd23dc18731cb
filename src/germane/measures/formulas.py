"""What the letters in a formula stand for."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any


def values_named(formula: str, values: Mapping[str, Any]) -> str:
    """The values of the parameters that a formula names, "" where it names none.

    >>> values_named("E = 1 - (b^2 + 1) / (b^2 / R + 1 / P)", {"b": 1, "rel": 1})
    'b = 1'
    >>> values_named("max of P(r) over r >= level; with to = between, less", {"to": "beyond", "over": "R"})
    'to = beyond'
    """
    named = {name: value for name, value in values.items() if value is not None and names(formula, name, value)}
    return ", ".join(
        f"{name} = {value:g}" if isinstance(value, float) else f"{name} = {value}" for name, value in named.items()
    )


def names(formula: str, name: str, value: Any) -> bool:
    """Whether a formula says what a parameter does.

    A number is named by its letter or word. A word is named only as in `to = between`: `over` is also plain English.
    """
    sign = "" if isinstance(value, int | float) else r" = "
    return re.search(rf"(?<!\w){re.escape(name)}(?!\w){sign}", formula) is not None
