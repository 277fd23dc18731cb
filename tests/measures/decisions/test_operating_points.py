"""Rates at limits of other rates, gain and lift: by hand, against scikit-learn's curves, and by definition."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import precision_recall_curve, roc_curve

from germane.errors import MeasureError
from germane.measures.decisions.explain import explain_scores
from germane.measures.decisions.measure import DECISION_MEASURES
from germane.measures.decisions.names import canonical_name, lower_is_better
from germane.measures.decisions.scores.constrained import Limit, parse_limits, unmet
from germane.measures.decisions.scores.gains import gain, gains_curve, lift
from germane.tables.decisions.confusion import Cells
from germane.tables.decisions.decisions import Decisions

# Ten items, highest score first: P N P P N P N N P N. Five of each class.
RANKED = Decisions.of([c == "P" for c in "PNPPNPNNPN"], np.arange(10, 0, -1))
BY_HAND = [
    # measure                      expected          why
    ("TPR(at_fpr=0)", Fraction(1, 5), "the first positive, before any negative"),
    ("TPR(at_fpr=0.19)", Fraction(1, 5), "one false positive would be a fifth"),
    ("TPR(at_fpr=0.2)", Fraction(3, 5), "one false positive of five is just allowed"),
    ("TPR(at_fpr=40%)", Fraction(4, 5), "two false positives"),
    ("TPR(at_fpr=1)", Fraction(1), "everything may be positive"),
    ("TPR(at_tnr=0.8)", Fraction(3, 5), "the same limit, by the complement"),
    ("FNR(at_fpr=0.2)", Fraction(2, 5), "the complement of TPR"),
    ("FPR(at_tpr=0.8)", Fraction(2, 5), "four positives come with two negatives"),
    ("TNR(at_tpr=0.8)", Fraction(3, 5), "its complement"),
    ("FPR(at_fnr=0.2)", Fraction(2, 5), "a miss of a fifth is a recall of four fifths"),
    ("PPV(at_tpr=0.6)", Fraction(3, 4), "P N P P"),
    ("PPV(at_tpr=0.2)", Fraction(1), "the first item alone"),
    ("FDR(at_tpr=0.6)", Fraction(1, 4), "the complement of PPV"),
    ("TPR(at_ppv=0.75)", Fraction(3, 5), "three of four"),
    ("TPR(at_ppv=0.6)", Fraction(4, 5), "four of six, since five of nine are too few"),
    ("TPR(at_predicted=0.3)", Fraction(2, 5), "two of the first three"),
    ("NPV(at_fpr=0.2)", Fraction(4, 6), "below the fourth item: two positives of six"),
    ("F1(at_fpr=0.2)", Fraction(6, 9), "P N P P: 2·3 / (2·3 + 2 + 1)"),
    ("F1(at_fpr=0, at_ppv=1)", Fraction(2, 6), "the first item alone: 2 / (2 + 4)"),
    ("gain(at=0.1)", Fraction(1, 5), "the first item is positive"),
    ("gain(at=0.25)", Fraction(3, 10), "P N and half of P"),
    ("gain(at=1)", Fraction(1), "all items"),
    ("lift(at=0.1)", Fraction(2), "all of the top tenth, half of all"),
    ("lift(at=0.4)", Fraction(3, 2), "three of four, half of all"),
]


@pytest.mark.parametrize(("name", "expected", "why"), BY_HAND)
def test_operating_points_by_hand(name: str, expected: Fraction, why: str) -> None:
    assert DECISION_MEASURES.parse(name)(RANKED) == pytest.approx(float(expected), abs=1e-15), why


SPELLED = [
    # written                  canonical name
    ("TPR@FPR=.01", "TPR(at_fpr=0.01)"),
    ("TPR@FPR=1%", "TPR(at_fpr=0.01)"),
    ("tpr@fpr=1%", "TPR(at_fpr=0.01)"),
    ("recall@fallout=1%", "TPR(at_fpr=0.01)"),
    ("recall(at_precision=.9)", "TPR(at_ppv=0.9)"),
    ("F2(at_fpr=0.010)", "F2(at_fpr=0.01)"),
    ("F(beta=0.5, at_fpr=0.1)", "F0.5(at_fpr=0.1)"),
    ("net_benefit(act_at=0.1, at_tpr=.9)", "net_benefit(act_at=0.1, at_tpr=0.9)"),
    ("TPR(at_fpr=.1,at_ppv=.5)", "TPR(at_fpr=0.1, at_ppv=0.5)"),
    ("rate_at", "TPR(at_fpr=0.01)"),
    ("gain(at=20%)", "gain(at=0.2)"),
]


@pytest.mark.parametrize(("written", "name"), SPELLED)
def test_every_spelling_has_one_canonical_name_which_parses_to_itself(written: str, name: str) -> None:
    assert canonical_name(written) == name == canonical_name(name)
    assert DECISION_MEASURES.parse(written) == DECISION_MEASURES.parse(name)


def test_a_limit_of_many_digits_is_kept_exactly() -> None:
    name = "TPR(at_fpr=0.30000000000000000000001)"
    assert canonical_name(name) == name
    assert parse_limits("at_fpr=0.30000000000000000000001")[0].bound > Fraction("0.3")


MEANINGLESS = [
    # written                    part of the message
    ("TPR(at_tpr=0.5)", "has no meaning"),
    ("TPR(at_npv=0.5)", "has no meaning"),
    ("PPV(at_fpr=0.01)", "has no meaning"),
    ("FPR(at_predicted=0.1)", "has no meaning"),
    ("prevalence(at_fpr=0.1)", "no better direction"),
    ("predicted(at_tpr=0.9)", "no better direction"),
    ("TPR(at_fpr=1.5)", "between 0 and 1"),
    ("TPR(at_fpr=-1%)", "between 0 and 1"),
    ("TPR(at_fpr=few)", "expected a share for at_fpr"),
    ("TPR(at_fpr=0.1, at_fallout=0.2)", "expected at_fpr once"),
    ("TPR(at_mcc=0.5)", "unknown limit 'at_mcc'"),
    ("net_benefit(at_tpr=0.5)", "net_benefit requires act_at"),
    ("gain(at=0)", "above 0"),
]


@pytest.mark.parametrize(("written", "message"), MEANINGLESS)
def test_a_combination_without_meaning_says_why(written: str, message: str) -> None:
    with pytest.raises(MeasureError, match=message):
        canonical_name(written)


def test_a_limit_that_no_threshold_meets_gives_nan_and_the_reason() -> None:
    upside_down = Decisions.of([False, True], [0.9, 0.2])
    assert math.isnan(DECISION_MEASURES.parse("TPR(at_ppv=0.8)")(upside_down))
    assert unmet(upside_down, parse_limits("at_ppv=0.8")) == "no threshold meets PPV >= 0.8; the highest PPV is 0.5"
    assert "lowest FDR is 0.5" in unmet(upside_down, parse_limits("at_fdr=0.1"))
    assert "no threshold meets all of" in unmet(upside_down, parse_limits("at_fpr=0, at_ppv=0.5"))
    no_negatives = Decisions.of([True, True], [0.9, 0.2])
    assert "undefined at every threshold" in unmet(no_negatives, parse_limits("at_fpr=0.1"))
    assert unmet(RANKED, parse_limits("at_fpr=0.1")) == ""


def test_the_direction_of_a_constrained_rate_is_that_of_the_rate() -> None:
    assert lower_is_better("FPR(at_tpr=0.95)")
    assert not lower_is_better("TPR(at_fpr=0.05)")
    assert DECISION_MEASURES.parse("FPR(at_tpr=0.95)").better == "lower"
    assert DECISION_MEASURES.parse("MCC(at_fpr=0.05)").bounds == (-1, 1)


def test_products_too_large_for_floats_are_compared_exactly() -> None:
    many = 10**6
    cells = Cells(*(np.asarray([n]) for n in (1, 3 * many, 1, 7 * many)))
    below = Fraction(3, 10) - Fraction(1, 1 << 70)
    assert Limit("FPR", Fraction(3, 10)).met(cells, weighted=False).tolist() == [True]
    assert Limit("FPR", below).met(cells, weighted=False).tolist() == [False]


ITEMS = st.lists(st.tuples(st.booleans(), st.integers(0, 6)), min_size=2, max_size=40).filter(
    lambda rows: len({truth for truth, _ in rows}) == 2
)


@settings(max_examples=60)
@given(rows=ITEMS, limit=st.sampled_from([0.0, 0.01, 0.1, 0.25, 0.3, 0.5, 1.0]))
def test_constrained_rates_are_those_of_scikit_learns_curves(rows: list[tuple[bool, int]], limit: float) -> None:
    truth, scores = map(list, zip(*rows, strict=True))
    decisions = Decisions.of(truth, scores)
    fpr, tpr, _ = roc_curve(truth, scores, drop_intermediate=False)
    found = {name: DECISION_MEASURES.parse(f"{name}={limit!r})")(decisions) for name in ("TPR(at_fpr", "FPR(at_tpr")}
    assert found["TPR(at_fpr"] == pytest.approx(tpr[fpr <= limit].max(), abs=1e-12)
    assert found["FPR(at_tpr"] == pytest.approx(fpr[tpr >= limit].min(), abs=1e-12)
    precision, recall, _ = precision_recall_curve(truth, scores)
    best = precision[:-1][recall[:-1] >= limit].max()  # without the point (0, 1), which no threshold reaches
    assert DECISION_MEASURES.parse(f"PPV(at_tpr={limit!r})")(decisions) == pytest.approx(best, abs=1e-12)


@settings(max_examples=40)
@given(rows=ITEMS, limit=st.sampled_from([0.0, 0.1, 0.25, 0.5, 0.9]), weight=st.integers(2, 5))
def test_fractional_weights_give_what_whole_ones_give(rows: list[tuple[bool, int]], limit: float, weight: int) -> None:
    truth, scores = map(list, zip(*rows, strict=True))
    whole = Decisions.of(truth, scores)
    shared = Decisions.of(truth, scores, [weight + 0.1] * len(rows))
    for name in (f"TPR(at_fpr={limit!r})", f"NPV(at_fpr={limit!r})", f"TPR(at_ppv={limit!r})"):
        measure = DECISION_MEASURES.parse(name)
        assert measure(shared) == pytest.approx(measure(whole), nan_ok=True)


def _expected_gain(rows: list[tuple[bool, int]], top: int) -> float:
    """The mean over the orders of ties, by their hypergeometric expectation."""
    ordered = sorted({score for _, score in rows}, reverse=True)
    left, hits = top, 0.0
    for score in ordered:
        tied = [truth for truth, own in rows if own == score]
        taken = min(left, len(tied))
        hits, left = hits + taken * sum(tied) / len(tied), left - taken
    return hits / sum(truth for truth, _ in rows)


@settings(max_examples=60)
@given(rows=ITEMS, data=st.data())
def test_gain_is_the_mean_over_the_orders_of_ties(rows: list[tuple[bool, int]], data: st.DataObject) -> None:
    truth, scores = map(list, zip(*rows, strict=True))
    decisions, top = Decisions.of(truth, scores), data.draw(st.integers(1, len(rows)))
    expected = _expected_gain(rows, top)
    assert gain(decisions, at=top / len(rows)) == pytest.approx(expected)
    assert lift(decisions, at=top / len(rows)) == pytest.approx(expected * len(rows) / top)


def test_the_gains_curve_ends_with_everything() -> None:
    curve = gains_curve(RANKED)
    assert (curve.share[0], curve.gain[0], curve.share[-1], curve.gain[-1]) == (0, 0, 1, 1)
    assert curve.lift[-1] == 1


def test_gain_refuses_a_share_outside_its_range() -> None:
    with pytest.raises(MeasureError, match="above 0"):
        gain(RANKED, at=0)


@pytest.mark.parametrize(
    ("name", "line"),
    [
        ("TPR(at_fpr=0.2)", "TPR(at_fpr=0.2) = highest TPR where FPR <= 0.2, at threshold 7 = 0.6000"),
        ("FPR(at_tpr=0.8)", "FPR(at_tpr=0.8) = lowest FPR where TPR >= 0.8, at threshold 5 = 0.4000"),
        (
            "F1(at_predicted=0)",
            "F1(at_predicted=0) = highest F1 where predicted <= 0, with nothing predicted positive = 0.0000",
        ),
        ("lift(at=0.4)", "lift(at=0.4) = share of the positives in the top 0.4 of the items / 0.4 = 1.5000"),
    ],
)
def test_the_explanation_ends_with_the_threshold_and_the_value(name: str, line: str) -> None:
    assert explain_scores(name, RANKED).lines[-1] == line


def test_the_explanation_marks_the_thresholds_that_meet_the_limits() -> None:
    found = explain_scores("PPV(at_tpr=0.8)", RANKED)
    assert found.columns["met"] == [0, 0, 0, 0, 0, 1, 1, 1, 1, 1]
    upside_down = Decisions.of([False, True], [0.9, 0.2])
    assert "no threshold meets PPV >= 0.8" in explain_scores("TPR(at_ppv=0.8)", upside_down).lines[-1]
