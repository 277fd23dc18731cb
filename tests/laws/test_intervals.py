"""Law: no estimate lies outside its own interval, no interval ends before it begins or passes the measure's bounds."""

from __future__ import annotations

import ast
import math
from collections.abc import Iterable, Iterator
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import germane
from germane.measures.agreement.measure import AGREEMENT
from germane.measures.agreement.tally import Patterns
from germane.stats.intervals.agreement import resampled_weights
from germane.stats.intervals.bootstrap_ends import bootstrap_ends, tails_of
from tests.laws.interval_doors import DOORS, SHOWS, Row, Shown

ROUNDING = 1e-12
ROWS = st.lists(
    st.tuples(st.integers(0, 10), st.integers(0, 10), st.integers(0, 10), st.integers(1, 3)), min_size=3, max_size=24
)
NOT_AROUND_A_VALUE = {
    "Lead": "a pair of a comparison, which has a door, and its tests in test_retrieval_verdict.py",
    "Unjudged": "the extremes under unjudged documents, as those of Scores",
    "RankIntervals": "ranks in resamples, which tests/stats/test_rank_intervals.py holds around the rank",
    "CalibrationRows": "a band in which the fit would lie if every claim were true: to lie outside is a finding",
    "CalibrationCurve": "the same band",
    "ScoredRun": "the extremes under unjudged documents, which tests/measures/test_bounds.py holds around the value",
    "Scores": "the same extremes",
    "Replayed": "the lowest and the highest of the repeats that the value is the mean of",
    "Movement": "where resamples choose a threshold, said in words beside them; a choice is no estimate",
    "SimulatedRound": "made by mean_interval, around the mean that it computes itself",
    "FamilyIntervals": "the ends of the pairs of a comparison, which has a door",
    "Procedure": "made by mean_interval, around the means that it computes itself",
}
"""Classes with two ends that are no interval of an estimate, or whose interval has a door of another name."""


def contradictions(made: Iterable[Shown]) -> Iterator[str]:
    """Each estimate that its own interval contradicts."""
    for name, value, low, high, (lowest, highest) in made:
        near = ROUNDING * max(1.0, abs(value)) if math.isfinite(value) else 0.0
        if low > high:
            yield f"{name}: the interval [{low}, {high}] ends before it begins"
        if low > value + near or high < value - near:
            yield f"{name} = {value} lies outside [{low}, {high}]"
        if low < lowest - ROUNDING or high > highest + ROUNDING:
            yield f"{name}: the interval [{low}, {high}] passes the bounds {lowest} and {highest}"


@pytest.mark.parametrize("name", DOORS)
@settings(max_examples=12)
@given(rows=ROWS, level=st.sampled_from([0.5, 0.8, 0.95]))
def test_every_estimate_lies_in_its_interval_and_that_within_bounds(name: str, rows: list[Row], level: float) -> None:
    assert list(contradictions(DOORS[name](rows, level))) == []


def mean_of_kappas(table: np.ndarray) -> Shown:
    """The broken specimen: percentiles of the mean of pairwise kappas, whatever lies between them."""
    measure, patterns = AGREEMENT.parse("kappa_pooled"), Patterns(table, grades=(0, 1))
    drawn = np.concatenate(
        [measure.of(patterns, w) for _, w in resampled_weights(patterns, np.zeros(len(table), np.int64), 400, 0)]
    )
    low, high = np.nanquantile(drawn, tails_of(0.95)).tolist()
    return Shown("mean of kappas", float(measure.of(patterns)), low, high)


def crowd() -> np.ndarray:
    """Two of twenty assessors judge each of 400 documents, and are right in 92% of the cases."""
    random = np.random.default_rng(1)
    table = np.full((400, 20), np.nan)
    for row in table:
        relevant = random.random() < 0.3
        row[random.choice(20, 2, replace=False)] = np.where(random.random(2) < 0.92, relevant, not relevant)
    return table


def test_the_law_catches_the_mean_of_pairwise_kappas() -> None:
    [found] = contradictions([mean_of_kappas(crowd())])
    assert "lies outside" in found


@pytest.mark.parametrize(
    ("specimen", "words"),
    [
        (Shown("an area ± 1.96 · its error", 8 / 9, 0.5809, 1.1969, (0, 1)), "passes the bounds"),
        (Shown("a squared loss ± t · its error", 0.25, -0.5456, 1.0456, (0, math.inf)), "passes the bounds"),
        (Shown("ends exchanged", 0.5, 0.6, 0.4), "ends before it begins"),
    ],
)
def test_the_law_catches_other_contradictions(specimen: Shown, words: str) -> None:
    assert any(words in each for each in contradictions([specimen]))


def test_resamples_beside_the_value_give_no_interval() -> None:
    """Neither widened nor cut to fit: a reason."""
    low, high, obstacle = bootstrap_ends(0.56, np.linspace(0.2, 0.5, 400), tails_of(0.95))
    assert math.isnan(low)
    assert math.isnan(high)
    assert obstacle == "100% of resamples are below the value, so no interval is given"
    assert bootstrap_ends(1.0, np.ones(400), tails_of(0.95)).obstacle == "every resample gives 1"
    assert bootstrap_ends(1.0, np.asarray([1.0, math.inf]), tails_of(0.95)).obstacle == "infinite in some resamples"


def classes_with_ends(source: str) -> Iterator[str]:
    """Classes with a field or property that is called low, or whose name ends so."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.ClassDef):
            fields = [
                each.target.id
                for each in node.body
                if isinstance(each, ast.AnnAssign) and isinstance(each.target, ast.Name)
            ]
            properties = [each.name for each in node.body if isinstance(each, ast.FunctionDef)]
            if any(name == "low" or name.endswith("_low") for name in (*fields, *properties)):
                yield node.name


def test_every_class_with_two_ends_has_a_door_or_a_reason() -> None:
    files = Path(str(germane.__file__)).parent.rglob("*.py")
    found = {name for file in files for name in classes_with_ends(file.read_text(encoding="utf-8"))}
    doors = {name for classes in SHOWS.values() for name in classes}
    assert found - doors - set(NOT_AROUND_A_VALUE) == set()
    assert set(NOT_AROUND_A_VALUE) <= found - doors
    assert list(classes_with_ends("class New:\n    low: float\n    high: float\n")) == ["New"]
