"""Intervals of agreement: topics drawn again, then items within topics."""

from __future__ import annotations

import math

import numpy as np
import pytest

from germane.errors import GermaneError
from germane.measures.agreement.measure import AGREEMENT
from germane.measures.agreement.tally import Patterns
from germane.stats.intervals.agreement import FEW_TOPICS, AgreementInterval, agreement_intervals, resampled_weights
from germane.tables.columns.ids import FloatArray, IntArray

OBSERVED = [entry for entry in AGREEMENT if entry.name == "observed"]


def made(topics: int, items: int, spread: float, seed: int) -> tuple[Patterns, IntArray]:
    """Two judges who agree about each topic to another degree."""
    random = np.random.default_rng(seed)
    alike = np.repeat(np.clip(0.7 + spread * random.standard_normal(topics), 0, 1), items)
    first = random.integers(0, 2, topics * items)
    second = np.where(random.random(topics * items) < alike, first, 1 - first)
    return Patterns(np.stack([first, second], axis=1)), np.repeat(np.arange(topics), items)


def width(interval: AgreementInterval) -> float:
    return interval.high - interval.low


def test_a_resample_has_as_many_items_as_the_topics_drawn() -> None:
    topic = np.repeat(np.arange(FEW_TOPICS), [3, *[1] * (FEW_TOPICS - 1)])
    patterns = Patterns(np.zeros((len(topic), 2)))
    drawn = np.vstack([block for _, block in resampled_weights(patterns, topic, 200, 1)])
    assert set(drawn.sum(axis=1)) > {
        float(FEW_TOPICS),
        len(topic) * 1.0,
        len(topic) + 2.0,
    }  # topic 0 never, once, twice


def test_the_items_of_few_topics_are_drawn_whatever_their_topic() -> None:
    topic = np.repeat(np.arange(FEW_TOPICS - 1), 5)
    table = np.stack([topic, topic], axis=1).astype(np.float64)  # a topic is known by its grade
    drawn = np.vstack([block for _, block in resampled_weights(Patterns(table), topic, 50, 1)])
    assert (drawn.sum(axis=1) == len(topic)).all()
    assert (drawn != 5).any()


def test_topics_with_one_document_each_have_an_interval() -> None:
    """Drawn within its topic, the only document is always drawn."""
    patterns = Patterns([[0, 0], [1, 1], [0, 1], [1, 1], [0, 0]])
    [found] = agreement_intervals(patterns, np.arange(5), OBSERVED, resamples=100)
    assert found.low < 0.8 < found.high


def test_the_same_seed_gives_the_same_interval_and_more_resamples_begin_alike() -> None:
    patterns, topic = made(8, 10, 0.1, 1)
    again = [agreement_intervals(patterns, topic, OBSERVED, resamples=200, seed=5) for _ in range(2)]
    assert again[0] == again[1]
    assert agreement_intervals(patterns, topic, OBSERVED, resamples=200, seed=6) != again[0]
    few, many = (next(resampled_weights(patterns, topic, n, 5))[1] for n in (10, 20))
    assert np.array_equal(few, many[:10])


def items_alone(patterns: Patterns, topic: IntArray) -> IntArray:
    """The broken specimen: items drawn as if topics did not matter."""
    return np.zeros_like(topic)


def test_topics_that_differ_make_the_interval_wider() -> None:
    patterns, topic = made(12, 60, 0.25, 2)
    [by_topic] = agreement_intervals(patterns, topic, OBSERVED, resamples=400)
    [by_item] = agreement_intervals(patterns, items_alone(patterns, topic), OBSERVED, resamples=400)
    assert width(by_topic) > 2 * width(by_item)


def covered(topic_of: str, trials: int) -> int:
    hits = 0
    for trial in range(trials):
        patterns, topic = made(25, 20, 0.12, 100 + trial)
        given = topic if topic_of == "topics" else items_alone(patterns, topic)
        [found] = agreement_intervals(patterns, given, OBSERVED, resamples=150, seed=trial)
        hits += found.low <= 0.7 <= found.high
    return hits


def test_the_interval_covers_and_one_over_items_alone_does_not() -> None:
    assert covered("topics", 60) >= 54
    assert covered("items", 60) < 54


def test_the_value_lies_within_for_every_measure() -> None:
    patterns, topic = made(20, 10, 0.1, 3)
    measures = list(AGREEMENT)
    for measure, found in zip(measures, agreement_intervals(patterns, topic, measures, resamples=200), strict=True):
        assert found.low <= float(measure.of(patterns)) <= found.high, measure.name


@pytest.mark.parametrize("table", [np.zeros((4, 2)), np.zeros((0, 2))])
def test_what_is_undefined_has_no_interval(table: FloatArray) -> None:
    measures = [entry for entry in AGREEMENT if entry.name == "kappa"]
    [found] = agreement_intervals(Patterns(table), np.zeros(len(table), dtype=np.int64), measures, resamples=100)
    assert math.isnan(found.low)
    assert found.undefined == 100


def test_what_every_resample_gives_has_no_interval() -> None:
    """Ten documents on which two agree do not show that they always do."""
    patterns = Patterns([[0, 0]] * 5 + [[1, 1]] * 5)
    [found] = agreement_intervals(patterns, np.zeros(10, dtype=np.int64), OBSERVED, resamples=100)
    assert math.isnan(found.low)
    assert found.reason == "every resample gives 1"


def test_too_few_resamples_are_refused() -> None:
    with pytest.raises(GermaneError, match="expected at least 100 resamples"):
        agreement_intervals(*made(2, 2, 0, 1), OBSERVED, resamples=10)
