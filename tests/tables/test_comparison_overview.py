"""Many systems: people get a page with the top of the ranking, programs get all pairs."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import germane as ge
from germane.tables.results.columns import Table
from germane.tables.results.comparison_overview import MOST_SYSTEMS


def compared(number: int, **how: Any) -> ge.stats.SystemComparison:
    """Systems of which each is .002 better than the one before, on 50 queries with noise; half of 30 are far worse."""
    made = np.random.default_rng(1)
    level = made.uniform(0.2, 0.6, 50)
    systems = {
        f"run{i:03d}": {f"q{j}": float(level[j] + 0.002 * i - 0.2 * (i % 2) + made.normal(0, 0.05)) for j in range(50)}
        for i in range(number)
    }
    found: ge.stats.SystemComparison = ge.compare(systems, **how)
    return found


def tables_shown(comparison: ge.stats.SystemComparison) -> dict[str, Table]:
    return {each.name: each for each in comparison.shown() if isinstance(each, Table)}


def column(table: Table, key: str) -> list[Any]:
    return list(next(column for column in table.columns if column.key == key).values)


def test_126_runs_are_a_page_for_people_and_all_pairs_for_programs() -> None:
    comparison = compared(126)
    assert len(str(comparison).splitlines()) <= 60
    assert "Not shown: 7,856 pairs, 106 systems" in str(comparison)
    assert len(comparison.to_csv().splitlines()) == 1 + 7875
    assert len(comparison.to_dict()["pairs"]) == 7875
    assert len(comparison.to_markdown(table="means").splitlines()) > 126


def test_the_ranking_has_the_best_first_and_says_who_is_tied() -> None:
    comparison = compared(30)
    ranking = tables_shown(comparison)["means"]
    means, marks = column(ranking, "value"), next(c for c in ranking.columns if c.key == "value").marks
    best = column(ranking, "run")[0]
    assert means == sorted(means, reverse=True)
    assert best == max(comparison.scores.mean(), key=lambda run: comparison.scores.mean()[run]["value"])
    for name, mark in zip(column(ranking, "run")[1:], marks[1:], strict=True):
        pair = comparison["value", *sorted((best, name))]
        assert (mark == "=") == (not pair.significant(comparison.alpha))
    assert "=" in marks[1:]
    assert "" in marks


def test_the_pairs_that_matter_are_those_with_the_best_or_the_baseline() -> None:
    for how in ({}, {"baseline": "run004"}):
        comparison = compared(30, **how)
        shown = tables_shown(comparison)
        other = comparison.baseline or column(shown["means"], "run")[0]
        pairs = list(zip(column(shown["pairs"], "a"), column(shown["pairs"], "b"), strict=True))
        assert pairs
        assert all(other in pair for pair in pairs)
        assert other in column(shown["means"], "run")


def test_against_a_baseline_marks_say_better_or_worse() -> None:
    comparison = compared(30, baseline="run001")
    ranking = tables_shown(comparison)["means"]
    marks = dict(zip(column(ranking, "run"), next(c for c in ranking.columns if c.key == "value").marks, strict=True))
    assert marks["run028"] == "+"
    assert marks["run001"] == ""


@pytest.mark.parametrize("number", [2, MOST_SYSTEMS])
def test_of_a_few_systems_all_pairs_are_shown(number: int) -> None:
    comparison = compared(number)
    assert len(tables_shown(comparison)["pairs"]) == len(comparison.pairs)
    assert "Not shown" not in str(comparison)


def test_slices_and_several_measures_still_fit_a_page() -> None:
    qrels = {f"q{i}": {f"d{j}": (i + j) % 2 for j in range(6)} for i in range(8)}
    made = np.random.default_rng(2)
    runs = {f"run{i}": {q: {f"d{j}": float(made.uniform()) for j in range(6)} for q in qrels} for i in range(12)}
    slices = {query: "odd" if int(query[1:]) % 2 else "even" for query in qrels}
    comparison = ge.compare(ge.evaluate(qrels, runs, ["AP", "RR", "P@3"], slices=slices))
    assert len(str(comparison).splitlines()) <= 75
    assert {*column(tables_shown(comparison)["means"], "slice")} == {"", "even", "odd"}
