"""Gains of a run and of the ideal ranking, with a gain for each grade, such as -m ndcg.1=3,2=9.

trec_eval sorts the grades by gain with a comparison that drops everything after the decimal point, walks down that
list for the ideal ranking, and stops at the first gain that is not positive.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from germane.measures.foreign_names import TrecVersion
from germane.measures.rankings.gain import divisors
from germane.tables.columns.ids import BoolArray, FloatArray, IntArray
from germane.tables.rankings.judged_run import PerQuery, sum_so_far
from germane.trec_eval.c_numbers import atol
from germane.trec_eval.evaluation import Evaluation

Pairs = tuple[tuple[bytes, float], ...]
"""Parameters such as ``1=3,p=0.5``: names with a number each."""
UNJUDGED, UNLISTED = -2, -1
"""Levels of documents without a grade, for which gains can be given too."""


class LevelGain(NamedTuple):
    """A grade, its gain, and the number of judgments of the topic with this grade."""

    level: int
    gain: float
    num_judged: int


class TopicGains(NamedTuple):
    """What the parameters make of the grades of a topic; topics with equal counts of each grade share one."""

    ideal: list[float]
    """Gains of the ideal ranking."""
    by_level: list[float]
    """Gains of unjudged documents, of unlisted ones, and of grades 0, 1, 2, ..."""
    lowest: float
    highest: float


@dataclass(frozen=True, eq=False)
class Walk:
    """Gains of all topics, by topic and rank: of the run, and of the ideal ranking.

    The run has a row for each listed document or, if unlisted ones have gains or sums depend on the order, for each
    rank.
    """

    num_retrieved: IntArray
    topic: IntArray
    rank: IntArray
    gain: FloatArray
    num_ideal: IntArray
    ideal: FloatArray

    @cached_property
    def place(self) -> IntArray:
        """Position of each row within its topic, from 1."""
        return _places(np.bincount(self.topic, minlength=self.num_topics))

    @property
    def num_topics(self) -> int:
        return len(self.num_retrieved)

    @cached_property
    def ideal_start(self) -> IntArray:
        """Where the ideal ranking of each topic starts, and the last one ends."""
        return np.concatenate(([0], np.cumsum(self.num_ideal)))

    @cached_property
    def ideal_topic(self) -> IntArray:
        return np.repeat(np.arange(self.num_topics), self.num_ideal)

    @cached_property
    def ideal_place(self) -> IntArray:
        return _places(self.num_ideal)

    @cached_property
    def reached(self) -> FloatArray:
        """Discounted cumulated gain of the run at each row."""
        return sum_so_far(_discounted(self.gain, self.rank), self.place)

    @cached_property
    def ideal_reached(self) -> FloatArray:
        """Discounted cumulated gain of the ideal ranking at each place."""
        return sum_so_far(_discounted(self.ideal, self.ideal_place), self.ideal_place)

    @cached_property
    def end(self) -> PerQuery:
        """Discounted cumulated gain of the whole run."""
        sizes = np.bincount(self.topic, minlength=self.num_topics)
        return values_at(self.reached, np.cumsum(sizes) - 1, sizes > 0)

    @cached_property
    def ideal_end(self) -> PerQuery:
        """Discounted cumulated gain of the whole ideal ranking."""
        return values_at(self.ideal_reached, self.ideal_start[1:] - 1, self.num_ideal > 0)


def _places(sizes: IntArray) -> IntArray:
    """Count 1, 2, ... within each topic."""
    return np.arange(int(sizes.sum())) - np.repeat(np.cumsum(sizes) - sizes, sizes) + 1


def values_at(values: FloatArray, index: IntArray, exists: BoolArray) -> FloatArray:
    """Look up values, 0 where there is none."""
    found = np.zeros(len(index))
    found[exists] = values[index[exists]]
    return found


def _discounted(gain: FloatArray, rank: IntArray) -> FloatArray:
    return np.asarray(gain / divisors("log2", 2, int(rank.max(initial=1)))[rank - 1])


def gains_by_level(pairs: Pairs, num_at_level: list[int], version: TrecVersion) -> list[LevelGain]:
    """Return the gain of each grade, in the order that trec_eval sorts as ascending.

    >>> [(level, gain) for level, gain, _ in gains_by_level(((b"1", 0.9), (b"2", 0.3)), [5, 1, 1], 10)]
    [(1, 0.9), (2, 0.3), (0, 0.0)]
    """
    # Version 10 reads rbp's p from the same list, and therefore skips names that are not integers.
    given = [(atol(name), gain) for name, gain in pairs if version == 9 or name.lstrip(b"+-").isdigit()]
    named = [level for level, _ in given]
    first_given = {level: named.index(level) for level in named}
    gains = [
        LevelGain(level, gain, num_at_level[level] if i == first_given[level] and 0 <= level < len(num_at_level) else 0)
        for i, (level, gain) in enumerate(given)
    ]
    gains += [LevelGain(i, float(i), count) for i, count in enumerate(num_at_level) if i not in first_given]
    return _merge_sorted(gains)


def _merge_sorted(gains: list[LevelGain]) -> list[LevelGain]:
    """Sort with the merge sort of the C library: trec_eval's comparison is not an order, so the steps matter."""
    if len(gains) < 2:
        return gains
    left, right = _merge_sorted(gains[: len(gains) // 2]), _merge_sorted(gains[len(gains) // 2 :])
    merged = []
    while left and right:
        # Truncated to an integer, a difference below 1 is not above 0.
        merged.append((left if left[0].gain - right[0].gain < 1 else right).pop(0))
    return merged + left + right


def _topic_gains(pairs: Pairs, num_at_level: list[int], version: TrecVersion) -> TopicGains:
    gains = gains_by_level(pairs, num_at_level, version)
    worth = {level: gain for level, gain, _ in reversed(gains)}
    ideal: list[float] = []
    if gains and gains[-1].gain > 0:
        for level_gain in reversed(gains):
            if level_gain.num_judged and level_gain.gain <= 0:
                break
            ideal += [level_gain.gain] * level_gain.num_judged
    all_gains = [0.0, *(level_gain.gain for level_gain in gains)]
    levels = (UNJUDGED, UNLISTED, *range(len(num_at_level)))
    return TopicGains(ideal, [worth.get(level, 0.0) for level in levels], min(all_gains), max(all_gains))


def gains_of_topics(evaluation: Evaluation, pairs: Pairs) -> tuple[list[TopicGains], IntArray]:
    """Return the different gains, and which of them each topic has."""
    qrels = evaluation.run.qrels
    numbers: dict[tuple[int, ...], int] = {}
    number = []
    for start, end in pairwise(qrels.start.tolist()):
        grade = qrels.grade[start:end]
        counts = np.bincount(grade[grade >= 0].astype(np.int64))
        number.append(numbers.setdefault(tuple(counts.tolist()), len(numbers)))
    found = [_topic_gains(pairs, list(counts), evaluation.options.version) for counts in numbers]
    return found, np.asarray(number, dtype=np.int64)


def gains_at(found: list[TopicGains], number: IntArray, level: IntArray) -> FloatArray:
    """Return the gain of each level, in the topic with the gains of this number."""
    table = np.asarray([gain for gains in found for gain in gains.by_level], dtype=np.float64)
    start = np.cumsum([0, *(len(gains.by_level) for gains in found)])
    return table[start[number] + level - UNJUDGED]


def _few_rows_suffice(gains: TopicGains) -> bool:
    """Return whether unlisted documents have no gain, and sums of gains are exact in any order."""
    exact = all(gain.is_integer() and abs(gain) < 1 << 32 for gain in (*gains.by_level, *gains.ideal))
    return exact and gains.by_level[UNLISTED - UNJUDGED] == 0


@lru_cache(maxsize=1)
def walk(evaluation: Evaluation, pairs: Pairs) -> Walk:
    """Return the gains of all topics."""
    run = evaluation.run
    found, number = gains_of_topics(evaluation, pairs)
    ideals = [np.asarray(gains.ideal, dtype=np.float64) for gains in found]
    num_ideal = np.asarray([len(ideals[i]) for i in number.tolist()], dtype=np.int64)
    ideal = np.concatenate([np.zeros(0), *(ideals[i] for i in number.tolist())])
    topic, rank = run.query, run.rank
    level = np.where(run.grade < 0, UNJUDGED, run.grade).astype(np.int64)
    if not all(map(_few_rows_suffice, found)):
        topic, rank = np.repeat(np.arange(run.num_queries), run.num_retrieved), _places(run.num_retrieved)
        all_levels = np.full(len(rank), UNLISTED)
        all_levels[(np.cumsum(run.num_retrieved) - run.num_retrieved)[run.query] + run.rank - 1] = level
        level = all_levels
    return Walk(run.num_retrieved, topic, rank, gains_at(found, number[topic], level), num_ideal, ideal)
