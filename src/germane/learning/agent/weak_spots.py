"""Weak spots of an agent in words, from its past decisions: by query length, by P(R|d), and by query."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from germane.learning.agent.knowledge.experience import RANGES, Experience, cells_of
from germane.stats.intervals.proportions import newcombe_difference, wilson
from germane.tables.decisions.confusion import Cells

NUM_GROUPS = 3
"""Number of groups of queries by length, as equal in size as lengths allow."""
SHOWN_QUERIES = 5
MOST_SHOWN = 60
"""Maximum number of characters of a query shown."""


@dataclass(frozen=True)
class WeakSpot:
    """One weak spot: its kind (length, probability, query), where, which rate, its value and that elsewhere."""

    kind: str
    where: str
    rate: str
    value: float
    elsewhere: float
    description: str


def weak_spots(experience: Experience) -> tuple[WeakSpot, ...]:
    """Return groups of queries and ranges of P(R|d) that are significantly worse than the rest, and the worst queries.

    Worse: Newcombe's 95% interval of the difference to all other queries excludes 0; for P(R|d): its mean is outside
    Wilson's 95% interval of the observed share. Documents are pooled over queries, as if independent.
    """
    return (*_lengths(experience), *_ranges(experience), *_queries(experience))


def _lengths(experience: Experience) -> Iterator[WeakSpot]:
    records = list(experience.queries.values())
    groups = length_groups([record.length for record in records])
    if len(groups) < 2:  # all queries have the same length
        return
    for low, high in groups:
        here = cells_of(record for record in records if low <= record.length <= high)
        there = cells_of(record for record in records if not low <= record.length <= high)
        name = f"{low} terms" if low == high else f"{low} to {high} terms"
        name = "1 term" if low == high == 1 else name
        for rate, sentence, n, m in (
            ("TPR", "{} of the relevant documents are returned", here.TP + here.FN, there.TP + there.FN),
            ("PPV", "{} of the returned documents are relevant", here.TP + here.FP, there.TP + there.FP),
        ):
            x, y = here.TP, there.TP
            if n and m and newcombe_difference((x, n), (y, m))[1] < 0:
                text = f"queries of {name}: {sentence.format(_share(x, n))}, elsewhere {y / m:.0%}"
                yield WeakSpot("length", name, rate, x / n, y / m, text)


def _ranges(experience: Experience) -> Iterator[WeakSpot]:
    counts = (experience.num_documents, experience.num_relevant, experience.sum_of_probabilities)
    for (low, high), count, relevant, total in zip(pairwise(RANGES), *counts, strict=True):
        if not count:
            continue
        predicted = total / count
        least, most = (float(end) for end in wilson(relevant, count))
        if not least <= predicted <= most:
            too = "too high" if predicted > most else "too low"
            where = f"P(R|d) from {low:g} to {high:g}"
            text = f"{where} is {too}: mean {predicted:.1%}, observed {_share(relevant, count, 1)} relevant"
            yield WeakSpot("probability", where, "P(R|d)", relevant / count, predicted, text)


def _queries(experience: Experience) -> Iterator[WeakSpot]:
    wrong = [record for record in experience.queries.values() if record.FP + record.FN]
    total = cells_of(experience.queries.values())
    for record in sorted(wrong, key=lambda record: (_f1(record.cells), -record.FN - record.FP))[:SHOWN_QUERIES]:
        shown = record.query if len(record.query) <= MOST_SHOWN else record.query[: MOST_SHOWN - 1] + "…"
        relevant = f"{record.TP} of {record.TP + record.FN} relevant documents returned"
        text = f"{shown!r}: {relevant}, and {record.FP} non-relevant"
        yield WeakSpot("query", record.query, "F1", _f1(record.cells), _f1(total), text)


def length_groups(lengths: Sequence[int]) -> list[tuple[int, int]]:
    """Return ranges of lengths with about equally many queries, shortest first.

    >>> length_groups([1, 2, 2, 3, 5, 9])
    [(1, 2), (3, 3), (5, 9)]
    """
    if not lengths:
        return []
    ordered = np.sort(np.asarray(lengths))
    places = {len(ordered) * group // NUM_GROUPS - 1 for group in range(1, NUM_GROUPS + 1)}
    ends = ordered[sorted(place for place in places if place >= 0)]
    groups, first = [], int(ordered[0])
    for end in np.unique(ends).tolist():
        inside = ordered[(ordered >= first) & (ordered <= end)]
        groups.append((int(inside[0]), int(inside[-1])))
        above = ordered[ordered > end]
        first = int(above[0]) if len(above) else first
    return groups


def _f1(cells: Cells) -> float:
    return 2 * cells.TP / (2 * cells.TP + cells.FP + cells.FN) if cells.TP else 0.0


def _share(x: int, n: int, digits: int = 0) -> str:
    low, high = (float(end) for end in wilson(x, n))
    return f"{x / n:.{digits}%} [{low:.{digits}%}, {high:.{digits}%}]"
