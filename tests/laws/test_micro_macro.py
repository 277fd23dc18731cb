"""Law: where every query has the same size, the micro average is the mean."""

import random
from collections.abc import Iterator, Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import germane
from germane.measures.definition import MEASURES, work
from germane.tables.rankings.judged_run import JudgedRun, Worked
from germane.tables.rankings.measure import Measure
from tests.laws.specimens import registered
from tests.made_runs import Topic, all_settings, judged_run, topics

ROUNDING = 1e-12


def of_the_same_size(topic: Topic, seed: int, how_many: int = 4) -> list[Topic]:
    """The same documents in other orders: as many retrieved, relevant and judged, and the same ideal."""
    orders = random.Random(seed)
    return [topic.with_documents(orders.sample(topic.documents, len(topic.documents))) for _ in range(how_many)]


def micro_is_not_the_mean(measures: Sequence[Measure], topics: Sequence[Topic]) -> Iterator[str]:
    """Each measure of which the two averages differ although all its denominators are equal."""
    run = judged_run(topics)
    scores = germane.evaluate(run.qrels, run, measures)
    mean, micro = scores.mean()["run"], scores.aggregate("micro")["run"]
    for measure in measures:
        denominator = work(measure, run).denominator
        # 0/0 is what the measure says of a query, and has no micro average.
        if MEASURES[measure].total or not denominator[0] or (denominator != denominator[0]).any():
            continue
        if micro[str(measure)] != pytest.approx(mean[str(measure)], abs=ROUNDING):
            yield f"{measure}: micro {micro[str(measure)]}, mean {mean[str(measure)]}: {topics}"


@settings(max_examples=25)
@given(topic=topics().filter(lambda topic: topic.documents), seed=st.integers(0, 1000))
def test_micro_equals_macro_for_equal_sizes(topic: Topic, seed: int) -> None:
    assert list(micro_is_not_the_mean(all_settings(), of_the_same_size(topic, seed))) == []


def test_denominators_are_equal_for_equal_sizes() -> None:
    """So that the law is not an empty one: only a mean over what was found has no size that is given beforehand."""
    run = judged_run(of_the_same_size(Topic.of("2a - 0 1b 1", "1c"), seed=0))
    unequal = {str(m) for m in all_settings() if len(np.unique(work(m, run).denominator)) > 1}
    assert unequal == {"AP(over=retrieved)@2"}


def test_micro_differs_from_macro_for_unequal_sizes() -> None:
    run = judged_run([Topic.of("1 0"), Topic.of("1 1 1 1 1 1")])
    scores = germane.evaluate(run.qrels, run, "P")
    assert (scores.mean()["run"]["P"], scores.aggregate("micro")["run"]["P"]) == ((1 / 2 + 1) / 2, 7 / 8)


def test_the_law_catches_a_value_that_is_not_its_parts_divided(monkeypatch: pytest.MonkeyPatch) -> None:
    def precision(run: JudgedRun) -> Worked:
        hits = run.relevant()
        return Worked(hits, hits.share, over=run.num_retrieved)

    topics = [Topic.of("1 0"), Topic.of("0 1")]
    with registered(precision, bounds=(0, 1)) as specimen:
        assert list(micro_is_not_the_mean(specimen, topics)) == []
        monkeypatch.setattr(Worked, "value", property(lambda worked: worked.numerator / (worked.denominator + 1)))
        assert list(micro_is_not_the_mean(specimen, topics)) != []
