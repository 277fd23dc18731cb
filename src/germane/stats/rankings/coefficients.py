"""The catalogue of coefficients between two rankings: each is one function with one decorator.

>>> COEFFICIENTS.parse("tau-b").summary
"Kendall's tau that counts no pair tied in either ranking."
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from germane.catalogue import Catalogue, Entry
from germane.errors import GermaneError
from germane.stats.rankings.ranked_items import Pair

DEFAULT_P = 0.9


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Coefficient(Entry):
    """One coefficient.

    A ``correlation`` is a function of one value per item in each ranking, the higher the better: 1 for the same order,
    -1 for the reverse. An ``overlap`` is one of two lists that need not hold the same items: 1 for the same list, 0 for
    lists with nothing in common. A ``bound`` says how sure an overlap is.
    """

    kind: Literal["correlation", "overlap", "bound"] = "correlation"
    symmetric: bool = True
    """Whether the order of the two rankings is of no importance; otherwise the first is the truth."""

    def __call__(self, a: Any, b: Any, *, p: float = DEFAULT_P) -> float:
        """The coefficient of two rankings, two mappings ``{id: score}`` or two columns of scores; NaN if undefined."""
        return self.of_pair(Pair.of(a, b, same_items=self.kind == "correlation"), p=p)

    def of_pair(self, pair: Pair, *, p: float = DEFAULT_P) -> float:
        """The coefficient of two rankings that were put together already."""
        if not (len(pair.a) and len(pair.b)):
            return float("nan")  # completed by the other one, an empty ranking would agree with anything
        if self.kind != "correlation":
            return float(self.target(pair.a, pair.b, p))
        return float(self.target(*pair.values)) if pair.num_items > 1 else float("nan")

    @property
    def bounds(self) -> tuple[float, float]:
        """The least and the greatest value."""
        return (-1.0, 1.0) if self.kind == "correlation" else (0.0, 1.0)

    @property
    def declared(self) -> Mapping[str, str]:
        low, high = self.bounds
        order = "of no importance" if self.symmetric else "the first is the truth"
        return {"Range": f"{low:g} to {high:g}", "Order of the two": order}


COEFFICIENTS = Catalogue(
    "coefficient",
    Coefficient,
    Coefficient,
    ["germane.stats.rankings.rank_correlation", "germane.stats.rankings.rank_overlap"],
    example="tau-b",
)


def asked_coefficients(names: str | Iterable[str]) -> list[Coefficient]:
    """The coefficients asked for, each once; names may be divided by spaces or commas.

    >>> [entry.name for entry in asked_coefficients(["tau-b, spearman", "TAU-B"])]
    ['tau-b', 'spearman']
    """
    given = [names] if isinstance(names, str) else names
    words = [word for text in given for word in re.split(r"[\s,]+", text) if word]
    if not words:
        raise GermaneError("expected at least one coefficient, found none", hint="for example tau-b")
    return list(dict.fromkeys(COEFFICIENTS.parse(word) for word in words))
