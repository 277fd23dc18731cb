"""Rankings with ties, and pairs of rankings made comparable."""

from __future__ import annotations

import re
from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from germane.errors import InputError
from germane.tables.columns.aligned_columns import aligned_columns, require_same_ids
from germane.tables.columns.ids import FloatArray, IntArray
from germane.tables.columns.one_column import as_list, number_column, one_column
from germane.tables.decisions.labels import is_hashable

Item = Hashable


@dataclass(frozen=True, eq=False)
class Ranking:
    """Items, best first; `first` and `last` are the first and last rank, from 1, of each item's tie group.

    >>> Ranking.parse("red (blue green) pink").first
    array([1, 2, 2, 4])
    """

    ids: tuple[Item, ...]
    first: IntArray
    last: IntArray

    @classmethod
    def of(cls, groups: Iterable[Item | Collection[Item]], *, source: str = "ranking") -> Ranking:
        """Build a ranking from items in order; a set, frozenset, list or tuple among them contains tied items."""
        tied = [tuple(group) if isinstance(group, set | frozenset | list | tuple) else (group,) for group in groups]
        for item in (item for group in tied for item in group):
            if not is_hashable(item) or item is None:
                raise InputError(source, None, f"expected ids (text or numbers), found {item!r}")
        return cls._of_sizes([item for group in tied for item in group], [len(group) for group in tied], source)

    @classmethod
    def parse(cls, text: str) -> Ranking:
        """Parse items separated by spaces, with parentheses around tied ones: ``red (blue green) pink``."""
        found = re.findall(r"\(([^)]*)\)|(\S+)", text)
        return cls.of(tuple(tied.split()) if tied else single for tied, single in found)

    @classmethod
    def from_scores(
        cls,
        ids: Sequence[Item],
        scores: Sequence[float] | FloatArray,
        *,
        source: str = "scores",
        tolerance: float = 0.0,
    ) -> Ranking:
        """Build a ranking from scores, highest first; equal scores, or neighbours within the tolerance, are ties.

        >>> Ranking.from_scores(["a", "b", "c"], [1.0, 3.0, 1.0])
        <Ranking: b (a c)>
        """
        values = number_column(scores, "score", source)
        if len(ids) != len(values):
            raise InputError(source, None, f"expected {len(ids)} scores (one per item), found {len(values)}")
        if np.isnan(values).any():
            where = ids[int(np.flatnonzero(np.isnan(values))[0])]
            raise InputError(source, None, f"expected a number for {where!r}, found NaN", hint="remove the item first")
        order = np.argsort(-values, kind="stable")
        ordered = values[order]
        above, below = ordered[:-1], ordered[1:]
        apart = above - below > tolerance * np.maximum(np.abs(above), np.abs(below)) if tolerance else above != below
        starts = np.flatnonzero(np.concatenate(([len(ordered) > 0], apart)))
        sizes = np.diff(np.append(starts, len(ordered)))
        return cls._of_sizes([ids[i] for i in order.tolist()], sizes, source)

    @classmethod
    def _of_sizes(cls, ids: Sequence[Item], sizes: Sequence[int] | IntArray, source: str) -> Ranking:
        if len(set(ids)) < len(ids):
            seen: set[Item] = set()
            twice = next(item for item in ids if item in seen or seen.add(item))  # type: ignore[func-returns-value]
            raise InputError(source, None, f"duplicate item {twice!r}")
        last = np.cumsum(np.asarray(sizes, dtype=np.int64))
        first = last - np.asarray(sizes, dtype=np.int64) + 1
        return cls(tuple(ids), np.repeat(first, sizes), np.repeat(last, sizes))

    def __len__(self) -> int:
        return len(self.ids)

    def __repr__(self) -> str:
        groups = (" ".join(map(str, group)) for group in self.groups)
        return f"<Ranking: {' '.join(f'({group})' if ' ' in group else group for group in groups)}>"

    @property
    def groups(self) -> list[tuple[Item, ...]]:
        """The items in order, tied items grouped."""
        return [self.ids[first - 1 : last] for first, last in sorted({*zip(self.first, self.last, strict=True)})]

    @property
    def tied(self) -> bool:
        """Whether any items are tied."""
        return bool((self.first < self.last).any())

    def top(self, depth: int | None) -> Ranking:
        """Return the first `depth` items and those tied with the last of them, so that cutting breaks no tie.

        >>> Ranking.parse("a (b c) d").top(2)
        <Ranking: a (b c)>
        """
        if depth is None:
            return self
        kept = int(np.count_nonzero(self.first <= depth))
        return Ranking(self.ids[:kept], self.first[:kept], self.last[:kept])

    def keep(self, items: Collection[Item]) -> Ranking:
        """Return the ranking restricted to these items."""
        kept = np.fromiter((item in items for item in self.ids), dtype=bool, count=len(self))
        _, sizes = np.unique(self.first[kept], return_counts=True)
        return Ranking._of_sizes([item for item, stays in zip(self.ids, kept, strict=True) if stays], sizes, "ranking")


