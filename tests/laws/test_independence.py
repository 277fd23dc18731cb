"""Law: the value of a query does not depend on which other queries there are."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from germane.measures.definition import MEASURES, work
from germane.tables.rankings.judged_run import JudgedRun, Worked
from germane.tables.rankings.measure import Measure
from tests.laws.specimens import registered
from tests.made_runs import Topic, all_settings, judged_run, topics

# Grades that no binary fraction equals: a sum that runs on from query to query would not give the same last bit.
DOCUMENTS = ("-", "-1", "0", "0.1b", "0.7", "1.1", "1.3ab", "2.9", "1a2c")


def changed_by_company(measures: Sequence[Measure], topics: Sequence[Topic]) -> Iterator[str]:
    """Each value that is not the same, to the last bit, when its query is alone."""
    together = judged_run(topics)
    alone = [judged_run([topic]) for topic in topics]
    for measure in measures:
        values = work(measure, together).value
        for topic, value, run in zip(topics, values.tolist(), alone, strict=True):
            [own] = work(measure, run).value.tolist()
            if value != own and not (np.isnan(value) and np.isnan(own)):
                yield f"{measure} is {own!r} alone and {value!r} among others: {topic}"


@settings(max_examples=20)
@given(topics=st.lists(topics(documents=DOCUMENTS), min_size=2, max_size=4))
def test_a_query_is_scored_alone(topics: list[Topic]) -> None:
    assert list(changed_by_company(all_settings(), topics)) == []


def test_the_greedy_ideal_does_not_see_the_subtopics_of_other_queries() -> None:
    topics = [Topic.of("1djps 1m 1dgjms 1dgpv"), Topic.of("1abcdefghijklmnopqrstuvwxyz")]
    assert list(changed_by_company([MEASURES.parse("alpha_nDCG(alpha=0.3)")], topics)) == []


@settings(max_examples=10)
@given(topics=st.lists(topics(documents=DOCUMENTS), min_size=2, max_size=4))
def test_a_subset_of_the_judgments_keeps_its_values(topics: list[Topic]) -> None:
    run = judged_run(topics, scale=None)
    kept = replace(
        run,
        qrels=run.qrels.take(np.arange(1, len(topics))),
        in_run=run.in_run[1:],
        num_retrieved=run.num_retrieved[1:],
        **{name: getattr(run, name)[run.query > 0] for name in ("rank", "first", "last")},
        doc=run.doc[run.query > 0] - run.qrels.start[1],
    )
    for measure in all_settings():
        np.testing.assert_array_equal(work(measure, kept).value, work(measure, run).value[1:], err_msg=str(measure))


def test_the_law_catches_a_share_of_all_that_was_found() -> None:
    def share_of_all(run: JudgedRun) -> Worked:
        hits = run.relevant()
        return Worked(hits, hits.share, over=float(len(run.doc)))

    with registered(share_of_all) as specimen:
        assert list(changed_by_company(specimen, [Topic.of("1 0"), Topic.of("1")])) != []


def test_the_law_catches_a_sum_that_runs_on_from_query_to_query() -> None:
    def running_sum(run: JudgedRun) -> Worked:
        hits = run.judged()
        total = np.cumsum(hits.grade)
        before = total[hits.first_of_query] - hits.grade[hits.first_of_query]
        last = hits.count_so_far == hits.count_by_query()[hits.query]
        return Worked(hits, np.where(last, total - before, 0.0))

    with registered(running_sum) as specimen:
        assert list(changed_by_company(specimen, [Topic.of("1 1"), Topic.of("2 1")])) == []
        assert list(changed_by_company(specimen, [Topic.of("2.9 0.1"), Topic.of("0.7 0.1")])) != []
