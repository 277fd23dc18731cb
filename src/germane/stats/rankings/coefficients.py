"""The catalogue of rank correlation and overlap coefficients: each is one decorated function.

>>> COEFFICIENTS.parse("tau-b").summary
"Kendall's tau-b: Kendall's tau adjusted for ties in either ranking."
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
    """A coefficient of two rankings.

    A ``correlation`` is a function of one value per item in each ranking, higher is better: 1 for the same order, -1
    for the reverse. An ``overlap`` is a function of two lists that need not contain the same items: 1 for equal lists,
    0 for disjoint ones. A ``bound`` states the uncertainty of an overlap.
    """

    kind: Literal["correlation", "overlap", "bound"] = "correlation"
    symmetric: bool = True
    """Whether the two rankings can be swapped; otherwise the first is the truth."""

    def __call__(self, a: Any, b: Any, *, p: float = DEFAULT_P) -> float:
        """Return the coefficient of two rankings, mappings ``{id: score}`` or columns of scores; NaN if undefined."""
        return self.of_pair(Pair.of(a, b, same_items=self.kind == "correlation"), p=p)

    def of_pair(self, pair: Pair, *, p: float = DEFAULT_P) -> float:
        """Return the coefficient of a pair of rankings."""
        if not (len(pair.a) and len(pair.b)):
            return float("nan")  # completed with the other one, an empty ranking would agree with anything
        if self.kind != "correlation":
            return float(self.target(pair.a, pair.b, p))
        return float(self.target(*pair.values)) if pair.num_items > 1 else float("nan")

    @property
    def bounds(self) -> tuple[float, float]:
        """Smallest and largest possible value."""
        return (-1.0, 1.0) if self.kind == "correlation" else (0.0, 1.0)

    @property
    def declared(self) -> Mapping[str, str]:
        low, high = self.bounds
        order = "irrelevant" if self.symmetric else "the first is the truth"
        return {"Range": f"{low:g} to {high:g}", "Order of rankings": order}


COEFFICIENTS = Catalogue(
    "coefficient",
    Coefficient,
    Coefficient,
    ["germane.stats.rankings.rank_correlation", "germane.stats.rankings.rank_overlap"],
    example="tau-b",
)


def asked_coefficients(names: str | Iterable[str]) -> list[Coefficient]:
    """Return the requested coefficients without duplicates; names may be separated by spaces or commas.

    >>> [entry.name for entry in asked_coefficients(["tau-b, spearman", "TAU-B"])]
    ['tau-b', 'spearman']
    """
    given = [names] if isinstance(names, str) else names
    words = [word for text in given for word in re.split(r"[\s,]+", text) if word]
    if not words:
        raise GermaneError("expected at least one coefficient, found none", hint="for example tau-b")
    return list(dict.fromkeys(COEFFICIENTS.parse(word) for word in words))
