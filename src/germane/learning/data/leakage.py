"""Detect leakage: ids, texts, queries or groups that occur on more than one side of a split.

>>> leaks = find_leaks({"train": ["q1", "q2"], "test": ["q3"]}, queries={"q1": "Red wine", "q2": "roses", "q3": "wine, red"})
>>> print(leaks[0])
duplicate query: 1 across train and test (q1 = q3)
"""  # noqa: E501

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from germane.arguments import checked
from germane.errors import GermaneError
from germane.learning.data.splits import Split

SHOWN = 3
_WORD = re.compile(r"\w+")


@dataclass(frozen=True)
class Leak:
    """Something that occurs on more than one side, or that gives the label away.

    `kind` is stable; `across` are the sides (or ``features``), and `examples` are the shared items.
    """

    kind: str
    across: tuple[str, ...]
    count: int
    examples: tuple[str, ...]

    def __str__(self) -> str:
        more = ", …" if self.count > len(self.examples) else ""
        return f"{self.kind}: {self.count} across {' and '.join(self.across)} ({', '.join(self.examples)}{more})"


@checked
def find_leaks(
    sides: Split | Mapping[str, Sequence[str]],
    *,
    texts: Mapping[str, str] | None = None,
    queries: Mapping[str, str] | None = None,
    groups: Mapping[str, Hashable] | None = None,
) -> list[Leak]:
    """Return what occurs on more than one side; an empty list if nothing does.

    `texts` are the texts of the ids: two are duplicates if their words are equal, in order, ignoring case, punctuation
    and the form of characters. `queries` are texts in which the order of words is ignored, too, as most models ignore
    it. `groups` are ids that belong together. Ids without a text or group are not checked; texts without any word are
    not compared.
    """
    by_side = dict(sides.sides if isinstance(sides, Split) else sides)
    if len(by_side) < 2:
        raise GermaneError(f"expected at least two sides, found {', '.join(by_side) or 'none'}")
    leaks = [*_shared("same id", by_side, lambda id_: id_)]
    if texts is not None:
        leaks += _shared("duplicate text", by_side, lambda id_: words_of(texts.get(id_, "")) or None)
    if queries is not None:
        leaks += _shared("duplicate query", by_side, lambda id_: tuple(sorted(words_of(queries.get(id_, "")))) or None)
    if groups is not None:
        leaks += _shared("group across sides", by_side, groups.get)
    return leaks


def words_of(text: str) -> tuple[str, ...]:
    """Return the words of a text for comparison with other texts.

    >>> words_of("Ｒed  WINE!") == words_of("red wine")
    True
    """
    return tuple(_WORD.findall(unicodedata.normalize("NFKC", text).casefold()))


def _shared(
    kind: str, by_side: Mapping[str, Sequence[str]], key_of: Callable[[str], Hashable | None]
) -> Iterator[Leak]:
    """Yield a leak for each pair of sides that share a key."""
    first: dict[str, dict[Hashable, str]] = {side: {} for side in by_side}
    for side, ids in by_side.items():
        for id_ in ids:
            if (key := key_of(id_)) is not None:
                first[side].setdefault(key, id_)
    for (one, ours), (other, theirs) in combinations(first.items(), 2):
        if common := [key for key in ours if key in theirs]:
            pairs = [
                (str(key),) if kind == "group across sides" else (ours[key], theirs[key]) for key in common[:SHOWN]
            ]
            yield Leak(kind, (one, other), len(common), tuple(" = ".join(dict.fromkeys(pair)) for pair in pairs))
