"""Errors of measures: what they are called, what they take and what they are computed from, each provoked."""

from __future__ import annotations

import numpy as np
import pytest

import germane as ge
from germane.errors import GermaneError
from germane.measures.agreement.tally import Patterns
from germane.measures.decisions.at_thresholds import drawn_places
from germane.measures.decisions.clustering import pair_f, v_measure
from germane.measures.decisions.densities import mean_log_likelihood
from germane.measures.decisions.expressions import Expression
from germane.measures.decisions.measure import DECISION_MEASURES
from germane.measures.decisions.scores.calibration import calibration_curve, expected_calibration_error
from germane.tables.rankings.judged_run import JudgedRun, Worked
from tests.errors.provoking import provoked
from tests.laws.specimens import registered

DECISIONS = ge.Decisions.of([True, True, False, False], [0.8, 0.6, 0.6, 0.1])
TRUTH = {"q1": {"d1": 3, "d2": 0}}
RUN = {"q1": {"d1": 2.0, "d2": 1.0}}

test_names = provoked(
    [
        (
            "expected a measure such as nDCG@10 or AP(rel=2), found 'R@5(rel=2)'\nHint: write parameters before the @",
            lambda: ge.measures.MEASURES.parse("R@5(rel=2)"),
        ),
        ("nDCG has no parameter 'gian'; did you mean gain?", lambda: ge.measures.MEASURES.parse("nDCG(gian=exp)@10")),
        ("AP: expected parameter=value, found '2'", lambda: ge.measures.MEASURES.parse("AP(2)")),
        ("measure 'AP' is already registered", lambda: ge.measure("AP", bounds=(0, 1))(lambda run: run)),
        (
            "measure 'AUC' is already registered",
            lambda: DECISION_MEASURES.define("AUC", of="scores", bounds=(0, 1))(lambda decisions: 0.0),
        ),
    ]
)


def test_what_stands_after_the_at_is_a_number() -> None:
    """No measure of ours can be asked so; one that a user registers can."""

    def half(run: JudgedRun, *, which: str = "first") -> Worked:
        raise AssertionError

    with registered(half, at="which"), pytest.raises(GermaneError, match="number after Specimen@, found 'second'"):
        ge.measures.MEASURES.parse("Specimen@second")


test_gains = provoked(
    [
        ("gain=1:3/2:9 has no entry for grade 3", lambda: ge.evaluate(TRUTH, RUN, "nDCG(gain=1:3/2:9)")),
        ("expected gain=linear, gain=exp or a table such as", lambda: ge.evaluate(TRUTH, RUN, "nDCG(gain=log)")),
    ]
)

test_formulas = provoked(
    [
        ("'TP +' is not a formula", lambda: Expression("TP +")),
        ("the formula needs FN", lambda: Expression("TP / (TP + FN)")(TP=1)),
    ]
)

test_what_measures_of_decisions_take = provoked(
    [
        ("expected at least 1 bin, found 0", lambda: expected_calibration_error(DECISIONS, bins=0)),
        (
            "expected binning='equal mass' or 'equal width', found 'equal'",
            lambda: expected_calibration_error(DECISIONS, binning="equal"),
        ),
        ("expected a level between 0 and 1, found 90", lambda: calibration_curve(DECISIONS, level=90)),
        ("expected a beta above 0, found 0", lambda: pair_f([[1, 0], [0, 1]], beta=0)),
        ("expected a beta above 0, found -1", lambda: v_measure([[1, 0], [0, 1]], beta=-1)),
        (
            "expected 2 weights (one per item) of 0 or more, at least one above 0",
            lambda: mean_log_likelihood([-1.0, -2.0], weight=[1, -1]),
        ),
        ("expected at least 1 point to keep, found 0", lambda: drawn_places(np.zeros(2), np.ones(2), points=0)),
    ]
)

test_tables_of_grades = provoked(
    [
        ("expected a table of items × assessors, found shape (3,)", lambda: Patterns([0, 1, 1])),
        ("expected grades of the scale 0, 1, found 2", lambda: Patterns([[0, 1], [1, 2]], grades=[0, 1])),
    ]
)
