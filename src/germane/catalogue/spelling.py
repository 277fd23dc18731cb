"""Writing and comparing names and values."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any, TypeVar

from germane.errors import GermaneError, unknown

Value = TypeVar("Value")


def written(value: Any) -> str:
    """Return the shortest text of a parameter value that parses to the same value.

    >>> [written(value) for value in (0.7, 0.7000001, 10.0, 1e-7, True, None, "left out")]
    ['0.7', '0.7000001', '10', '1e-07', 'true', 'none', 'left-out']
    """
    if isinstance(value, bool) or value is None:
        return str(value).lower()
    return repr(float(value)).removesuffix(".0") if isinstance(value, float) else str(value).replace(" ", "-")


def spell(name: str, parameters: Iterable[tuple[str, Any]], at: Any = None, *, between: str = ", ") -> str:
    """Return a thing as a person writes it.

    >>> spell("nDCG", [("gain", "exp")], 10), spell("AP", [])
    ('nDCG(gain=exp)@10', 'AP')
    """
    inside = between.join(f"{key}={written(value)}" for key, value in parameters)
    return f"{name}{f'({inside})' if inside else ''}{'' if at is None else f'@{written(at)}'}"


def fold(name: str) -> str:
    """Normalise a name for comparison: case, ``-``, ``_`` and spaces are ignored, but a sign at the end is kept.

    >>> fold("Hit_Rate") == fold("hit-rate") == fold("hit rate"), fold("LR-")
    (True, 'lr-')
    """
    return re.sub(r"(?<![-_ ])[-_ ]++(?=\w)", " ", name.strip().casefold())


def known_name(name: str, known: Iterable[str]) -> str | None:
    """Return the known name that is meant: an exact match, else the only one that differs just in case, ``-`` or ``_``.

    >>> known_name("RRF", ["rrf", "borda"]), known_name("ranking_svm", ["ranking-svm"]), known_name("x", ["y"])
    ('rrf', 'ranking-svm', None)
    """
    names = list(known)
    alike = [name] if name in names else [each for each in names if fold(each) == fold(name)]
    return alike[0] if len(alike) == 1 else None


def pick(what: str, name: str, known: Mapping[str, Value]) -> Value:
    """Return the value of a name, in any case; an error lists the choices."""
    meant = known_name(name, known)
    if meant is None:
        raise unknown(what, name, known)
    return known[meant]


def split(text: str, at: str = ",", *, keep_empty: bool = False) -> list[str]:
    """Split a text at separators outside brackets, dropping empty pieces.

    >>> split("expand=20, model=BM25(k1=0.9,b=0.4)")
    ['expand=20', 'model=BM25(k1=0.9,b=0.4)']
    >>> split("F1[big cat] AUC", " ")
    ['F1[big cat]', 'AUC']
    """
    pieces, depth = [""], 0
    for character in text:
        depth += {"(": 1, "[": 1, ")": -1, "]": -1}.get(character, 0)
        if character in at and depth == 0:
            pieces.append("")
        else:
            pieces[-1] += character
    return [piece.strip() for piece in pieces if keep_empty or piece.strip()]


def given_once(
    pairs: Iterable[tuple[str, Value]], thing: str, *, error: type[GermaneError] = GermaneError
) -> dict[str, Value]:
    """Return parameters by name; a parameter given twice is an error.

    >>> given_once([("k1", "0.9"), ("k1", "1.2")], "BM25")
    Traceback (most recent call last):
    germane.errors.GermaneError: BM25: expected k1 once, found it twice
    Hint: remove one of k1=0.9 and k1=1.2
    """
    given: dict[str, Value] = {}
    for key, value in pairs:
        if key in given:
            hint = f"remove one of {key}={written(given[key])} and {key}={written(value)}"
            raise error(f"{thing}: expected {key} once, found it twice", hint=hint)
        given[key] = value
    return given
