"""DeLong: against the definition, pair by pair."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from scipy.special import logit

from germane.errors import GermaneError
from germane.stats.intervals.delong import _aucs, _checked, _covariance, _placements, auc_estimate, paired_delong
from germane.tables.columns.ids import BoolArray, FloatArray
from germane.tables.decisions.decisions import Decisions

RNG = np.random.default_rng(5)
TRUTH = RNG.random(80) < 0.4
SCORES = (10 * (RNG.normal(size=(80, 3)) + np.outer(TRUTH, [0.5, 1.0, 1.5]))).astype(int).astype(float)


def delong_covariance(is_positive: npt.ArrayLike, scores: npt.ArrayLike) -> tuple[FloatArray, FloatArray]:
    """The AUC of each system and their covariance, as `paired_delong` finds them."""
    below, above = _placements(*_checked(is_positive, scores))
    return _aucs(below, above), _covariance(below, above)


def pair_by_pair(truth: BoolArray, scores: FloatArray) -> tuple[FloatArray, FloatArray]:
    """The definition: every positive with every negative."""
    v10, v01 = [], []
    for column in scores.T:
        positive, negative = column[truth][:, None], column[~truth][None]
        kernel = (positive > negative) + 0.5 * (positive == negative)
        v10.append(kernel.mean(axis=1))
        v01.append(kernel.mean(axis=0))
    covariance = np.cov(v10) / len(v10[0]) + np.cov(v01) / len(v01[0])
    return np.asarray([row.mean() for row in v10]), np.atleast_2d(covariance)


# fmt: off
BY_HAND = [
    # truth               scores              AUC     variance             why
    ([1, 1, 0, 0],        [4, 2, 3, 1],       .75,    .125 / 2 + .125 / 2, "V10 = 1, ½; V01 = ½, 1"),
    ([1, 1, 0, 0],        [2, 1, 1, 0],       .875,   .03125,              "a tie: V10 = 1, ¾; V01 = ¾, 1"),
    ([1, 1, 1, 0, 0, 0],  [6, 5, 2, 4, 3, 1], 7 / 9,  5 / 81,              "V10 = 1, 1, ⅓; V01 = ⅔, ⅔, 1"),
]
NO_INTERVAL = [
    # truth          scores          AUC       remark                                     why
    ([1, 1, 0, 0],   [4, 3, 2, 1],   1,        "AUC is at least 0.224 with 95% confidence",   "0.05^(1/2): two pairs"),
    ([1, 1, 0, 0],   [1, 2, 3, 4],   0,        "AUC is at most 0.776 with 95% confidence",    "the other way"),
    ([1, 1, 0, 0],   [1, 1, 1, 1],   .5,       "DeLong's variance is 0",                  "all equal"),
    ([1, 0, 0],      [2, 3, 1],      .5,       "requires two of each",                       "one positive"),
    ([1, 1],         [2, 3],         math.nan, "no negatives",                  "one class"),
    ([0, 0],         [2, 3],         math.nan, "no positives",                  "one class"),
]
# fmt: on


@pytest.mark.parametrize(("truth", "scores", "auc", "variance", "why"), BY_HAND)
def test_by_hand(truth: list[int], scores: list[int], auc: float, variance: float, why: str) -> None:
    found = auc_estimate(Decisions.of(truth, scores))
    error = 1.959963984540054 * math.sqrt(variance)
    odds, widen = auc / (1 - auc), math.exp(error / (auc * (1 - auc)))
    ends = (odds / widen / (1 + odds / widen), odds * widen / (1 + odds * widen))
    assert (found.value, found.low, found.high) == pytest.approx((auc, *ends)), why
    assert found.method == "delong, logit"
    plain = auc_estimate(Decisions.of(truth, scores), scale="plain")
    assert (plain.low, plain.high) == pytest.approx((max(0, auc - error), min(1, auc + error))), why
    assert plain.method == "delong"


@pytest.mark.parametrize(("truth", "scores", "auc", "remark", "why"), NO_INTERVAL)
def test_where_there_is_no_interval_the_remark_says_why(
    truth: list[int], scores: list[int], auc: float, remark: str, why: str
) -> None:
    found = auc_estimate(Decisions.of(truth, scores))
    assert found.value == pytest.approx(auc, nan_ok=True), why
    assert not found.has_interval
    assert found.method == "none"
    assert remark in found.remark


def test_weights_that_are_not_whole_give_a_value_only() -> None:
    found = auc_estimate(Decisions.of([1, 0, 1, 0], [4, 3, 2, 1], [0.5, 1.5, 1.0, 1.0]))
    assert found.value == pytest.approx((0.5 * 2.5 + 1.0 * 1.0) / (1.5 * 2.5))
    assert found.remark == "weights are not integers"


@settings(max_examples=40)
@given(
    rows=st.lists(st.tuples(st.booleans(), st.integers(0, 6), st.integers(0, 6)), min_size=4, max_size=30).filter(
        lambda rows: 2 <= sum(row[0] for row in rows) <= len(rows) - 2
    )
)
def test_equals_the_definition(rows: list[tuple[bool, int, int]]) -> None:
    truth, scores = np.asarray([row[0] for row in rows]), np.asarray([row[1:] for row in rows], dtype=np.float64)
    aucs, covariance = pair_by_pair(truth, scores)
    found, found_covariance = delong_covariance(truth, scores)
    np.testing.assert_allclose(found, aucs, atol=1e-12)
    np.testing.assert_allclose(found_covariance, covariance, atol=1e-12)
    m, n = int(truth.sum()), int((~truth).sum())
    u = stats.mannwhitneyu(scores[truth, 0], scores[~truth, 0]).statistic
    assert found[0] == pytest.approx(u / (m * n))
    alone = auc_estimate(Decisions.of(truth, scores[:, 0]))
    assert alone.value == found[0]
    if alone.has_interval:
        error = float(np.diff(logit([alone.low, alone.high])).item()) / 2 * alone.value * (1 - alone.value)
        assert error == pytest.approx(1.959963984540054 * math.sqrt(covariance[0, 0]))
    else:
        assert covariance[0, 0] == pytest.approx(0, abs=1e-15)


def test_no_end_passes_the_bounds_of_an_area() -> None:
    """The plain interval of 8 of 9 pairs in order ended at 1.1969."""
    decisions = Decisions.of([1, 1, 1, 0, 0, 0], [6, 5, 3, 4, 2, 1])
    plain, found = auc_estimate(decisions, scale="plain"), auc_estimate(decisions)
    assert plain.high == 1
    assert 0 < found.low < found.value == plain.value < found.high < 1


def test_no_end_of_a_difference_passes_one() -> None:
    """All differences that two areas can have and that the test does not reject."""
    found = paired_delong([1, 1, 0, 0], [1, 3, 2, 4], [4, 2, 3, 1])
    assert found.difference == 0.5
    assert found.low < -0.1
    assert found.high == 1
    assert (found.low > 0) == (found.p < 0.05)


def test_whole_weights_mean_repetition() -> None:
    truth, scores, weights = [1, 1, 0, 0], [4, 2, 3, 1], [2, 3, 1, 2]
    repeated = Decisions.of(np.repeat(truth, weights), np.repeat(scores, weights))
    assert auc_estimate(Decisions.of(truth, scores, weights)) == auc_estimate(repeated)


def test_monotone_scores_change_nothing() -> None:
    for monotone in (np.exp, lambda s: s * 1e-300, lambda s: s**3):
        again = delong_covariance(TRUTH, monotone(SCORES))
        for ours, theirs in zip(again, delong_covariance(TRUTH, SCORES), strict=True):
            np.testing.assert_array_equal(ours, theirs)


def test_separated_classes_are_rare_below_the_bound() -> None:
    """With AUC at the bound, five positives and five negatives are fully apart in fewer than 5 % of samples."""

    def share_apart(auc: float) -> float:
        shift = math.sqrt(2) * stats.norm.ppf(auc)
        positive, negative = np.random.default_rng(1).normal(size=(2, 20_000, 5))
        return float((positive.min(axis=1) + shift > negative.max(axis=1)).mean())

    assert share_apart(0.05 ** (1 / 5)) < 0.05
    assert share_apart(0.05 ** (1 / 25)) > 0.05, "all 25 pairs taken as independent would promise too much"


# Two and more systems --------------------------------------------------------------------------------------------


def test_paired_test_by_the_covariance() -> None:
    aucs, covariance = pair_by_pair(TRUTH, SCORES[:, :2])
    found = paired_delong(TRUTH, SCORES[:, 0], SCORES[:, 1])
    error = math.sqrt(covariance[0, 0] + covariance[1, 1] - 2 * covariance[0, 1])
    assert found.difference == pytest.approx(aucs[1] - aucs[0])
    assert found.statistic == pytest.approx((aucs[1] - aucs[0]) / error)
    assert found.p == pytest.approx(2 * stats.norm.sf(abs(found.statistic)))
    assert (found.low + found.high) / 2 == pytest.approx(found.difference)
    assert found.high - found.low == pytest.approx(2 * 1.959963984540054 * error)


def test_swapping_the_systems_turns_the_sign() -> None:
    one, other = (paired_delong(TRUTH, *pair) for pair in (SCORES.T[:2], SCORES.T[1::-1]))
    assert (one.difference, one.low, one.high, one.p) == pytest.approx(
        (-other.difference, -other.high, -other.low, other.p)
    )


def test_the_same_order_differs_in_nothing() -> None:
    same = paired_delong(TRUTH, SCORES[:, 0], np.exp(SCORES[:, 0]))
    assert (same.difference, same.p) == (0, 1)
    opposite = paired_delong([1, 1, 0, 0], [4, 3, 2, 1], [1, 2, 3, 4])
    assert opposite.difference == -1
    assert math.isnan(opposite.p)
    assert "no spread" in opposite.remark
    assert "two of each" in paired_delong([1, 0, 0], [1, 2, 0], [3, 2, 1]).remark


def test_the_test_rejects_as_often_as_it_says() -> None:
    """Two systems with the same AUC, 400 times: 5 % of p-values below .05, give or take three standard errors."""
    rng = np.random.default_rng(11)
    truth = np.arange(80) < 40
    p = []
    for _ in range(400):
        signal = rng.normal(size=80) + truth
        p.append(paired_delong(truth, *(signal + 0.7 * rng.normal(size=(2, 80)))).p)
    assert np.mean(np.asarray(p) < 0.05) == pytest.approx(0.05, abs=3 * math.sqrt(0.05 * 0.95 / 400))


# fmt: off
REFUSED = [
    # truth        scores                  message
    ([1, 1],       [[1, 2], [3, 4]],       "requires positives and negatives, found 2 and 0"),
    ([1, 0],       [[1, 2]],               "a row of scores for each of 2 labels"),
    ([1, 0],       [[1, 2], [3, math.nan]], "NaN in row 2"),
]
# fmt: on


@pytest.mark.parametrize(("truth", "scores", "message"), REFUSED)
def test_bad_input_gets_a_clear_word(truth: list[int], scores: list[list[float]], message: str) -> None:
    with pytest.raises(GermaneError, match=message):
        delong_covariance(truth, scores)


def test_bad_choices_get_a_clear_word() -> None:
    with pytest.raises(GermaneError, match="unknown scale"):
        auc_estimate(Decisions.of([1, 0], [1, 2]), scale="log")  # type: ignore[arg-type]


def test_weights_of_billions_do_not_overflow() -> None:
    """Twice the pairs pass 2**63 here; without weights the same four items have three pairs of four in order."""
    billions = Decisions.of([1, 0, 1, 0], [4, 3, 2, 1], [5 * 10**9] * 4)
    assert auc_estimate(billions).value == 0.75


def test_looking_up_in_order_or_not_gives_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    draw = np.random.default_rng(3)
    truth, scores = draw.random(300) < 0.3, np.round(draw.random((300, 2)), 2)
    as_they_come = delong_covariance(truth, scores)
    monkeypatch.setattr("germane.stats.intervals.delong.IN_CACHE", 0)
    in_order = delong_covariance(truth, scores)
    assert all(np.array_equal(a, b) for a, b in zip(as_they_come, in_order, strict=True))
