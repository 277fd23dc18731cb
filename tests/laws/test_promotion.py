"""Law: a judged document that passes one of lower gain, or one that nobody judged, directly above it never costs."""

import itertools
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import pytest
from hypothesis import given, settings

from germane.measures.definition import MEASURES, work
from germane.tables.rankings.judged_run import JudgedRun, Ties, Worked
from germane.tables.rankings.measure import Measure
from tests.laws.specimens import registered
from tests.made_runs import Topic, all_settings, gains, is_judged, judged_run, several_topics

ROUNDING = 1e-12


class Exemption(NamedTuple):
    measure: str
    why: str
    before: Topic
    after: Topic
    ties: Ties = "docno"


EXEMPTIONS = [
    Exemption(
        "AP(over=retrieved)@3",
        "the mean is over the relevant documents found, so one more of them, found late, lowers it",
        Topic.of("1 0 0 1"),
        Topic.of("1 0 1 0"),
    ),
    Exemption(
        "InfAP",
        "a pooled document that nobody judged counts as likely relevant, and passing it takes that away",
        Topic.of("- - -1 1"),
        Topic.of("- - 1 -1"),
    ),
    Exemption(
        "XinfAP",
        "as with InfAP: without strata it is the same",
        Topic.of("- - -1 1"),
        Topic.of("- - 1 -1"),
    ),
    Exemption(
        "AP(judged_only=true)",
        "what passes the unjudged half of a tie joins the tie, where in the condensed list it had stood below it",
        Topic.of("[1 -] 0.5"),
        Topic.of("[1 0.5] -"),
        "expected",
    ),
]


def is_exempt(measure: Measure, passed: str, ties: Ties) -> bool:
    """Whether the measure may lose when a document passes this one."""
    if ties == "expected" and ("judged_only", True) in measure.parameters:
        return not is_judged(passed)
    if measure.name == "AP" and ("over", "retrieved") in measure.parameters:
        return measure.at is not None
    if ("unlisted", "pooled") in measure.parameters:
        return False
    return measure.name in ("InfAP", "XinfAP") and passed == "-1"


def promotions(topic: Topic) -> Iterator[tuple[str, Topic]]:
    """The topic after each promotion that there could be, and which document was passed."""
    documents = topic.documents
    for i, (above, below) in enumerate(itertools.pairwise(documents)):
        higher, lower = gains(below), gains(above)
        # With subtopics a gain is higher if it is so for one of them and lower for none.
        if max(higher.values(), default=0) > max(lower.values(), default=0) and all(
            higher.get(group, 0) >= gain for group, gain in lower.items()
        ):
            yield above, topic.with_documents([*documents[:i], below, above, *documents[i + 2 :]])


def lowered_by_promotion(measures: Sequence[Measure], topics: Sequence[Topic], ties: Ties = "docno") -> Iterator[str]:
    """Each promotion that made a measure worse."""
    pairs = [(topic, passed, after) for topic in topics for passed, after in promotions(topic)]
    run = judged_run([*topics, *(topic for before, _, after in pairs for topic in (before, after))], ties=ties)
    for measure in measures:
        better = MEASURES[measure].better
        sign = {"higher": 1, "lower": -1, "neither": 0}[better]
        values = (sign * work(measure, run).value).tolist()[len(topics) :]
        for (topic, passed, after), before_value, after_value in zip(pairs, values[::2], values[1::2], strict=True):
            if after_value < before_value - ROUNDING and not is_exempt(measure, passed, ties):
                yield f"{measure} went from {before_value} to {after_value}: {topic} became {after}"


@settings(max_examples=40)
@given(topics=several_topics(6))
def test_promoting_a_document_never_costs(topics: list[Topic]) -> None:
    assert list(lowered_by_promotion(all_settings(), topics)) == []


def expected_settings() -> list[Measure]:
    """The measures that have an exact expectation over ties."""
    return [
        measure
        for measure in all_settings()
        if MEASURES[measure].expected_ties and not dict(measure.parameters).keys() & {"area", "over"}
    ]


@settings(max_examples=25)
@given(topics=several_topics(6))
def test_promoting_a_document_past_a_tie_never_costs(topics: list[Topic]) -> None:
    assert list(lowered_by_promotion(expected_settings(), topics, "expected")) == []


@pytest.mark.parametrize("exemption", EXEMPTIONS, ids=lambda exemption: exemption.measure)
def test_each_exemption_is_needed(exemption: Exemption) -> None:
    run = judged_run([exemption.before, exemption.after], ties=exemption.ties)
    before, after = work(MEASURES.parse(exemption.measure), run).value
    assert after < before - 0.01, exemption.why


def test_the_law_catches_a_measure_that_rewards_late_hits() -> None:
    def late(run: JudgedRun) -> Worked:
        hits = run.relevant()
        return Worked(hits, hits.rank.astype(float))

    with registered(late) as specimen:
        assert list(lowered_by_promotion(specimen, [Topic.of("0 1")])) != []


def test_the_law_catches_a_measure_that_declares_the_wrong_direction() -> None:
    def early(run: JudgedRun) -> Worked:
        hits = run.relevant()
        return Worked(hits, 1 / hits.rank)

    with registered(early, better="higher") as specimen:
        assert list(lowered_by_promotion(specimen, [Topic.of("- 1")])) == []
    with registered(early, better="lower") as specimen:
        assert list(lowered_by_promotion(specimen, [Topic.of("- 1")])) != []
