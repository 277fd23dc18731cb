"""Two classifiers on the same items: McNemar on paper and as in statsmodels; the bootstrap against theory."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from statsmodels.stats.contingency_tables import mcnemar as statsmodels_mcnemar

from germane.errors import GermaneError
from germane.measures.decisions.rates import RATES
from germane.stats.intervals import cell_bootstrap
from germane.stats.significance.mcnemar import MCNEMAR, Agreement, mcnemar
from germane.stats.significance.paired_classifiers import (
    CLASSIFIER_TESTS,
    joint_counts,
    least_p,
    paired_bootstrap,
    paired_row_bootstrap,
)
from germane.tables.columns.ids import FloatArray
from germane.tables.decisions.confusion import Cells

# fmt: off
BY_HAND = [
    # only a, only b  test                 p                            why
    (1,       6,      "mcnemar exact",     Fraction(16, 128),           "2 (1 + 7) / 2^7"),
    (1,       6,      "mcnemar mid-p",     Fraction(9, 128),            "less P(X = 1) = 7/2^7"),
    (3,       3,      "mcnemar exact",     Fraction(1),                 "as many on either side"),
    (3,       3,      "mcnemar mid-p",     1 - Fraction(20, 128),       "1 − ½ · 20/64"),
    (0,       3,      "mcnemar exact",     Fraction(1, 4),              "2 / 2^3"),
    (0,       3,      "mcnemar mid-p",     Fraction(1, 8),              "half of it"),
    (0,       0,      "mcnemar exact",     Fraction(1),                 "they never disagree"),
    (0,       0,      "mcnemar",           Fraction(1),                 "they never disagree"),
    (2,       2,      "mcnemar corrected", Fraction(1),                 "(0 − 1)² is not below 0, but 0"),
]
# fmt: on


@pytest.mark.parametrize(("only_a", "only_b", "test", "p", "why"), BY_HAND)
def test_mcnemar_by_hand(only_a: int, only_b: int, test: str, p: Fraction, why: str) -> None:
    found = mcnemar(Agreement(10, only_a, only_b, 5), test)
    assert found.p == pytest.approx(float(p)), why
    assert (found.only_a, found.only_b) == (only_a, only_b)
    assert found.difference == pytest.approx((only_b - only_a) / (15 + only_a + only_b))
    assert found.low <= found.difference <= found.high


@settings(max_examples=30)
@given(counts=st.tuples(*[st.integers(0, 40)] * 4).filter(lambda counts: counts[1] != counts[2]))
def test_mcnemar_is_that_of_statsmodels(counts: tuple[int, ...]) -> None:
    both, only_a, only_b, neither = counts
    table = [[both, only_a], [only_b, neither]]
    for test, arguments in (
        ("mcnemar exact", {"exact": True}),
        ("mcnemar", {"exact": False, "correction": False}),
        ("mcnemar corrected", {"exact": False, "correction": True}),
    ):
        theirs = statsmodels_mcnemar(table, **arguments)
        found = mcnemar(Agreement(*counts), test)
        assert found.p == pytest.approx(theirs.pvalue, rel=1e-9)
        assert found.statistic == pytest.approx(theirs.statistic)


@pytest.mark.parametrize("test", MCNEMAR.names)
@settings(max_examples=30)
@given(counts=st.tuples(*[st.integers(0, 40)] * 4).filter(any))
def test_swapping_the_classifiers_turns_the_sign(test: str, counts: tuple[int, ...]) -> None:
    both, only_a, only_b, neither = counts
    one, other = mcnemar(Agreement(*counts), test), mcnemar(Agreement(both, only_b, only_a, neither), test)
    assert one.p == other.p
    assert 0 < one.p <= 1
    assert (one.difference, one.low, one.high) == pytest.approx((-other.difference, -other.high, -other.low))


def rejections(test: str, disagreements: int) -> float:
    """How often a true hypothesis of no difference is rejected at 5 %: summed over all outcomes."""
    x = np.arange(disagreements + 1)
    p = np.asarray([MCNEMAR[test].target(int(a), int(disagreements - a))[1] for a in x])
    return float(stats.binom.pmf(x, disagreements, 0.5)[p <= 0.05].sum())


def test_the_exact_test_never_rejects_too_often_and_mid_p_not_on_average() -> None:
    disagreements = range(6, 60)
    by_test = {test: [rejections(test, n) for n in disagreements] for test in MCNEMAR.names}
    assert max(by_test["mcnemar exact"]) <= 0.05
    assert max(by_test["mcnemar"]) > 0.05, "a test that does, for some numbers"
    assert np.mean(by_test["mcnemar mid-p"]) == pytest.approx(0.05, abs=0.01)
    assert np.mean(by_test["mcnemar exact"]) < 0.04, "conservative"


def test_agreement_counts_items() -> None:
    assert Agreement.of([1, 1, 0, 0, 1], [1, 0, 1, 0, 1]) == (2, 1, 1, 1)
    with pytest.raises(GermaneError, match="two predictions per item, found 2 and 1"):
        Agreement.of([1, 0], [1])


def test_bad_input_gets_a_clear_word() -> None:
    with pytest.raises(GermaneError, match="did you mean mcnemar exact"):
        mcnemar(Agreement(1, 1, 1, 1), "mcnemar exat")
    with pytest.raises(GermaneError, match="expected integer counts"):
        mcnemar(Agreement(1, -1, 1, 1))
    assert mcnemar(Agreement(0, 0, 0, 0)).remark == "no items"


# The paired bootstrap ----------------------------------------------------------------------------------------------

RNG = np.random.default_rng(3)
TRUTH = (RNG.random(300) < 0.4).astype(int)
A = np.where(RNG.random(300) < 0.75, TRUTH, 1 - TRUTH)
B = np.where(RNG.random(300) < 0.5, A, np.where(RNG.random(300) < 0.9, TRUTH, 1 - TRUTH))
JOINT = joint_counts(TRUTH, A, B, 2)


def accuracy(counts: FloatArray) -> FloatArray:
    share: FloatArray = np.trace(counts, axis1=-2, axis2=-1) / counts.sum(axis=(-2, -1))
    return share


def f1(counts: FloatArray) -> FloatArray:
    return RATES["F"](Cells(counts[..., 1, 1], counts[..., 0, 1], counts[..., 1, 0], counts[..., 0, 0]))


def test_joint_counts_hold_both_matrices() -> None:
    for predicted, other in ((A, 2), (B, 1)):
        matrix = JOINT.sum(axis=other)
        assert matrix[1, 0] == np.count_nonzero((TRUTH == 1) & (predicted == 0))
        assert matrix[0, 1] == np.count_nonzero((TRUTH == 0) & (predicted == 1))
    assert JOINT.sum() == 300


def test_the_bootstrap_of_accuracy_is_close_to_newcombe() -> None:
    (drawn,) = paired_bootstrap(accuracy, JOINT, resamples=20_000)
    closed = mcnemar(Agreement.of(TRUTH == A, TRUTH == B), "mcnemar")
    assert drawn.difference == pytest.approx(closed.difference)
    assert (drawn.low, drawn.high) == pytest.approx((closed.low, closed.high), abs=0.01)
    assert drawn.p == pytest.approx(closed.p, abs=0.01)


@pytest.mark.parametrize("method", ["bca", "percentile"])
def test_counts_and_rows_are_drawn_alike(method: str) -> None:
    (counts,) = paired_bootstrap(f1, JOINT, method=method, resamples=6_000)  # type: ignore[arg-type]

    def of(predicted: FloatArray, drawn: FloatArray) -> float:
        matrix: FloatArray = np.bincount(2 * TRUTH + predicted, weights=drawn, minlength=4).astype(np.float64)
        return float(f1(matrix.reshape(2, 2)))

    rows = paired_row_bootstrap(
        lambda drawn: of(A, drawn),
        lambda drawn: of(B, drawn),
        300,
        method=method,  # type: ignore[arg-type]
        resamples=2_000,
    )
    assert rows.difference == pytest.approx(counts.difference)
    assert (rows.low, rows.high) == pytest.approx((counts.low, counts.high), abs=0.015)
    assert rows.interval == counts.interval == method


def test_several_statistics_at_once() -> None:
    both = paired_bootstrap(lambda m: np.stack([accuracy(m), f1(m)], axis=-1), JOINT)
    for together, alone in zip(both, [*paired_bootstrap(accuracy, JOINT), *paired_bootstrap(f1, JOINT)], strict=True):
        assert (together.low, together.high, together.p) == pytest.approx((alone.low, alone.high, alone.p))


def test_pairing_narrows_the_interval() -> None:
    """The same two matrices, answers torn apart: the interval of the difference is wider."""
    torn_b = B.copy()
    for truth in (0, 1):
        torn_b[truth == TRUTH] = np.roll(B[truth == TRUTH], 7)
    torn = joint_counts(TRUTH, A, torn_b, 2)
    assert (torn.sum(axis=1) == JOINT.sum(axis=1)).all()
    (paired,), (loose,) = paired_bootstrap(f1, JOINT), paired_bootstrap(f1, torn)
    assert loose.difference == pytest.approx(paired.difference)
    assert loose.high - loose.low > paired.high - paired.low


def test_stratified_draws_keep_the_classes() -> None:
    (found,) = paired_bootstrap(lambda m: m[..., 1, :].sum(axis=-1) + accuracy(m) * 0, JOINT, stratified=True)
    assert (found.difference, found.p) == (0, 1)
    (share,) = paired_bootstrap(accuracy, JOINT, stratified=True)
    assert share.low < share.difference < share.high


def test_the_same_classifier_twice_does_not_differ() -> None:
    (found,) = paired_bootstrap(f1, joint_counts(TRUTH, A, A, 2))
    assert (found.difference, found.p, found.interval) == (0, 1, "degenerate")
    assert found.remark == "no difference in any resample"


@pytest.mark.parametrize("draws", [40, 99])
def test_the_least_p_is_said_to_be_that(draws: int) -> None:
    (found,) = paired_bootstrap(f1, joint_counts(TRUTH, 1 - A, TRUTH, 2), resamples=draws, method="percentile")
    assert found.p == pytest.approx(least_p(draws)) == pytest.approx(2 / (draws + 1))
    assert found.remark == f"p is the smallest possible with {draws} resamples"


def test_too_many_items_give_no_interval(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cell_bootstrap, "MOST", 1000)
    found = paired_row_bootstrap(lambda drawn: 0.25, lambda drawn: 0.75, 10)
    assert (found.difference, found.test, found.interval) == (0.5, "none", "none")
    assert found.remark == "2000 resamples of 10 distinct items would take too long; reduce --resamples"


def test_bad_tables_get_a_clear_word() -> None:
    with pytest.raises(GermaneError, match="integer counts by truth, a and b"):
        paired_bootstrap(f1, np.ones((2, 2)))
    with pytest.raises(GermaneError, match="expected class codes from 0 to 1"):
        joint_counts([0, 2], [0, 1], [0, 1], 2)
    with pytest.raises(GermaneError, match="columns of equal length"):
        joint_counts([0, 1], [0], [0, 1], 2)
    assert math.isnan(paired_bootstrap(f1, np.zeros((2, 2, 2)))[0].difference)


# The registry ------------------------------------------------------------------------------------------------------


def test_every_test_describes_itself_and_goes_with_measures() -> None:
    others = {"delong", "influence", "paired t", "paired bootstrap", "paired bootstrap of rows"}
    assert {*MCNEMAR.names, *others} == set(CLASSIFIER_TESTS)
    assert all(len(test.description) > 20 and test.name == name for name, test in CLASSIFIER_TESTS.items())