def as_ranking(given: Any, *, source: str = "ranking") -> Ranking:
    """Convert items in order to a ranking; a ranking is returned as it is."""
    return given if isinstance(given, Ranking) else Ranking.of(given, source=source)


def complete(ranking: Any, other: Any) -> Ranking:
    """Append the items that only the other ranking has to the end of the first, in their order and with their ties.

    This is the rule of lecture 003 for documents missing from a list.

    >>> complete(["a", "b"], ["c", "b", "d"])
    <Ranking: a b c d>
    """
    ours, theirs = as_ranking(ranking), as_ranking(other)
    missing = theirs.keep(set(theirs.ids) - set(ours.ids))
    first = np.concatenate((ours.first, missing.first + len(ours)))
    return Ranking(ours.ids + missing.ids, first, np.concatenate((ours.last, missing.last + len(ours))))


@dataclass(frozen=True, eq=False)
class Pair:
    """Two rankings to compare."""

    a: Ranking
    b: Ranking

    @classmethod
    def of(cls, a: Any, b: Any, *, same_items: bool = True) -> Pair:
        """Build a pair from two rankings or lists of ids, two mappings ``{id: score}``, or two columns of scores.

        Two lists of numbers are the scores of the same items, in the same order. Mappings are aligned by id; with
        `same_items`, they must have the same ids.

        >>> Pair.of([0.1, 0.3, 0.2], [5, 5, 7])
        Pair(a=<Ranking: 1 2 0>, b=<Ranking: 2 (0 1)>)
        >>> Pair.of({"a": 1, "b": 2}, {"b": 2, "a": 1})
        Pair(a=<Ranking: b a>, b=<Ranking: b a>)
        """
        sides = {"first": a, "second": b}
        by_id = [isinstance(side, Mapping) for side in sides.values()]
        if all(by_id):
            if same_items:
                require_same_ids(a, b, ("the first scores", "the second scores"), "rankings")
            one, other = (_from_mapping(side, f"{name} scores") for name, side in sides.items())
            return cls(one, other)
        if not any(by_id) and any(isinstance(side, Ranking) for side in sides.values()):
            return cls(*(as_ranking(_items(side, name), source=f"{name} ranking") for name, side in sides.items()))
        aligned = aligned_columns(sides, "rankings")
        columns = {name: _items(aligned[name], name) for name in sides}
        if not all(isinstance(value, int | float | np.number) for column in columns.values() for value in column):
            return cls(*(as_ranking(column, source=f"{name} ranking") for name, column in columns.items()))
        items, (a, b) = range(len(columns["first"])), columns.values()
        if len(a) != len(b):
            raise InputError("scores", None, f"expected score lists of equal length, found {len(a)} and {len(b)}")
        return cls(*(Ranking.from_scores(items, column, source=f"{name} scores") for name, column in columns.items()))

    @property
    def in_common(self) -> int:
        """Number of items in both rankings."""
        return len(set(self.a.ids) & set(self.b.ids))

    @property
    def num_items(self) -> int:
        """Number of items in either ranking."""
        return len(self.a) + len(self.b) - self.in_common

    @cached_property
    def values(self) -> tuple[FloatArray, FloatArray]:
        """A value for each item in each ranking, higher is better; items missing from one are at its end."""
        a, b = complete(self.a, self.b), complete(self.b, self.a)
        place = {item: i for i, item in enumerate(b.ids)}
        order = np.fromiter((place[item] for item in a.ids), dtype=np.int64, count=len(a))
        return -a.first.astype(np.float64), -b.first[order].astype(np.float64)


def _items(given: Any, name: str) -> Any:
    """Return a ranking as it is, or a column of scores or ordered ids as a list."""
    if isinstance(given, Ranking):
        return given
    return as_list(one_column(given, f"{name} ranking", "rankings"))


def _from_mapping(scores: Mapping[Any, Any], source: str) -> Ranking:
    return Ranking.from_scores([*scores], number_column([*scores.values()], "score", source), source=source)
