"""Law: the worked table explains the value: its last line evaluates to it, and its rows are what each rank contributes.

A table that only repeats the value would pass the first half. What tells it from a real one: the contribution of a rank
is settled once that rank is reached, so what a system retrieves further down cannot change it; and it is not all in the
part that stands before the rows.
"""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings

from germane.measures.definition import MEASURES, work
from germane.measures.explain import Explanation, explain
from germane.tables.rankings.judged_run import JudgedRun, Ties, Worked
from germane.tables.rankings.measure import Measure
from tests.laws.specimens import registered
from tests.laws.test_promotion import expected_settings
from tests.made_runs import Topic, all_settings, is_judged, judged_run, several_topics

ROUNDING = 1e-12

LOOKS_AHEAD = {
    "AP(area=interpolated)": "takes the highest precision from the rank on",
    "IPrec": "takes the highest precision from the level on",
    "IPrecAvg": "takes the highest precision from each level on",
    "Efficiency": "takes the point of the whole curve that is nearest to the ideal",
    "SetAP": "is no sum over ranks: the square of what was found",
    "nDCG(short=zero)@3": "is 0 throughout if the ranking ends too soon",
}
"""A row of these may change with what follows it. It follows from the other columns of the table instead."""
LOOKING_AHEAD = {("interpolated", None), (None, "zero")}
"""The settings of `area` and `short` by which a measure does so."""


def looks_ahead(measure: Measure) -> bool:
    parameters = dict(measure.parameters)
    return measure.name in LOOKS_AHEAD or (parameters.get("area"), parameters.get("short")) in LOOKING_AHEAD


def wrong_last_lines(measures: Sequence[Measure], topics: Sequence[Topic], ties: Ties = "docno") -> Iterator[str]:
    """Each table whose last line does not evaluate to the value."""
    run = judged_run(topics, ties=ties)
    for measure in measures:
        for topic, query in zip(topics, run.qrels.queries, strict=True):
            table = explain(measure, run, query)
            if table.evaluate() != pytest.approx(table.value, abs=ROUNDING, nan_ok=True):
                yield f"{measure} is {table.value}, its table says {table.evaluate()}: {topic}"


def cut_after(topic: Topic, rank: int) -> Topic:
    """The topic with what stands below this rank no longer retrieved; it stays judged."""
    documents = topic.documents
    missed = tuple(document for document in (*documents[rank:], *topic.missed) if document != "-")
    return Topic(tuple((document,) for document in documents[:rank]), missed)


def rewritten_by_what_follows(measures: Sequence[Measure], topics: Sequence[Topic]) -> Iterator[str]:
    """Each row of a table that changes when the ranking ends right after it."""
    shorter = [(topic, rank, cut_after(topic, rank)) for topic in topics for rank in range(len(topic.documents))]
    run = judged_run([*topics, *(cut for *_, cut in shorter)])
    queries = list(run.qrels.queries)
    for measure in measures:
        whole = {
            topic: contributions(explain(measure, run, query)) for topic, query in zip(topics, queries, strict=False)
        }
        for (topic, end, _), query in zip(shorter, queries[len(topics) :], strict=True):
            condensed = dict(measure.parameters).get("judged_only")
            rank = sum(map(is_judged, topic.documents[:end])) if condensed else end
            expected = {place: term for place, term in whole[topic].items() if place <= rank}
            found = {
                place: term for place, term in contributions(explain(measure, run, query)).items() if place <= rank
            }
            if found != pytest.approx(expected, abs=ROUNDING):
                yield f"{measure} shows {expected}, and {found} if the ranking ends at {end}: {topic}"


def contributions(table: Explanation) -> dict[int, float]:
    """What each rank that has a row adds to the numerator."""
    column = np.asarray(table.columns[table.numerator], dtype=float)
    terms = np.diff(column, prepend=0.0) if table.running else column
    return dict(zip(next(iter(table.columns.values())), terms.tolist(), strict=True))


def not_told_by_the_table(measures: Sequence[Measure], topics: Sequence[Topic]) -> Iterator[str]:
    """Tables that are the same in all else and yet have other terms."""
    run = judged_run(topics)
    for measure in measures:
        seen: dict[Any, list[float]] = {}
        for topic, query in zip(topics, run.qrels.queries, strict=True):
            table = explain(measure, run, query)
            shown = {
                title: tuple(cells)
                for title, cells in table.columns.items()
                if title not in {table.numerator, "document"}
            }
            terms = table.columns[table.numerator]
            if seen.setdefault((table.denominator, *shown.items()), terms) != terms:
                yield f"{measure} has other terms in the same table: {topic}"


def said_before_the_rows(measures: Sequence[Measure], topics: Sequence[Topic]) -> Iterator[str]:
    """Measures whose rows add nothing in any of the topics, so that the value comes from what is before them."""
    run = judged_run(topics)
    for measure in measures:
        tables = [explain(measure, run, query) for query in run.qrels.queries]
        counts_what_has_no_rows = MEASURES[measure].total and measure.name != "NumRelRet"
        if not any(any(contributions(table).values()) for table in tables) and not counts_what_has_no_rows:
            yield f"no row of {measure} contributes"


