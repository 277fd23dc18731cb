"""Law: a topic that the run lacks is an empty ranking, and an empty ranking scores the worst there is."""

from collections.abc import Iterator, Sequence

import numpy as np
import pytest
from hypothesis import given, settings

from germane.measures.definition import MEASURES, work
from germane.tables.rankings.judged_run import JudgedRun, Worked
from germane.tables.rankings.matching import match
from germane.tables.rankings.measure import Measure
from germane.tables.rankings.run import Run
from tests.laws.specimens import registered
from tests.made_runs import Topic, all_settings, judged_run, topics

NOT_THE_WORST = {
    "AUC": (0.5, "documents never retrieved are tied at the bottom, where order is chance"),
    "EER": (0.5, "documents never retrieved are tied at the bottom, where order is chance"),
    "Fallout": (0.0, "nothing wrong was retrieved"),
}


def worst(measure: Measure) -> float:
    """0, or 1 where lower is better."""
    if measure.name in NOT_THE_WORST:
        return NOT_THE_WORST[measure.name][0]
    return {"higher": 0.0, "lower": 1.0}[MEASURES[measure].better]


def score_of_nothing(measures: Sequence[Measure], topic: Topic) -> Iterator[str]:
    """Each measure that gives an empty ranking other than the worst score, or a missing topic another one."""
    empty = Topic((), (*(document for document in topic.documents if document != "-"), *topic.missed))
    qrels = judged_run([empty]).qrels
    of_empty = match(qrels, Run.from_dict({"q000": {}}))
    of_missing = match(qrels, Run.from_dict({"another": {"d": 1.0}}))
    for measure in measures:
        [value], [missing] = work(measure, of_empty).value.tolist(), work(measure, of_missing).value.tolist()
        if not (value == missing or (np.isnan(value) and np.isnan(missing))):
            yield f"{measure} is {value} for an empty ranking, {missing} for a missing topic: {empty}"
        if MEASURES[measure].better == "neither" or np.isnan(value):
            continue
        # With empty=one a query that nothing is relevant to counts 1, whatever was retrieved.
        nothing_to_find = not work(measure, of_empty).denominator[0]
        expected = 1.0 if nothing_to_find and dict(measure.parameters).get("empty") == "one" else worst(measure)
        if value != expected:
            yield f"{measure} is {value} for an empty ranking: {empty}"


@settings(max_examples=25)
@given(topic=topics())
def test_a_missing_topic_scores_the_worst(topic: Topic) -> None:
    assert list(score_of_nothing(all_settings(), topic)) == []


@pytest.mark.parametrize("name", NOT_THE_WORST)
def test_each_exemption_is_one(name: str) -> None:
    run = judged_run([Topic.of("", "1 0")])
    expected, why = NOT_THE_WORST[name]
    assert work(Measure(name), run).value.tolist() == [expected], why
    assert expected != {"higher": 0, "lower": 1}[MEASURES[name].better]


def test_the_law_catches_a_measure_that_forgives_silence() -> None:
    def no_mistake_made(run: JudgedRun) -> Worked:
        hits = run.relevant()
        return Worked(hits, hits.share, over=run.num_retrieved, empty=1.0)

    with registered(no_mistake_made, bounds=(0, 1)) as specimen:
        assert list(score_of_nothing(specimen, Topic.of("1 0"))) != []


def test_the_law_catches_a_measure_that_tells_missing_from_empty() -> None:
    def one_if_there(run: JudgedRun) -> Worked:
        hits = run.relevant()
        return Worked(hits, hits.share, base=run.in_run.astype(np.float64))

    with registered(one_if_there, better="neither") as specimen:
        assert list(score_of_nothing(specimen, Topic.of("1 0"))) != []
