"""How things with a name and parameters are written and read: the same rules for measures, models, methods and rules.

Names and choices are found in any case, with ``-`` and ``_`` alike; a parameter is given once; what is printed reads
back as the same thing.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, TypeVar

from germane.errors import GermaneError

Value = TypeVar("Value")


def written(value: Any) -> str:
    """A parameter's value in the shortest form that reads back the same.

    >>> [written(value) for value in (0.7, 0.7000001, 10.0, 1e-7, True, None, "exp")]
    ['0.7', '0.7000001', '10', '1e-07', 'true', 'none', 'exp']
    """
    if isinstance(value, bool) or value is None:
        return str(value).lower()
    return repr(float(value)).removesuffix(".0") if isinstance(value, float) else str(value)


def known_name(name: str, known: Iterable[str]) -> str | None:
    """The known name that is meant: the very same, else the only one that is the same but for case, ``-`` and ``_``.

    >>> known_name("RRF", ["rrf", "borda"]), known_name("ranking_svm", ["ranking-svm"]), known_name("x", ["y"])
    ('rrf', 'ranking-svm', None)
    """
    names = list(known)
    if name in names:
        return name
    alike = [each for each in names if folded(each) == folded(name)]
    return alike[0] if len(alike) == 1 else None


def folded(name: str) -> str:
    """A name as names are compared."""
    return name.casefold().replace("-", "_")


def split_outside_brackets(text: str, at: str = ",") -> list[str]:
    """The pieces between any of the separators that stand in no brackets, blank ones left out.

    >>> split_outside_brackets("expand=20, model=BM25(k1=0.9,b=0.4)")
    ['expand=20', 'model=BM25(k1=0.9,b=0.4)']
    """
    pieces, depth = [""], 0
    for character in text:
        depth += {"(": 1, ")": -1}.get(character, 0)
        if character in at and depth == 0:
            pieces.append("")
        else:
            pieces[-1] += character
    return [piece.strip() for piece in pieces if piece.strip()]


def given_once(
    pairs: Iterable[tuple[str, Value]], thing: str, *, error: type[GermaneError] = GermaneError
) -> dict[str, Value]:
    """The parameters by name; one that is given twice is an error.

    >>> given_once([("k1", "0.9"), ("k1", "1.2")], "BM25")
    Traceback (most recent call last):
    germane.errors.GermaneError: BM25: expected k1 once, found it twice
    Hint: remove one of k1=0.9 and k1=1.2
    """
    given: dict[str, Value] = {}
    for key, value in pairs:
        if key in given:
            raise error(
                f"{thing}: expected {key} once, found it twice",
                hint=f"remove one of {key}={written(given[key])} and {key}={written(value)}",
            )
        given[key] = value
    return given
