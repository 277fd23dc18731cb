"""Tied documents by brute force: the expected, the best and the worst value are those over all their orders."""

import itertools
from collections.abc import Callable, Iterator

import numpy as np
import pytest
from hypothesis import example, given, settings

from germane.errors import MeasureError
from germane.measures.definition import MEASURES, work
from germane.tables.columns.ids import FloatArray
from germane.tables.rankings.judged_run import Ties
from tests.made_runs import Topic, all_settings, judged_run, settings_of, topics

EXACT_ONLY_AS_STEPS = ("area", "over")
"""Parameters of AP that have no exact expectation."""


def orders(topic: Topic) -> Iterator[Topic]:
    """The topic with its ties broken in every way."""
    for groups in itertools.product(*(itertools.permutations(group) for group in topic.ranking)):
        yield Topic(tuple((document,) for group in groups for document in group), topic.missed)


@settings(max_examples=40)
@given(topic=topics(max_size=5))
@example(topic=Topic.of("[1 0 1 -] [2 0]", "1"))  # ties across the cutoffs 1, 2 and 4
@example(topic=Topic.of("[0 0 - 1 1]"))
def test_expected_values_are_means_over_all_orders(topic: Topic) -> None:
    tied, untied = judged_run([topic], ties="expected"), judged_run(list(orders(topic)))
    for measure in all_settings():
        if not MEASURES[measure].expected_ties or set(dict(measure.parameters)) & set(EXACT_ONLY_AS_STEPS):
            continue
        [value] = work(measure, tied).value
        mean = work(measure, untied).value.mean()
        assert value == pytest.approx(mean, abs=1e-12, nan_ok=True), str(measure)


def test_what_is_expected_at_least() -> None:
    able = {definition.name for definition in MEASURES if definition.expected_ties}
    assert able >= {"P", "R", "RR", "AP", "nDCG", "RBP"}


@pytest.mark.parametrize("name", ["Bpref", "ERR", "IPrec", "AP(area=sawtooth)", "AP(over=min)@2"])
def test_no_expected_value_is_made_up(name: str) -> None:
    with pytest.raises(MeasureError, match=r"`ties='expected'` is (not )?supported (by|for)"):
        work(MEASURES.parse(name), judged_run([Topic.of("[1 0]")], ties="expected"))


@pytest.mark.parametrize(("ties", "extreme"), [("best", np.max), ("worst", np.min)])
@settings(max_examples=40)
@given(topic=topics(max_size=5))
@example(topic=Topic.of("[0 1] [- -1 2]", "1"))
def test_best_and_worst_are_the_extremes_over_all_orders(
    topic: Topic, ties: Ties, extreme: Callable[[FloatArray], float]
) -> None:
    tied, untied = judged_run([topic], ties=ties), judged_run(list(orders(topic)))
    for name in ("P", "R", "AP", "RR", "nDCG", "Bpref", "Success", "RBP", "ERR"):
        for measure in settings_of(MEASURES[name]):
            if dict(measure.parameters).get("over") == "retrieved":
                continue  # another relevant document within the cutoff may lower it
            [value] = work(measure, tied).value
            expected = extreme(work(measure, untied).value)
            assert value == pytest.approx(expected, abs=1e-12, nan_ok=True), str(measure)
