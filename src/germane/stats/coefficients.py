"""The registry of coefficients between two rankings: each is one function with one decorator.

>>> coefficient_of("tau-b").summary
"Kendall's tau that counts no pair tied in either ranking."
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

from germane.docstrings import sections_of, summary_of
from germane.errors import GermaneError, did_you_mean
from germane.stats.rankings import Pair
from germane.tables.spelling import known_name

Kind = Literal["correlation", "overlap", "bound"]
DEFAULT_P = 0.9

COEFFICIENTS: dict[str, Coefficient] = {}
"""By name; `all_coefficients` fills it."""


@dataclass(frozen=True, eq=False)
class Coefficient:
    """One coefficient: the function, what is declared about it, and what its docstring says.

    A ``correlation`` is a function of one value per item in each ranking, the higher the better: 1 for the same order,
    -1 for the reverse. An ``overlap`` is one of two lists that need not hold the same items: 1 for the same list, 0 for
    lists with nothing in common. A ``bound`` says how sure an overlap is.
    """

    name: str
    function: Callable[..., float]
    kind: Kind
    symmetric: bool = True
    """Whether the order of the two rankings is of no importance; otherwise the first is the truth."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "__doc__", self.function.__doc__)
        object.__setattr__(self, "__wrapped__", self.function)

    def __call__(self, a: Any, b: Any, *, p: float = DEFAULT_P) -> float:
        """The coefficient of two rankings, two mappings ``{id: score}`` or two columns of scores; NaN if undefined."""
        return self.of_pair(Pair.of(a, b, same_items=self.kind == "correlation"), p=p)

    def of_pair(self, pair: Pair, *, p: float = DEFAULT_P) -> float:
        """The coefficient of two rankings that were put together already."""
        if not (len(pair.a) and len(pair.b)):
            return float("nan")  # completed by the other one, an empty ranking would agree with anything
        if self.kind != "correlation":
            return self.function(pair.a, pair.b, p)
        return self.function(*pair.values) if pair.num_items > 1 else float("nan")

    @property
    def bounds(self) -> tuple[float, float]:
        """The least and the greatest value."""
        return (-1.0, 1.0) if self.kind == "correlation" else (0.0, 1.0)

    @cached_property
    def summary(self) -> str:
        """The first line of the docstring."""
        return summary_of(self.function)

    @cached_property
    def sections(self) -> Mapping[str, str]:
        """Formula, reference, what it makes of ties, and when it is undefined: from the docstring."""
        return sections_of(self.function)


def coefficient(
    name: str, *, kind: Kind = "correlation", symmetric: bool = True
) -> Callable[[Callable[..., float]], Coefficient]:
    """Register a coefficient."""

    def register(function: Callable[..., float]) -> Coefficient:
        entry = Coefficient(name, function, kind, symmetric)
        COEFFICIENTS[name] = entry
        return entry

    return register


def all_coefficients() -> list[Coefficient]:
    """Every coefficient there is, correlations first."""
    import germane.stats.rank_correlation
    import germane.stats.rank_overlap  # noqa: F401 - both fill the registry on first use

    return sorted(COEFFICIENTS.values(), key=lambda entry: entry.kind != "correlation")


def coefficient_of(name: str) -> Coefficient:
    """The entry behind a name; case does not matter."""
    known = {entry.name: entry for entry in all_coefficients()}
    meant = known_name(name, known)
    if meant is None:
        raise GermaneError(
            f"no coefficient is called {name!r}{did_you_mean(name, known)}", hint=f"there are: {', '.join(known)}"
        )
    return known[meant]


def asked_coefficients(names: str | Iterable[str]) -> list[Coefficient]:
    """The coefficients asked for, each once; names may be divided by spaces or commas.

    >>> [entry.name for entry in asked_coefficients(["tau-b, spearman", "TAU-B"])]
    ['tau-b', 'spearman']
    """
    given = [names] if isinstance(names, str) else names
    words = [word for text in given for word in re.split(r"[\s,]+", text) if word]
    if not words:
        raise GermaneError("expected at least one coefficient, found none", hint="for example tau-b")
    return list(dict.fromkeys(coefficient_of(word) for word in words))
