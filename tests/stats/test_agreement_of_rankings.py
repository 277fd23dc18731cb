"""Two runs, two leaderboards, and measures over systems: what is paired with what, and what is said about it."""

import math

import pytest

from germane.api.rankings.evaluation import evaluate
from germane.errors import GermaneError, InputError
from germane.stats.rankings.agreement_of_rankings import between_leaderboards, between_measures, between_runs
from germane.tables.rankings.run import Run

A = Run.from_dict({"q2": {"x": 2.0, "y": 1.0}, "q1": {"a": 3.0, "b": 2.0, "c": 1.0}, "only": {"a": 1.0}}, name="A")
B = Run.from_dict({"q1": {"a": 9.0, "c": 8.0, "b": 7.0}, "q2": {"x": 5.0, "z": 4.0}}, name="B")


def codes(found: object) -> list[str]:
    return [note.code for note in found.notes]  # type: ignore[attr-defined]


def test_runs_are_compared_query_by_query_in_byte_order() -> None:
    found = between_runs(A, B, "tau-a")
    assert [pair.of for pair in found.pairs] == ["q1", "q2"]
    assert found["q1"] == {"tau-a": pytest.approx(1 / 3)}
    assert found["q2"] == {"tau-a": pytest.approx(1 / 3)}  # x y z and x z y
    assert found.mean() == {"tau-a": pytest.approx(1 / 3)}
    assert [(pair.num_items, pair.num_common) for pair in found.pairs] == [(3, 3), (3, 1)]
    assert codes(found) == ["unpaired-queries", "unshared-items"]


def test_what_one_run_lacks_may_be_left_out() -> None:
    found = between_runs(A, B, "tau-a rbo-a", missing="common")
    assert math.isnan(found["q2"]["tau-a"])  # x alone is left
    assert found["q2"]["rbo-a"] == pytest.approx(1)
    assert found.mean()["tau-a"] == pytest.approx(1 / 3)
    assert [note.message for note in found.notes][-1] == (
        "1 query for which tau-a is undefined (fewer than two items); the mean skips them"
    )


def test_a_depth_cuts_both_runs_first() -> None:
    found = between_runs(A, B, "tau-a", depth=2)
    assert found["q1"] == {"tau-a": pytest.approx(1 / 3)}  # a b c and a c b, again
    assert between_runs(A, B, "rbo-a", depth=1)["q1"] == {"rbo-a": pytest.approx(1)}


def test_a_query_without_documents_is_undefined_and_not_perfect() -> None:
    empty = Run.from_dict({"q1": {}, "q2": {"x": 2.0, "y": 1.0}})
    found = between_runs(empty, A, "spearman rbo-a")
    assert all(map(math.isnan, found["q1"].values()))
    assert found["q2"]["spearman"] == 1


def test_runs_that_cannot_be_compared() -> None:
    with pytest.raises(GermaneError, match="the runs share no query: A has q2, q1, only, run has q9"):
        between_runs(A, Run.from_dict({"q9": {"a": 1.0}}))
    twice = Run.from_columns(["q1", "q1"], ["a", "a"], [2.0, 1.0])
    with pytest.raises(InputError, match="query 'q1': duplicate item b'a'"):
        between_runs(twice, A)
    with pytest.raises(GermaneError, match="expected a depth ≥ 1, found 0"):
        between_runs(A, B, depth=0)


OURS = {"AP": {"bm25": 0.3, "dense": 0.4, "both": 0.5}, "E@5": {"bm25": 0.3, "dense": 0.2, "both": 0.1}}


def test_leaderboards_go_by_the_names_of_systems_and_the_meaning_of_measures() -> None:
    theirs = {"map": {"dense": 0.1, "bm25": 0.2, "both": 0.3, "other": 0.9}, "team": {"bm25": 1.0}}
    found = between_leaderboards(OURS, theirs, "tau-a")
    assert [pair.of for pair in found.pairs] == ["AP"]
    assert found["AP"] == {"tau-a": pytest.approx(1 / 3)}
    assert [(pair.num_items, pair.num_common) for pair in found.pairs] == [(4, 3)]
    assert codes(found) == ["unshared-items"]


