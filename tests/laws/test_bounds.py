"""Law: a measure stays within the bounds that it declares, and is NaN only where its edge cases say so."""

import math
from collections.abc import Iterator, Sequence

import numpy as np
import pytest
from hypothesis import given, settings

from germane.measures.definition import MEASURES, work
from germane.tables.rankings.judged_run import JudgedRun, Worked
from germane.tables.rankings.measure import Measure
from tests.laws.specimens import registered
from tests.made_runs import Topic, all_settings, judged_run, several_topics

ROUNDING = 1e-12

MAY_EXCEED = {
    "alpha_nDCG": "its ideal is found greedily, since the best one is NP-hard to find; a ranking can beat it",
}
BETTER_THAN_GREEDY = Topic.of("1ac 1df 1cd")
"""All three cover two subtopics; greedy takes cd first, and whichever follows it repeats one of them."""


def out_of_bounds(measures: Sequence[Measure], topics: Sequence[Topic]) -> Iterator[str]:
    """Each value that lies outside the declared bounds, or is NaN without leave."""
    run = judged_run(topics)
    for measure in measures:
        definition = MEASURES[measure]
        low, high = definition.bounds
        high = np.inf if measure.name in MAY_EXCEED else high
        for topic, value in zip(topics, work(measure, run).value.tolist(), strict=True):
            if np.isnan(value):
                if "NaN" not in definition.sections.get("Edge cases", ""):
                    yield f"{measure} is NaN, which its edge cases do not mention: {topic}"
            elif not low - ROUNDING <= value <= high + ROUNDING:
                yield f"{measure} = {value} is not within {definition.bounds}: {topic}"


@settings(max_examples=40)
@given(topics=several_topics(8))
def test_values_lie_within_the_declared_bounds(topics: list[Topic]) -> None:
    assert list(out_of_bounds(all_settings(), topics)) == []


def test_the_greedy_ideal_can_be_beaten() -> None:
    assert set(MAY_EXCEED) == {"alpha_nDCG"}
    [value] = work(MEASURES.parse("alpha_nDCG"), judged_run([BETTER_THAN_GREEDY])).value
    assert value == pytest.approx((2 + 2 / math.log2(3) + 1 / 2) / (2 + 1.5 / math.log2(3) + 1.5 / 2))
    assert value > 1


def test_the_law_catches_a_measure_that_counts_and_calls_it_a_share() -> None:
    def count(run: JudgedRun) -> Worked:
        hits = run.relevant()
        return Worked(hits, hits.share)

    with registered(count, bounds=(0, 1)) as specimen:
        assert list(out_of_bounds(specimen, [Topic.of("1 0")])) == []
        assert list(out_of_bounds(specimen, [Topic.of("1 1")])) != []


def test_the_law_catches_an_undeclared_nan() -> None:
    def undefined_without_relevant(run: JudgedRun) -> Worked:
        hits = run.relevant()
        return Worked(hits, hits.share, over=run.num_relevant(), empty=np.nan)

    with registered(undefined_without_relevant, bounds=(0, 1)) as specimen:
        assert list(out_of_bounds(specimen, [Topic.of("1 1")])) == []
        assert list(out_of_bounds(specimen, [Topic.of("0 0")])) != []
