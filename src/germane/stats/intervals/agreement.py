"""Bootstrap intervals of agreement measures: two-stage bootstrap of topics, then of the items of each topic drawn.

Assessors disagree about topics as much as about documents, so items of one topic are not independent, and resampling
items alone would give intervals that are too narrow. With fewer than `FEW_TOPICS` topics, all items are resampled
together. (Resampling within topics varies too little if topics have few items: with 7 topics of 2 items, 95% intervals
covered 86% of the time, and 99% with all items together; with 5 topics of 20 items, 93% and 95%.)
`tests/stats/agreement_coverage.py` measures the coverage.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from germane.errors import GermaneError
from germane.measures.agreement.measure import AgreementMeasure, values_of
from germane.measures.agreement.tally import Patterns
from germane.progress import step
from germane.stats.intervals.bootstrap_ends import bootstrap_ends, tails_of
from germane.stats.intervals.resampling import require_draws
from germane.tables.columns.ids import FloatArray, IntArray

BLOCK = 1 << 21
"""Number of weights per block of resamples (16 MB)."""

FEW_TOPICS = 8
"""Below this number of topics, resample only documents, not topics."""


@dataclass(frozen=True)
class AgreementInterval:
    """The limits of an interval, or the reason why there is none; `undefined` counts the resamples excluded."""

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

    `topic_of_item` is the index of the topic of each item, from 0. There is no interval if all resamples give the same
    value, or if the central resamples do not contain the measure's value.
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
    """Yield blocks of resamples (rows) with the number of items of each pattern, and the index of the first row."""
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
    with step("resamples", resamples) as drawn:
        for begin in range(0, resamples, rows):
            block = np.empty((min(rows, resamples - begin), num_patterns))
            for row in block:
                topic = _below(np.full(len(size), len(size)), words)
                item = np.repeat(start[topic], size[topic]) + _below(np.repeat(size[topic], size[topic]), words)
                row[:] = np.bincount(pattern[item], minlength=num_patterns)
                drawn.advance()
            yield begin, block


def _below(limits: IntArray, words: np.random.PCG64) -> IntArray:
    """Draw a random integer below each limit, from raw words, the only stream that NumPy keeps stable."""
    high = words.random_raw(len(limits)) >> np.uint64(32)
    return ((high * limits.astype(np.uint64)) >> np.uint64(32)).astype(np.int64)
