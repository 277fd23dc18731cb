"""`germane.correlate`: the function behind the command, for files and for what is in memory."""

from __future__ import annotations

from pathlib import Path

import pytest

import germane as ge
from germane.errors import GermaneError

FIRST = {"q1": {"d1": 3.0, "d2": 2.0, "d3": 1.0}}
SECOND = {"q1": {"d1": 9.0, "d3": 8.0, "d2": 7.0}}
SPRING = {"bm25": 0.25, "dense": 0.28, "hybrid": 0.31}
AUTUMN = {"bm25": 0.26, "dense": 0.24, "hybrid": 0.33}


def test_two_runs_in_memory_and_in_files_are_the_same(tmp_path: Path) -> None:
    paths = []
    for name, run in (("a", FIRST), ("b", SECOND)):
        lines = [f"{q} Q0 {d} 1 {score} {name}\n" for q, docs in run.items() for d, score in docs.items()]
        (tmp_path / f"{name}.run").write_text("".join(lines))
        paths.append(tmp_path / f"{name}.run")
    expected = {"tau-a": pytest.approx(1 / 3), "tau-ap": 0.5}
    for a, b in ((FIRST, SECOND), paths, [ge.read_run(path) for path in paths]):
        found = ge.correlate(a, b, "tau-a tau-ap")
        assert found.between == "runs"
        assert found["q1"] == expected
    pair = ge.correlate(paths[0], paths[1], "tau-a").pairs[0]
    assert (pair.first, pair.second) == ("a", "b")


def test_leaderboards_by_system_by_measure_and_of_scores_are_the_same(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("run,AP\n" + "".join(f"{run},{value}\n" for run, value in SPRING.items()))
    for a, b in (
        (SPRING, AUTUMN),
        ({"AP": SPRING}, {"map": AUTUMN}),
        (tmp_path / "a.csv", {"AP": AUTUMN}),
    ):
        found = ge.correlate(a, b, "tau-a")
        assert found.between == "leaderboards"
        assert found.mean() == {"tau-a": pytest.approx(1 / 3)}
    scores = ge.Scores.of({name: {"q1": value, "q2": value} for name, value in SPRING.items()})
    assert ge.correlate(scores, AUTUMN, "tau-a").mean() == {"tau-a": pytest.approx(1 / 3)}


def test_equal_mappings_agree_in_whatever_order_they_are_written() -> None:
    assert ge.correlate({"a": 1, "b": 2}, {"b": 2, "a": 1}, "tau-b").mean() == {"tau-b": 1.0}


WRONG = [
    (lambda: ge.correlate({"AP": SPRING, "mine": SPRING}, {"AP": AUTUMN}), "use `kind='run'` or `kind='leaderboard'`"),
    (lambda: ge.correlate(FIRST, {"AP": AUTUMN}), "a dict looks like a run, a dict looks like a leaderboard"),
    (lambda: ge.correlate(FIRST, SECOND, measures="AP"), "measures require leaderboards"),
    (lambda: ge.correlate(FIRST, SECOND, kind="board"), "expected kind to be run or leaderboard"),  # type: ignore[arg-type]
    (lambda: ge.correlate({}, {}, kind="leaderboard"), "expected values by system"),
    (
        lambda: ge.correlate({"AP": {"a": "x"}}, {"AP": {"a": 1}}, kind="leaderboard"),
        "expected a number for each system",
    ),
]


@pytest.mark.parametrize(("call", "message"), WRONG)
def test_wrong_input_gets_a_clear_word(call: object, message: str) -> None:
    assert callable(call)
    with pytest.raises(GermaneError, match=message):
        call()


def test_kind_decides_what_a_dict_of_dicts_is() -> None:
    found = ge.correlate({"AP": SPRING, "mine": SPRING}, {"AP": AUTUMN, "mine": AUTUMN}, kind="leaderboard")
    assert [pair.of for pair in found.pairs] == ["AP", "mine"]
    assert ge.correlate({"AP": SPRING}, {"AP": AUTUMN}, kind="run").between == "runs"


def test_measures_over_systems() -> None:
    scores = ge.evaluate({"q1": {"d1": 1, "d2": 1}}, {"a": FIRST, "b": SECOND}, ["AP", "P@2"])
    found = ge.correlate(scores)
    assert (found.between, found.systems, found.coefficients) == ("measures", ("a", "b"), ("tau-b",))
    assert found["AP", "P@2"].keys() == {"tau-b"}
    with pytest.raises(GermaneError, match="no shared pair of measures"):
        found["AP", "P@3"]


def test_one_ranking_is_not_enough() -> None:
    with pytest.raises(GermaneError, match="expected two rankings, or Scores alone, found one dict"):
        ge.correlate({"AP": SPRING})
    scores = ge.evaluate({"q1": {"d1": 1}}, {"a": FIRST, "b": SECOND}, ["AP", "P@2"])
    with pytest.raises(GermaneError, match="kind, measures and missing require two rankings"):
        ge.correlate(scores, missing="append")
