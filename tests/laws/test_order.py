"""Law: the order of queries and of lines, in the judgments and in the run, does not matter unless ``ties="order"``."""

from collections.abc import Iterator, Sequence

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import germane
from germane.measures.definition import MEASURES, work
from germane.tables.rankings.judged_run import Ties
from germane.tables.rankings.measure import Measure
from tests.made_runs import Topic, all_settings, judged_run, several_topics

EVERY_ORDER = st.integers(0, 2**32)


def changed_by_order(
    measures: Sequence[Measure], topics: Sequence[Topic], seed: int, ties: Ties = "docno"
) -> Iterator[str]:
    """Each value that another order of all lines changed."""
    run, shuffled = judged_run(topics, ties=ties), judged_run(topics, ties=ties, shuffle=seed)
    for measure in measures:
        before, after = work(measure, run).value, work(measure, shuffled).value
        for i in np.flatnonzero((before != after) & ~(np.isnan(before) & np.isnan(after))).tolist():
            yield f"{measure} went from {before[i]} to {after[i]}: {topics[i]}"


@settings(max_examples=30)
@given(topics=several_topics(8), seed=EVERY_ORDER)
def test_the_order_of_lines_does_not_matter(topics: list[Topic], seed: int) -> None:
    assert list(changed_by_order(all_settings(), topics, seed)) == []


@pytest.mark.parametrize("ties", ["best", "worst"])
@settings(max_examples=10)
@given(topics=several_topics(8), seed=EVERY_ORDER)
def test_the_order_of_lines_does_not_matter_where_ties_are_ordered_by_grade(
    topics: list[Topic], seed: int, ties: Ties
) -> None:
    assert list(changed_by_order(all_settings(), topics, seed, ties)) == []


@settings(max_examples=10)
@given(topics=several_topics(8), seed=EVERY_ORDER)
def test_the_order_of_lines_does_not_matter_to_an_expected_value(topics: list[Topic], seed: int) -> None:
    measures = [
        measure
        for measure in all_settings()
        if MEASURES[measure].expected_ties and not dict(measure.parameters).keys() & {"area", "over"}
    ]
    assert list(changed_by_order(measures, topics, seed, "expected")) == []


def test_the_law_catches_ties_left_in_the_order_of_lines() -> None:
    by_default = [Measure("RR")]
    tied = [Topic.of("[0 0 0 0 1]")]
    assert list(changed_by_order(by_default, tied, seed=0)) == []
    assert list(changed_by_order(by_default, tied, seed=0, ties="order")) != []


def test_a_query_without_documents_does_not_hide_that_the_others_are_interleaved() -> None:
    qrels = {"empty": {"a": 1}, "one": {"c": 1}, "two": {"b": 1}}
    queries = pa.DictionaryArray.from_arrays([1, 2, 1], ["empty", "one", "two"])
    run = pa.table({"qid": queries, "docno": ["a", "b", "c"], "score": [2.0, 1.0, 1.0]})
    assert germane.evaluate(qrels, run, "RR")["run", "RR"] == {"empty": 0, "one": 1 / 2, "two": 1}