@settings(max_examples=20)
@given(topics=several_topics(3))
def test_the_last_line_evaluates_to_the_value(topics: list[Topic]) -> None:
    assert list(wrong_last_lines(all_settings(), topics)) == []


@settings(max_examples=15)
@given(topics=several_topics(3))
def test_the_last_line_evaluates_to_the_expected_value(topics: list[Topic]) -> None:
    assert list(wrong_last_lines(expected_settings(), topics, "expected")) == []


@settings(max_examples=20)
@given(topics=several_topics(1, max_size=4))
def test_a_row_is_settled_once_its_rank_is_reached(topics: list[Topic]) -> None:
    assert list(rewritten_by_what_follows([m for m in all_settings() if not looks_ahead(m)], topics)) == []


@settings(max_examples=20)
@given(topics=several_topics(8, max_size=4, documents=("-", "0", "1", "2")))
def test_rows_that_look_ahead_follow_from_the_other_columns(topics: list[Topic]) -> None:
    assert list(not_told_by_the_table([m for m in all_settings() if looks_ahead(m)], topics)) == []


def test_rows_contribute() -> None:
    topics = [Topic.of("2a 0 1b 1 3", "1c"), Topic.of("- 0 - 3b 2")]
    assert list(said_before_the_rows(all_settings(), topics)) == []


@pytest.mark.parametrize("measure", LOOKS_AHEAD)
def test_each_measure_that_looks_ahead_does(measure: str) -> None:
    assert looks_ahead(MEASURES.parse(measure))
    assert list(rewritten_by_what_follows([MEASURES.parse(measure)], [Topic.of("0 1 1 1")])) != [], LOOKS_AHEAD[measure]


def reciprocal_ranks(run: JudgedRun) -> Worked:
    hits = run.relevant()
    return Worked(hits, 1 / hits.rank)


TOPICS = [Topic.of("1 0 1"), Topic.of("0 1 1 1")]


def test_the_law_catches_a_table_whose_rows_do_not_add_up(monkeypatch: pytest.MonkeyPatch) -> None:
    with registered(reciprocal_ranks) as specimen:
        assert list(wrong_last_lines(specimen, TOPICS)) == []
        monkeypatch.setattr(Worked, "value", property(lambda worked: 2 * worked.numerator))
        assert list(wrong_last_lines(specimen, TOPICS)) != []


def test_the_law_catches_a_row_that_repeats_the_value() -> None:
    def repeated_in_the_first_row(run: JudgedRun) -> Worked:
        worked = reciprocal_ranks(run)
        first = worked.hits.count_so_far == 1
        return Worked(worked.hits, np.where(first, worked.value[worked.hits.query], 0.0))

    with registered(reciprocal_ranks) as genuine:
        assert list(rewritten_by_what_follows(genuine, TOPICS)) == []
    with registered(repeated_in_the_first_row) as specimen:
        assert list(wrong_last_lines(specimen, TOPICS)) == []
        assert list(rewritten_by_what_follows(specimen, TOPICS)) != []
        assert list(not_told_by_the_table(specimen, [Topic.of("1"), Topic.of("1", "0")])) == []


def test_the_law_catches_a_row_that_does_not_follow_from_the_table() -> None:
    def value_of_hidden_things(run: JudgedRun) -> Worked:
        hits = run.relevant()
        return Worked(hits, 1 / run.num_retrieved[hits.query])

    with registered(value_of_hidden_things) as specimen:
        assert list(not_told_by_the_table(specimen, [Topic.of("1 0"), Topic.of("1 0 0")])) != []


def test_the_law_catches_a_value_said_before_the_rows() -> None:
    def repeated_before_the_rows(run: JudgedRun) -> Worked:
        worked = reciprocal_ranks(run)
        return Worked(worked.hits, np.zeros(len(worked.term)), base=worked.value)

    with registered(repeated_before_the_rows) as specimen:
        assert list(wrong_last_lines(specimen, TOPICS)) == []
        assert list(said_before_the_rows(specimen, TOPICS)) != []


@settings(max_examples=20)
@given(topics=several_topics(3))
def test_each_row_of_the_table_of_lecture_001_is_the_measure_at_that_rank(topics: list[Topic]) -> None:
    run = judged_run(topics)
    for i, query in enumerate(run.qrels.queries):
        columns = explain(MEASURES.parse("nDCG"), run, query).columns
        for row, k in enumerate(columns["k"]):
            for title in ("CG", "nCG", "DCG", "nDCG"):
                value = work(MEASURES.parse(f"{title}@{k}"), run).value[i]
                assert columns[title][row] == pytest.approx(value, abs=ROUNDING), f"{title}@{k} of {topics[i]}"
