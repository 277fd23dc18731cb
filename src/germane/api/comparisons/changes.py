"""Changes between two systems, query by query: the largest gains and losses, and the documents behind them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import inf

import numpy as np

from germane.api.inputs import require_inputs
from germane.api.reports.queries import QueryRankings
from germane.api.reports.rankings import RetrievalNumbers, retrieval_numbers
from germane.stats.significance.effects import differences, gained_and_lost_most
from germane.tables.results.comparison import SystemComparison

DEFAULT_DEPTH = 10
"""Ranks compared when the measure has no cutoff."""


@dataclass(frozen=True)
class MovedDocument:
    """A document with its ranks before and after.

    A rank is None where the document is below the depth compared or, if `relevant`, was not retrieved. `grade` is None
    where the document is unjudged.
    """

    document: str
    grade: float | None
    before: int | None
    after: int | None

    @property
    def relevant(self) -> bool:
        return self.grade is not None and self.grade > 0


@dataclass(frozen=True)
class QueryChange:
    """One query: its values, the documents that moved, and the lengths of both rankings down to the depth compared.

    `moved` holds the documents that entered or left the top, the relevant ones that moved within it, and those within
    it that passed such a relevant one or were passed by it.
    """

    query: str
    before: float
    after: float
    moved: tuple[MovedDocument, ...]
    lengths: tuple[int, int]


@dataclass(frozen=True)
class Changes:
    """Differences between `new` and `base` by one measure, with the documents down to `depth`.

    `better` and `worse` hold the queries that changed, the largest change first; `unjudged` the unjudged documents that
    only the new system has in its top, as (query, document, rank), the highest ranks first.
    """

    base: str
    new: str
    measure: str
    depth: int
    better: tuple[QueryChange, ...]
    worse: tuple[QueryChange, ...]
    num_same: int
    unjudged: tuple[tuple[str, str, int], ...]


def changes_by_query(comparison: SystemComparison) -> list[Changes]:
    """Return how each system differs from the baseline, by the comparison's first measure.

    Judgments and runs are read again from the inputs of the comparison.

    >>> from germane.api.comparisons.comparison import compare
    >>> qrels = {"q1": {"d1": 1}, "q2": {"d1": 1}}
    >>> runs = {"old": {"q1": {"d1": 1.0}, "q2": {"d1": 1.0}}, "new": {"q1": {"d2": 1.0}, "q2": {"d1": 1.0}}}
    >>> [change] = changes_by_query(compare(qrels, runs, "P@1"))
    >>> change.worse[0].moved[1]
    MovedDocument(document='d2', grade=None, before=None, after=1)
    """
    base, measure = comparison.base, comparison.scores.measures[0]
    require_inputs(comparison.scores)
    depth = measure.at if isinstance(measure.at, int) else DEFAULT_DEPTH  # a recall level is not a cutoff
    numbers = retrieval_numbers(comparison, {"depth": depth})
    others = [pair.b for pair in comparison.pairs if pair.measure == str(measure) and not pair.slice]
    return [_changes(numbers, comparison, base, other, depth) for other in others]


def _changes(numbers: RetrievalNumbers, comparison: SystemComparison, base: str, new: str, depth: int) -> Changes:
    scores = comparison.scores
    a, b = scores.run_index(base), scores.run_index(new)
    asked = np.flatnonzero(scores.scored[a])  # the same for all systems: `compare` requires it
    before, after = scores.values[a, 0, asked], scores.values[b, 0, asked]
    difference = differences(after, before)
    lower = scores.lower_is_better(scores.measures[0])
    up, down = gained_and_lost_most(-difference if lower else difference, len(asked))
    rankings = dict(zip(numbers.scores.queries, numbers.rankings, strict=True))

    def changed(places: Sequence[int]) -> tuple[QueryChange, ...]:
        found = []
        for i in places:
            name = scores.queries[int(asked[i])]
            top = rankings[name].top
            moved = tuple(_moved(rankings[name], a, b))
            found.append(QueryChange(name, float(before[i]), float(after[i]), moved, (len(top[a]), len(top[b]))))
        return tuple(found)

    better, worse, same = changed(up.tolist()), changed(down.tolist()), int(np.count_nonzero(difference == 0))
    unjudged = sorted(_unjudged(rankings, a, b), key=lambda found: (found[2], found[0].encode(), found[1].encode()))
    return Changes(base, new, str(scores.measures[0]), depth, better, worse, same, tuple(unjudged))


def _moved(rankings: QueryRankings, a: int, b: int) -> Iterator[MovedDocument]:
    """Yield the documents whose change of rank may matter, by the better of both ranks."""
    ranks = [_ranks(rankings, run) for run in (a, b)]
    tops = [set(rankings.top[run]) for run in (a, b)]
    found: list[tuple[int, MovedDocument]] = []
    others: list[tuple[int, MovedDocument]] = []
    for place, (document, grade) in enumerate(zip(rankings.documents, rankings.grades, strict=True)):
        before, after = (by_place.get(place) for by_place in ranks)
        crossed = (place in tops[0]) != (place in tops[1])
        moved = MovedDocument(document, None if grade is None or grade < 0 else grade, before, after)
        if crossed or (place in tops[0] and before != after):
            (found if crossed or moved.relevant else others).append((place, moved))
    relevant = [moved for _, moved in found if moved.relevant]
    found += [(place, other) for place, other in others if any(_passed(other, moved) for moved in relevant)]
    return (moved for _, moved in sorted(found, key=lambda each: (min(_places(each[1])), each[0])))


def _passed(one: MovedDocument, other: MovedDocument) -> bool:
    """Whether two documents changed their order."""
    (before, after), (other_before, other_after) = _places(one), _places(other)
    return (before < other_before) != (after < other_after)


def _places(moved: MovedDocument) -> tuple[float, float]:
    """Return both ranks, infinite where the document was not retrieved."""
    before, after = (inf if rank is None else rank for rank in (moved.before, moved.after))
    return before, after


def _ranks(rankings: QueryRankings, run: int) -> dict[int, int]:
    return {place: rank for rank, place in enumerate(rankings.top[run], start=1)} | dict(rankings.beyond[run])


def _unjudged(rankings: dict[str, QueryRankings], a: int, b: int) -> Iterator[tuple[str, str, int]]:
    for query, each in rankings.items():
        known = set(each.top[a])
        for rank, place in enumerate(each.top[b], start=1):
            grade = each.grades[place]
            if place not in known and (grade is None or grade < 0):
                yield query, each.documents[place], rank