def test_single_columns_are_compared_whatever_they_are_called_and_errors_are_turned_round() -> None:
    found = between_leaderboards({"E@5": OURS["E@5"]}, {"value": OURS["AP"]}, "tau-a")
    assert found["E@5 / value"] == {"tau-a": 1.0}


def test_leaderboards_that_cannot_be_compared() -> None:
    with pytest.raises(GermaneError, match="no shared system for AP: first has bm25, dense, both, second has x"):
        between_leaderboards(OURS, {"AP": {"x": 1.0}})
    with pytest.raises(GermaneError, match="the leaderboards share no measure: first has AP, E@5, second has RR"):
        between_leaderboards(OURS, {"RR": {"bm25": 1.0}})
    with pytest.raises(GermaneError, match="measure 'RR' is not in both files"):
        between_leaderboards(OURS, OURS, measures=["RR"])
    with pytest.raises(GermaneError, match="duplicate measure AP"):
        between_leaderboards(OURS, {"AP": OURS["AP"], "map": OURS["AP"]})


def test_one_system_in_common_and_unknown_values_are_undefined_with_a_note() -> None:
    one = between_leaderboards(OURS, {"AP": {"bm25": 1.0, "x": 2.0}}, "tau-b")
    assert math.isnan(one["AP"]["tau-b"])
    assert codes(one) == ["unshared-items", "undefined"]
    unknown = between_leaderboards(OURS, {"AP": {**OURS["AP"], "dense": math.nan}}, "tau-b")
    assert math.isnan(unknown["AP"]["tau-b"])
    assert codes(unknown) == ["nan-values", "undefined"]


QRELS = {"q1": {"a": 1, "b": 1}, "q2": {"x": 1}}
RUNS = {
    "good": {"q1": {"a": 3.0, "b": 2.0}, "q2": {"x": 1.0}},
    "fair": {"q1": {"n": 3.0, "b": 2.0}, "q2": {"x": 1.0}},
    "bad": {"q1": {"n": 3.0, "b": 2.0}, "q2": {"n": 1.0}},
}


def test_measures_are_compared_by_the_order_of_the_systems() -> None:
    found = between_measures(evaluate(QRELS, RUNS, "AP E@2 RR"), "tau-b tau-ap")
    assert found.systems == ("good", "fair", "bad")
    assert found["AP", "RR"]["tau-b"] == pytest.approx(1)
    assert found["AP", "E@2"]["tau-b"] == pytest.approx(1)  # lower is better there
    assert codes(found) == ["unjudged", "unjudged", "reversed-measures"]


def test_means_that_differ_by_rounding_alone_are_tied() -> None:
    runs = {
        "0.2 three times": {q: {"a": 5.0, "b": 4.0} for q in "123"},
        "0.3 0.2 0.1": {"1": {"a": 5.0, "b": 4.0, "c": 3.0}, "2": {"a": 2.0, "b": 1.0}, "3": {"a": 1.0}},
    }
    scores = evaluate({q: {"a": 1, "b": 1, "c": 1} for q in "123"}, runs, "P@10 R@3")
    first, second = (values["P@10"] for values in scores.mean().values())
    assert first != second
    assert math.isclose(first, second)
    found = between_measures(scores, "tau-b")
    assert math.isnan(found["P@10", "P@10"]["tau-b"])
    assert codes(found) == ["ties", "undefined"]


def test_measures_need_two_systems_and_two_measures() -> None:
    with pytest.raises(GermaneError, match="at least two runs"):
        between_measures(evaluate(QRELS, {"good": RUNS["good"]}, "AP RR"), "tau-b")
    with pytest.raises(GermaneError, match="at least two measures"):
        between_measures(evaluate(QRELS, RUNS, "AP"), "tau-b")
