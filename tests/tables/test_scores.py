"""Scores whose runs are put in another order."""

from __future__ import annotations

import numpy as np
import pytest

import germane as ge
from germane.errors import GermaneError
from germane.tables.results.scores import Scores

QRELS = {"q1": {"d1": 1, "d2": 0}, "q2": {"d3": 1}}
RUNS = {
    "late": {"q1": {"x": 3.0, "d1": 2.0}, "q2": {"x": 2.0, "y": 1.5, "d3": 1.0}},
    "early": {"q1": {"d1": 2.0}, "q2": {"d3": 1.0}},
    "half": {"q1": {"d1": 2.0, "x": 1.0}, "q2": {"x": 1.0}},
}


def scored(*measures: str, bounds: bool = False) -> Scores:
    return ge.evaluate(QRELS, RUNS, list(measures), interval="t", bounds=bounds)


# fmt: off
ORDERS = [
    # by             the best first
    ("AP",           ["early", "half", "late"]),
    ("E",            ["early", "late", "half"]),    # lower is better
    ("num_rel_ret",  ["late", "early", "half"]),    # the first two are equal, and stay as they are
]
# fmt: on


@pytest.mark.parametrize(("measure", "names"), ORDERS)
def test_the_best_comes_first(measure: str, names: list[str]) -> None:
    assert [run.name for run in scored(measure).sorted_by(measure).runs] == names


def test_another_aggregate_may_have_another_order() -> None:
    qrels = {query: {"d": 1} for query in "abc"}
    steady = {query: {"x": 2.0, "d": 1.0} for query in "abc"}  # 1/2 each time
    moody = {"a": {"d": 1.0}, "b": {"d": 1.0}, "c": {"x": 1.0}}  # 1, 1 and 0
    scores = ge.evaluate(qrels, {"steady": steady, "moody": moody}, "RR")
    assert [run.name for run in scores.sorted_by("RR").runs] == ["moody", "steady"]
    assert [run.name for run in scores.sorted_by("RR", "min").runs] == ["steady", "moody"]


def test_all_that_belongs_to_a_run_moves_with_it() -> None:
    before = scored("AP", "RR", bounds=True)
    after = before.sorted_by("AP")
    assert before.mean() == after.mean()
    assert before.extreme_means("low") == after.extreme_means("low")
    assert before.extreme_means("high") == after.extreme_means("high")
    for run in RUNS:
        one, other = before.run_index(run), after.run_index(run)
        assert before[run, "AP"] == after[run, "AP"]
        assert before.num_queries(run) == after.num_queries(run)
        np.testing.assert_equal(before.numerator[one], after.numerator[other])
        np.testing.assert_equal(before.denominator[one], after.denominator[other])
        assert before.intervals is not None
        assert after.intervals is not None
        np.testing.assert_equal(before.intervals.low[one], after.intervals.low[other])
        np.testing.assert_equal(before.intervals.high[one], after.intervals.high[other])


def test_what_was_not_computed_cannot_be_sorted_by() -> None:
    with pytest.raises(GermaneError, match="'RR' was not computed"):
        scored("AP").sorted_by("RR")


def test_bounds_of_a_count_are_sums_like_the_count_itself() -> None:
    qrels = {"q1": {"d1": 1}, "q2": {"d1": 1}}
    run = {"q1": {"d1": 2.0, "new": 1.0}, "q2": {"d1": 2.0, "new": 1.0}}
    scores = ge.evaluate(qrels, run, ["NumRelRet", "P@2"], bounds=True)
    assert scores.extreme_means("low") == {"run": [2.0, 0.5]}
    assert scores.extreme_means("high") == {"run": [4.0, 1.0]}
