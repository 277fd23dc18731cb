"""ROC, precision-recall and DET curves and their areas: the lecture's table, then scikit-learn's numbers."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from sklearn import metrics

from germane.errors import GermaneError, MeasureError
from germane.measures.decisions.at_thresholds import rates_at_thresholds, thinned
from germane.measures.decisions.scores.detection_error import (
    DetCurve,
    det_curve,
    det_points,
    equal_error_rate,
    least_log_likelihood_ratio_cost,
    log_likelihood_ratio_cost,
    minimum_detection_cost,
)
from germane.measures.decisions.scores.isotonic import concave_corners, hull_corners
from germane.measures.decisions.scores.precision_recall import average_precision, precision_recall_curve
from germane.measures.decisions.scores.roc import (
    area_under_hull,
    area_under_roc,
    convex_hull,
    partial_area_under_roc,
    roc_curve,
)
from germane.tables.decisions.decisions import Decisions
from tests.measures.decisions.made_decisions import Sample, lecture_001, samples


def close(value: Any) -> Any:
    return pytest.approx(value, rel=1e-12, abs=1e-12)


def ranked(labels: str) -> Decisions:
    """Items by falling score; those in brackets share one: ``"P [PN] N"``."""
    groups = labels.replace("[", " [").replace("]", "] ").split()
    spread = [(g, True) if g.startswith("[") else (g, False) for g in groups]
    truth, scores, score = [], [], 100.0
    for group, tied in spread:
        for label in group.strip("[]"):
            score -= not tied
            truth.append(label == "P")
            scores.append(score)
        score -= 1
    return Decisions.of(truth, scores)


# fmt: off
BY_HAND = [
    # ranking       AUC               hull AUC         AP                               EER: midpoint, hull
    ("P N",         Fraction(1),      Fraction(1),     Fraction(1),                     Fraction(0),    Fraction(0)),
    ("N P",         Fraction(0),      Fraction(1, 2),  Fraction(1, 2),                  Fraction(1),    Fraction(1, 2)),
    ("[PN]",        Fraction(1, 2),   Fraction(1, 2),  Fraction(1, 2),                  Fraction(1, 2), Fraction(1, 2)),
    ("P N P N",     Fraction(3, 4),   Fraction(7, 8),  (1 + Fraction(2, 3)) / 2,        Fraction(1, 2), Fraction(1, 4)),
    ("P [PN] N",    Fraction(7, 8),   Fraction(7, 8),  (1 + Fraction(2, 3)) / 2,        Fraction(1, 4), Fraction(1, 4)),
]
# fmt: on


@pytest.mark.parametrize(("ranking", "auc", "hull", "ap", "midpoint", "on_hull"), BY_HAND)
def test_by_hand(
    ranking: str, auc: Fraction, hull: Fraction, ap: Fraction, midpoint: Fraction, on_hull: Fraction
) -> None:
    seen = ranked(ranking)
    assert area_under_roc(seen) == float(auc)
    assert area_under_hull(seen) == float(hull)
    assert average_precision(seen) == close(float(ap))
    assert equal_error_rate(seen) == float(midpoint)
    assert equal_error_rate(seen, at="hull") == float(on_hull)


def test_the_table_of_lecture_001() -> None:
    seen = lecture_001()
    columns = rates_at_thresholds(seen)
    by_threshold = {t: i for i, t in enumerate(columns["threshold"].tolist())}
    for threshold, tp, fp, fn, tn, tpr, fpr, acc in [
        (0.90, 1, 0, 9, 10, 0.10, 0.00, 0.55),
        (0.54, 5, 1, 5, 9, 0.50, 0.10, 0.70),
        (0.40, 7, 4, 3, 6, 0.70, 0.40, 0.65),
        (0.10, 10, 10, 0, 0, 1.00, 1.00, 0.50),
    ]:
        at = by_threshold[threshold]
        assert [columns[cell][at] for cell in ("TP", "FP", "FN", "TN")] == [tp, fp, fn, tn]
        assert [columns[rate][at] for rate in ("TPR", "FPR", "ACC")] == pytest.approx([tpr, fpr, acc])
    # Above each N stand, from the top, 2, 5, 5, 6, 7, 8, 8, 8, 9 and 10 of the ten P.
    assert area_under_roc(seen) == 68 / 100
    assert equal_error_rate(seen) == 0.4  # at .50: FPR .4, FNR .4
    corners = convex_hull(seen)
    assert corners.thresholds.tolist() == [math.inf, 0.8, 0.54, 0.38, 0.3, 0.1]


@settings(max_examples=30)
@given(sample=samples(both_classes=True, least_weight=0))
def test_equal_to_scikit_learn(sample: Sample) -> None:
    truth, score, weight = sample.arrays
    seen = sample.decisions()
    assert area_under_roc(seen) == close(metrics.roc_auc_score(truth, score, sample_weight=weight))
    for max_fpr in (0.1, 0.5, 0.77):
        theirs = metrics.roc_auc_score(truth, score, sample_weight=weight, max_fpr=max_fpr)
        assert partial_area_under_roc(seen, max_fpr=max_fpr) == close(theirs)
    theirs = metrics.average_precision_score(truth, score, sample_weight=weight)
    assert average_precision(seen) == close(theirs)
    precision, recall, thresholds = metrics.precision_recall_curve(truth, score, sample_weight=weight)
    trapezoid = average_precision(seen, area="trapezoid")
    assert trapezoid == close(metrics.auc(recall, precision))
    envelope = np.maximum.accumulate(precision)
    assert average_precision(seen, area="interpolated") == close(-np.diff(recall) @ envelope[:-1])
    if weight.all():
        ours = precision_recall_curve(seen)
        np.testing.assert_allclose(ours.precision[::-1], precision)
        np.testing.assert_allclose(ours.recall[::-1], recall)
        assert ours.thresholds[:0:-1].tolist() == thresholds.tolist()
        fpr, tpr, thresholds = metrics.roc_curve(truth, score, sample_weight=weight, drop_intermediate=False)
        curve = roc_curve(seen)
        np.testing.assert_allclose(curve.fpr, fpr)
        np.testing.assert_allclose(curve.tpr, tpr)
        assert curve.thresholds.tolist() == thresholds.tolist()


@settings(max_examples=30)
@given(sample=samples(both_classes=True))
def test_det_and_costs_by_their_definition(sample: Sample) -> None:
    seen, (truth, score, weight) = sample.decisions(), sample.arrays
    points = []
    for threshold in [math.inf, *sorted(set(score.tolist()), reverse=True)]:
        fpr = weight[~truth & (score >= threshold)].sum() / weight[~truth].sum()
        points.append((fpr, weight[truth & (score < threshold)].sum() / weight[truth].sum()))
    curve = det_curve(seen)
    np.testing.assert_allclose(np.column_stack([curve.fpr, curve.fnr]), points)
    costs = [(0.2 * 3 * fnr + 0.8 * fpr) / min(0.2 * 3, 0.8) for fpr, fnr in points]
    assert minimum_detection_cost(seen, prior=0.2, cost_miss=3) == close(min(costs))
    s = score * 4 - 2
    surprise = np.log2(1 + np.exp(np.where(truth, -s, s)))
    halves = [np.average(surprise[side], weights=weight[side]) / 2 for side in (truth, ~truth)]
    cost = log_likelihood_ratio_cost(Decisions.of(truth, s, weight))
    assert cost == close(sum(halves))
    assert least_log_likelihood_ratio_cost(seen) <= cost + 1e-12
    # The equal error rate on the hull is the worst, over all priors, of the least total error (Brümmer).
    errors = [min(p * fnr + (1 - p) * fpr for fpr, fnr in points) for p in np.linspace(0, 1, 301)]
    assert equal_error_rate(seen, at="hull") == pytest.approx(max(errors), abs=0.005)
    assert equal_error_rate(seen, at="hull") >= max(errors) - 1e-12


@settings(max_examples=30)
@given(sample=samples(both_classes=True))
def test_a_common_factor_of_the_weights_changes_nothing(sample: Sample) -> None:
    truth, score, weight = sample.arrays
    whole, split = sample.decisions(), Decisions.of(truth, score, weight / 4 + 0.0)
    for measure in (area_under_roc, area_under_hull, average_precision, minimum_detection_cost, equal_error_rate):
        assert measure(split) == close(measure(whole)), measure.name
    assert equal_error_rate(split, at="hull") == close(equal_error_rate(whole, at="hull"))


def test_one_class_leaves_nan_not_a_crash() -> None:
    for seen in (Decisions.of([True, True], [0.3, 0.2]), Decisions.of([False], [0.3])):
        assert math.isnan(area_under_roc(seen))
        assert math.isnan(area_under_hull(seen))
        assert math.isnan(partial_area_under_roc(seen))
        assert math.isnan(equal_error_rate(seen))
        assert math.isnan(minimum_detection_cost(seen))
        assert math.isnan(log_likelihood_ratio_cost(seen))
        assert math.isnan(least_log_likelihood_ratio_cost(seen))
        assert len(thinned(rates_at_thresholds(seen))["TPR"]) >= 1
    assert math.isnan(average_precision(Decisions.of([False], [0.3])))
    assert average_precision(Decisions.of([True, True], [0.3, 0.2])) == 1


def test_counts_beyond_64_bits_stay_exact() -> None:
    big = 3 * 10**9
    seen = Decisions(np.asarray([2.0, 1.0]), np.asarray([big, big + 1]), np.asarray([1, big]), 2 * big)
    P, N = big + 1, big
    expected = Fraction(2 * big * 1 - big + (N - 1) * (2 * big + 1), 2 * P * N)
    assert area_under_roc(seen) == float(expected)
    assert hull_corners(seen).tolist() == [0, 1, 2]
    assert equal_error_rate(seen) == float(Fraction(1 * P + 1 * N, 2 * P * N))


def test_the_hull_is_found_by_sweeps_and_by_the_walk_alike() -> None:
    """A falling staircase of small dents: each sweep drops little, so that the walk takes over."""
    steps = np.sqrt(np.arange(2_000.0) / 2_000)
    dented = np.maximum.accumulate((steps * 10**6).astype(np.int64))
    dented[1000] = dented[999]
    x = np.arange(2_000)
    corners = concave_corners(x, dented)
    slopes = np.diff(dented[corners]) / np.diff(x[corners])
    assert (np.diff(slopes) < 0).all()
    line = np.interp(x, x[corners], dented[corners])
    assert (line >= dented - 1e-6).all()


def test_det_axes_drop_what_lies_at_infinity_and_say_so() -> None:
    curve = DetCurve(np.asarray([0, 0.1, 0.5, 1]), np.asarray([1, 0.5, 0.1, 0]), np.arange(4.0))
    probit, logarithmic = det_points(curve), det_points(curve, "log")
    assert probit.x.tolist() == pytest.approx([-1.2815515655446004, 0])
    assert (probit.dropped, probit.thresholds.tolist()) == (2, [1, 2])
    assert logarithmic.x.tolist() == pytest.approx([-1, math.log10(0.5)])
    assert logarithmic.dropped == 2


def test_thinning_keeps_the_ends_and_the_shape() -> None:
    rng = np.random.default_rng(5)
    truth = rng.random(30_000) < 0.3
    columns = rates_at_thresholds(Decisions.of(truth, rng.normal(truth.astype(float))))
    few = thinned(columns, points=128)
    assert len(few["FPR"]) <= 2 * 128 + 1
    assert {name: (c[0], c[-1]) for name, c in few.items() if name in {"threshold", "TPR", "TN"}} == {
        name: (c[0], c[-1]) for name, c in columns.items() if name in {"threshold", "TPR", "TN"}
    }
    deviation = np.abs(np.interp(columns["FPR"], few["FPR"], few["TPR"]) - columns["TPR"])
    assert deviation.max() < 1 / 128
    with pytest.raises(GermaneError, match="TPR"):
        thinned({"FPR": columns["FPR"]})


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        (lambda d: partial_area_under_roc(d, max_fpr=0), "max_fpr"),
        (lambda d: partial_area_under_roc(d, scale="linear"), "expected scale='McClish' or 'raw'"),
        (lambda d: average_precision(d, area="steps"), "did you mean step"),
        (lambda d: equal_error_rate(d, at="middle"), "midpoint"),
        (lambda d: minimum_detection_cost(d, prior=1), "prior"),
        (lambda d: minimum_detection_cost(d, cost_miss=0), "costs"),
        (lambda d: det_points(det_curve(d), "linear"), "expected scale='probit' or 'log'"),  # type: ignore[arg-type]
    ],
)
def test_wrong_choices_are_named(wrong: Any, says: str) -> None:
    with pytest.raises(MeasureError, match=says):
        wrong(ranked("P N"))


def test_the_equal_error_rate_of_very_many_rows_is_that_of_few() -> None:
    truth, score = [True, False, True, False, True, False], [0.9, 0.8, 0.7, 0.6, 0.5, 0.1]
    few, many = (Decisions.of(truth, score, [times] * 6) for times in (1, 3_000_000))
    assert equal_error_rate(many, at="hull") == equal_error_rate(few, at="hull")
    assert equal_error_rate(many) == equal_error_rate(few)
