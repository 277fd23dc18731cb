"""Bootstrap intervals of measures of agreement: topics are resampled and, within each topic drawn, its items.

Assessors differ about topics as much as about documents, so that items of one topic are not independent: resampling
items alone would promise too much. Fewer than `FEW_TOPICS` topics are too few to resample: the items are resampled,
whatever their topic. (Within topics they would vary too little where a topic has few items: of 7 topics with 2 items
each, 95% intervals covered 86% of the time, and 99% with all items together; of 5 with 20, 93% and 95%.)
`tests/stats/agreement_coverage.py` measures how often the intervals cover.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from germane.errors import GermaneError
from germane.measures.agreement.measure import AgreementMeasure, values_of
from germane.measures.agreement.tally import Patterns
from germane.stats.intervals.bootstrap_ends import bootstrap_ends, tails_of
from germane.stats.intervals.resampling import require_draws
from germane.tables.columns.ids import FloatArray, IntArray

BLOCK = 1 << 21
"""Weights in a block of resamples: 16 MB."""

FEW_TOPICS = 8
"""Below this number of topics, documents are resampled, and topics are not."""


@dataclass(frozen=True)
class AgreementInterval:
    """The ends of an interval or the reason why there is none; `undefined` resamples are left out."""

    low: float
    high: float
    undefined: int = 0
    reason: str | None = None


def agreement_intervals(
    patterns: Patterns,
    topic_of_item: IntArray,
    measures: Sequence[AgreementMeasure],
    *,
    resamples: int = 1000,
    level: float = 0.95,
    seed: int = 0,
) -> list[AgreementInterval]:
    """Return a percentile interval for each measure, all from the same resamples.

    `topic_of_item` numbers the topics from 0. A measure has no interval where all resamples give the same value, or
    where its value is not among the middle ones.
    """
    require_draws(resamples, 100)
    if not 0 < level < 1:
        raise GermaneError(f"expected a level between 0 and 1, found {level:g}")
    values = np.full((len(measures), resamples), np.nan)
    for begin, weights in resampled_weights(patterns, topic_of_item, resamples, seed):
        values[:, begin : begin + len(weights)] = values_of(measures, patterns, weights)
    points = [float(value) for value in values_of(measures, patterns)]
    return [_interval(point, row, level) for point, row in zip(points, values, strict=True)]


def _interval(point: float, drawn: FloatArray, level: float) -> AgreementInterval:
    known = drawn[~np.isnan(drawn)]
    undefined = len(drawn) - len(known)
    if math.isnan(point) or not len(known):
        return AgreementInterval(math.nan, math.nan, undefined)
    low, high, obstacle = bootstrap_ends(point, known, tails_of(level))
    return AgreementInterval(low, high, undefined, obstacle or None)


def resampled_weights(
    patterns: Patterns, topic_of_item: IntArray, resamples: int, seed: int
) -> Iterator[tuple[int, FloatArray]]:
    """Yield how many items of each pattern a resample has, one per row, in blocks with the number of the first row."""
    if not len(topic_of_item):
        return
    if len(np.unique(topic_of_item)) < FEW_TOPICS:
        topic_of_item = np.zeros_like(topic_of_item)
    order = np.argsort(topic_of_item, kind="stable")
    pattern = patterns.of_item[order]
    size = np.bincount(topic_of_item)
    size = size[size > 0]
    start = np.cumsum(size) - size
    words = np.random.PCG64(seed)
    num_patterns = len(patterns.codes)
    rows = max(1, BLOCK // num_patterns)
    for begin in range(0, resamples, rows):
        block = np.empty((min(rows, resamples - begin), num_patterns))
        for row in block:
            topic = _below(np.full(len(size), len(size)), words)
            item = np.repeat(start[topic], size[topic]) + _below(np.repeat(size[topic], size[topic]), words)
            row[:] = np.bincount(pattern[item], minlength=num_patterns)
        yield begin, block


def _below(limits: IntArray, words: np.random.PCG64) -> IntArray:
    """A random whole number below each limit. The words are read raw: numpy promises that stream to stay the same."""
    high = words.random_raw(len(limits)) >> np.uint64(32)
    return ((high * limits.astype(np.uint64)) >> np.uint64(32)).astype(np.int64)
