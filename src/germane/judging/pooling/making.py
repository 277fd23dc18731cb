"""From a method to a pool: whom the queue asks for, which strata its sample has, and what is put in besides."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence

import numpy as np

from germane.errors import GermaneError
from germane.judging.pooling.lists import Draws, TopicLists
from germane.judging.pooling.queue import Queue, SampledOrder, replay
from germane.judging.pooling.registry import Method
from germane.tables.pool import Pool, PoolItem
from germane.tables.qrels import ONLY_STRATUM, Qrels

Grades = Mapping[str, Mapping[str, float]]
"""The grade of each judged document, by topic."""


def with_budget(method: Method, budget: int | None) -> Method:
    """A method that draws from the collection must know how much to draw; the others are cut where the budget ends."""
    return method if budget is None or not method.needs_collection else method.with_parameters(size=budget)


def topic_items(
    method: Method, lists: TopicLists, seed: int, budget: int | None, grades: Mapping[str, float] | None, rel: float
) -> tuple[list[PoolItem], list[PoolItem]]:
    """What of one topic is to be judged, and what was pooled and not drawn.

    An adaptive method without judgments to ask pools everything that it may come to ask for.
    """
    queue = with_budget(method, budget).start(lists, Draws(seed, lists.topic))
    if isinstance(queue, SampledOrder):
        return sampled_items(lists.topic, queue, queue.drawn if budget is None else budget)
    if method.kind == "adaptive" and grades is None:
        chosen: Sequence[int] = [doc for doc, runs in enumerate(lists.holders) if runs]
    else:
        chosen = replay(queue, relevance(queue, grades or {}, rel), len(queue.docs) if budget is None else budget)
    return [PoolItem(lists.topic, queue.docs[doc]) for doc in chosen], []


def relevance(queue: Queue, grades: Mapping[str, float], rel: float) -> list[bool]:
    """Whether each document of a queue is relevant; what nobody judged is not."""
    return [grades.get(doc, -1.0) >= rel for doc in queue.docs]


def sampled_items(topic: str, queue: SampledOrder, size: int) -> tuple[list[PoolItem], list[PoolItem]]:
    """The first so many documents of a sample, and the rest, each with its stratum and the chance it had.

    Inclusion probability is the sampling fraction: drawn / documents in the stratum.
    """
    if size < len(queue.sizes):
        hint = "raise the budget, or have fewer strata"
        raise GermaneError(f"a budget of {size} is too small to draw from {len(queue.sizes)} strata", hint=hint)
    drawn = queue.order[:size]
    counts = Counter(queue.stratum[doc] for doc in drawn)

    def item(doc: int) -> PoolItem:
        label = queue.stratum[doc]
        return PoolItem(topic, queue.docs[doc], label, counts[label] / queue.sizes[label])

    return list(map(item, drawn)), list(map(item, queue.order[size:])) if queue.listed else []


def known_not_relevant(topic: str, pooled: set[str], grades: Mapping[str, float], rel: float) -> list[str]:
    """Documents that were judged, and not relevant, and are not in the pool."""
    return sorted(doc for doc, grade in grades.items() if 0 <= grade < rel and doc not in pooled)


def distractors(topic: str, candidates: Sequence[str], number: int, seed: int, source: str) -> list[PoolItem]:
    """So many random documents that are known not to be relevant, for one topic."""
    if len(candidates) < number:
        found = f"found {len(candidates)} for topic {topic!r}, in {source}"
        raise GermaneError(
            f"expected {number} documents known not to be relevant, {found}",
            hint="ask for fewer, or take them from elsewhere",
        )
    chosen = Draws(seed, f"{topic}\0distractors").sample(number, len(candidates))
    return [PoolItem(topic, candidates[place], kind="distractor") for place in chosen]


def judged_pool(pool: Pool, grade: Callable[[str, str], float | None], *, name: str = "qrels") -> Qrels:
    """The judgments of a pool as qrels that estimates can use.

    `grade` gives the grade of a topic's document, None where nobody judged it: that is written as -1, as is what was
    pooled and not drawn. Distractors, calibration items and repeats stay out.

    >>> pool = Pool.of([PoolItem("q1", "d1", "1-10")], "stratified", unsampled=[PoolItem("q1", "d2", "11-100", 0.2)])
    >>> judged_pool(pool, lambda topic, doc: 1.0).grade
    array([ 1., -1.])
    """
    ordinary = [item for item in pool.items if item.kind == "ordinary"]
    rows = [*ordinary, *pool.unsampled]
    grades = [grade(item.topic, item.doc) for item in ordinary] + [None] * len(pool.unsampled)
    sampled = any(item.stratum or item.inclusion < 1 for item in rows)
    return Qrels.from_columns(
        [item.topic for item in rows],
        [item.doc for item in rows],
        np.asarray([-1.0 if value is None else value for value in grades]),
        stratum=[item.stratum or ONLY_STRATUM for item in rows] if sampled else None,
        inclusion=[item.inclusion for item in rows] if sampled else None,
        name=name,
    )
