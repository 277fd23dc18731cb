"""Law: taking the unjudged documents out of a ranking that has none changes nothing."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings

from germane.measures.definition import work
from germane.tables.rankings.judged_run import JudgedRun, Ties
from germane.tables.rankings.measure import Measure
from tests.laws.test_promotion import expected_settings
from tests.made_runs import LISTED, Topic, all_settings, is_judged, judged_run, several_topics, topics

JUDGED = tuple(document for document in LISTED if is_judged(document))


def condensed(measure: Measure) -> Measure:
    return replace(measure, parameters=(*measure.parameters, ("judged_only", True)))


def plain(measures: Sequence[Measure]) -> list[Measure]:
    return [measure for measure in measures if "judged_only" not in dict(measure.parameters)]


def changed_by_condensing(measures: Sequence[Measure], topics: Sequence[Topic], ties: Ties) -> Iterator[str]:
    """Each value that is another one for the condensed ranking."""
    run = judged_run(topics, ties=ties)
    for measure in plain(measures):
        whole, short = work(measure, run).value, work(condensed(measure), run).value
        for i in np.flatnonzero((whole != short) & ~(np.isnan(whole) & np.isnan(short))).tolist():
            yield f"{measure} went from {whole[i]} to {short[i]}: {topics[i]}"


@settings(max_examples=25)
@given(topics=several_topics(6, documents=JUDGED))
def test_condensing_changes_nothing_where_all_is_judged(topics: list[Topic]) -> None:
    assert list(changed_by_condensing(all_settings(), topics, "docno")) == []


@settings(max_examples=15)
@given(topics=several_topics(6, documents=JUDGED))
def test_condensing_changes_no_expected_value_where_all_is_judged(topics: list[Topic]) -> None:
    assert list(changed_by_condensing(expected_settings(), topics, "expected")) == []


def without_unjudged(topic: Topic) -> Topic:
    """The topic as if the unjudged documents had never been retrieved."""
    groups = [tuple(filter(is_judged, group)) for group in topic.ranking]
    return Topic(tuple(filter(None, groups)), topic.missed)


@pytest.mark.parametrize("ties", ["docno", "expected"])
@settings(max_examples=15)
@given(topic=topics())
def test_condensing_is_taking_the_documents_out(topic: Topic, ties: Ties) -> None:
    # What is pooled but not judged leaves the ranking, not the judgments.
    pooled = tuple(document for document in topic.documents if document != "-" and not is_judged(document))
    taken_out = replace(without_unjudged(topic), missed=(*topic.missed, *pooled))
    run, expected = judged_run([topic], ties=ties), judged_run([taken_out], ties=ties)
    for measure in plain(expected_settings() if ties == "expected" else all_settings()):
        np.testing.assert_array_equal(work(condensed(measure), run).value, work(measure, expected).value, str(measure))


def test_the_law_catches_condensing_that_loses_a_judged_document(monkeypatch: pytest.MonkeyPatch) -> None:
    def drops_grade_zero(run: JudgedRun) -> JudgedRun:
        keep = run.grade > 0
        return replace(run, **{name: getattr(run, name)[keep] for name in ("doc", "rank", "first", "last")})

    topics = [Topic.of("1 0 1")]
    assert list(changed_by_condensing([Measure("Bpref")], topics, "docno")) == []
    monkeypatch.setattr(JudgedRun, "condensed", property(drops_grade_zero))
    assert list(changed_by_condensing([Measure("Bpref")], topics, "docno")) != []


def test_condensing_is_not_idle() -> None:
    assert list(changed_by_condensing([Measure("RR")], [Topic.of("- 1")], "docno")) != []
