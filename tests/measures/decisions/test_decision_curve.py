"""Decision curves and cost curves against what trying every threshold gives."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from germane.errors import MeasureError
from germane.measures.decisions.rates import RATES
from germane.measures.decisions.scores.decision_curve import ACT_AT, cost_curve, decision_curve
from germane.measures.decisions.scores.roc import roc_curve
from germane.tables.decisions.decisions import Decisions

ITEMS = st.lists(st.tuples(st.booleans(), st.integers(0, 10)), min_size=2, max_size=30).filter(
    lambda rows: len({truth for truth, _ in rows}) == 2
)


def decisions(rows: list[tuple[bool, int]]) -> Decisions:
    truth, score = zip(*rows, strict=True)
    return Decisions.of(truth, np.asarray(score) / 10)


@settings(max_examples=40)
@given(rows=ITEMS)
def test_net_benefit_is_the_rate_of_that_name_at_each_threshold(rows: list[tuple[bool, int]]) -> None:
    seen = decisions(rows)
    curve = decision_curve(seen)
    for place in (0, 9, 49, 98):
        act_at = float(ACT_AT[place])
        expected = RATES["net_benefit"](seen.at(act_at), act_at=act_at)
        assert curve.net_benefit[place] == pytest.approx(float(expected))


@settings(max_examples=20)
@given(rows=ITEMS)
def test_the_standard_error_is_that_of_the_mean_over_items(rows: list[tuple[bool, int]]) -> None:
    truth, score = (np.asarray(column) for column in zip(*rows, strict=True))
    curve = decision_curve(decisions(rows), np.asarray([0.3]))
    acted = score / 10 >= 0.3
    each = np.where(acted, np.where(truth, 1.0, -0.3 / 0.7), 0.0)
    assert curve.net_benefit[0] == pytest.approx(each.mean())
    assert curve.error[0] == pytest.approx(each.std(ddof=1) / np.sqrt(len(each)), abs=1e-7)


def test_acting_on_all_is_the_net_benefit_of_a_score_that_is_always_one() -> None:
    seen = Decisions.of([True, False, False, False], [1.0] * 4)
    curve = decision_curve(seen)
    assert curve.act_on_all == pytest.approx(curve.net_benefit)


def test_a_decision_curve_needs_probabilities() -> None:
    with pytest.raises(MeasureError, match="needs probabilities, found scores outside"):
        decision_curve(Decisions.of([True, False], [2.0, -1.0]))


@settings(max_examples=40)
@given(rows=ITEMS)
def test_the_cost_curve_is_the_lowest_line_of_all_thresholds(rows: list[tuple[bool, int]]) -> None:
    seen = decisions(rows)
    curve, roc = cost_curve(seen), roc_curve(seen)
    shares = np.linspace(0, 1, 21)
    lines = roc.fpr[:, None] * (1 - shares) + (1 - roc.tpr)[:, None] * shares
    assert np.interp(shares, curve.positive_share, curve.cost) == pytest.approx(lines.min(axis=0))
    assert (np.diff(curve.positive_share) >= 0).all()
    assert len(curve.thresholds) == len(curve.cost)


def test_without_a_class_costs_are_undefined() -> None:
    assert np.isnan(cost_curve(Decisions.of([True, True], [0.2, 0.9])).cost).any()
