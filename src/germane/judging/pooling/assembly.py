"""Turn a pooling method into a pool: its documents, the strata of its sample, and distractors."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from germane.errors import GermaneError
from germane.judging.pooling.lists import Draws, TopicLists
from germane.judging.pooling.method import Method
from germane.judging.pooling.queue import Queue, SampledOrder, replay
from germane.tables.truth.pool import PoolItem

Grades = Mapping[str, Mapping[str, float]]
"""The grade of each judged document, by topic."""


def with_budget(method: Method, budget: int | None) -> Method:
    """Return the method with the budget as its sample size if it samples the collection; others stop at the budget."""
    if budget is None or not method.needs_collection:
        return method
    sized: Method = method.choose(size=budget)
    return sized


def topic_items(
    method: Method, lists: TopicLists, seed: int, budget: int | None, grades: Mapping[str, float] | None, rel: float
) -> tuple[list[PoolItem], list[PoolItem]]:
    """Choose documents of one topic to judge; the rest of the pool was not sampled.

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
    """Whether each document of a queue is relevant; unjudged ones are not."""
    return [grades.get(doc, -1.0) >= rel for doc in queue.docs]


def sampled_items(topic: str, queue: SampledOrder, size: int) -> tuple[list[PoolItem], list[PoolItem]]:
    """Split a sample at its size; each document has its stratum and inclusion probability.

    Inclusion probability is the sampling fraction: drawn / documents in the stratum.
    """
    if size < len(queue.sizes):
        hint = "increase `budget=` or use fewer strata"
        raise GermaneError(f"a budget of {size} is too small to draw from {len(queue.sizes)} strata", hint=hint)
    drawn = queue.order[:size]
    counts = Counter(queue.stratum[doc] for doc in drawn)

    def item(doc: int) -> PoolItem:
        label = queue.stratum[doc]
        return PoolItem(topic, queue.docs[doc], label, counts[label] / queue.sizes[label])

    return list(map(item, drawn)), list(map(item, queue.order[size:])) if queue.listed else []


def known_not_relevant(topic: str, pooled: set[str], grades: Mapping[str, float], rel: float) -> list[str]:
    """Return documents judged non-relevant that are not in the pool."""
    return sorted(doc for doc, grade in grades.items() if 0 <= grade < rel and doc not in pooled)


def distractors(topic: str, candidates: Sequence[str], number: int, seed: int, source: str) -> list[PoolItem]:
    """Sample documents of one topic that are known to be non-relevant."""
    if len(candidates) < number:
        found = f"found {len(candidates)} for topic {topic!r}, in {source}"
        problem = f"expected {number} documents known to be non-relevant, {found}"
        raise GermaneError(problem, hint="reduce `distractors=`, or use qrels with more non-relevant documents")
    chosen = Draws(seed, f"{topic}\0distractors").sample(number, len(candidates))
    return [PoolItem(topic, candidates[place], kind="distractor") for place in chosen]
