"""`classify` against scikit-learn, and the laws that hold for every classifier."""

import math
import warnings
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn import metrics as sk

import germane as ge
from germane.errors import GermaneError
from germane.tables.decisions.confusion import Confusion
from germane.tables.results.performance import Performance

QUICK: dict[str, Any] = {"resamples": 8, "level": 0.5}
"""Enough to compare intervals with each other."""
NAMES: list[Sequence[Any]] = [(0, 1), (-1, 1), ("no", "yes"), (False, True), ("cat", "dog", "fox"), (0, 1, 2, 3, 4)]


def classify(*columns: Any, **options: Any) -> Performance:
    return ge.classify(*columns, **{**QUICK, **options}).only


@st.composite
def predicted(draw: Callable[..., Any]) -> tuple[list[Any], list[Any], list[float] | None, Sequence[Any]]:
    """Truth, predictions and weights (none, whole or not) of up to thirty items."""
    labels = draw(st.sampled_from(NAMES))
    n = draw(st.integers(1, 30))
    truth, called = (draw(st.lists(st.sampled_from(labels), min_size=n, max_size=n)) for _ in range(2))
    weight = draw(st.sampled_from([None, st.integers(1, 3), st.sampled_from([0.5, 1.25, 2.0])]))
    weights = None if weight is None else draw(st.lists(weight, min_size=n, max_size=n))
    return truth, called, weights, labels


@st.composite
def scored(draw: Callable[..., Any]) -> tuple[list[int], list[float], list[float] | None]:
    """Truth, scores with ties and weights; both classes occur."""
    n = draw(st.integers(2, 30))
    truth = [0, 1, *draw(st.lists(st.integers(0, 1), min_size=n - 2, max_size=n - 2))]
    score = draw(st.lists(st.sampled_from([0.0, 0.1, 0.25, 0.5, 0.75, 0.9, 1.0]), min_size=n, max_size=n))
    weight = draw(st.sampled_from([None, st.integers(1, 3), st.sampled_from([0.5, 1.25, 2.0])]))
    return truth, score, None if weight is None else draw(st.lists(weight, min_size=n, max_size=n))


def same(ours: float, theirs: float) -> bool:
    return ours == pytest.approx(theirs, abs=1e-12, nan_ok=True)


@settings(max_examples=12)
@given(predicted(), st.sampled_from([0.0, 1.0, math.nan]))
def test_rates_of_classes_and_averages_are_those_of_sklearn(data: Any, zero: float) -> None:
    truth, called, weights, labels = data
    found = classify(truth, called, labels=labels, sample_weight=weights, zero_division=zero, positive=labels[-1])
    assert found.confusion is not None
    known = {"labels": list(labels), "sample_weight": weights}
    assert found.confusion.counts == pytest.approx(sk.confusion_matrix(truth, called, **known))
    known["zero_division"] = zero
    theirs = sk.precision_recall_fscore_support(truth, called, **known)
    for place, label in enumerate(labels):
        for rate, column in zip(("PPV", "TPR", "F1"), theirs, strict=False):
            assert same(found[rate, label].value, column[place]), (rate, label)
    for average in ("macro", "micro", "weighted"):
        for rate, value in zip(
            ("PPV", "TPR", "F1"),
            sk.precision_recall_fscore_support(truth, called, average=average, **known),
            strict=False,
        ):
            ours = found[rate, average].value
            if average == "weighted" and all(math.isnan(found[rate, label].value) for label in set(truth)):
                assert math.isnan(ours), "no class that has items has the rate; scikit-learn says 0"
            else:
                assert same(ours, value), (rate, average)
    if len(labels) == 2:
        for average in ("macro", "weighted"):
            asked = classify(truth, called, labels=labels, average=average, sample_weight=weights, zero_division=zero)
            assert asked["F1"] == found["F1", average]


@settings(max_examples=12)
@given(predicted())
def test_measures_of_the_whole_matrix_are_those_of_sklearn(data: Any) -> None:
    truth, called, weights, labels = data
    found = classify(truth, called, labels=labels, sample_weight=weights, average="macro")
    known = {"sample_weight": weights}
    assert same(found["ACC"].value, sk.accuracy_score(truth, called, **known))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of classes that the truth has not
        assert same(found["BA"].value, sk.balanced_accuracy_score(truth, called, **known))
    one_sided = len(set(truth)) == 1 or len(set(called)) == 1
    matthews = found["MCC"].value
    # 0 / 0 is undefined here; scikit-learn says 0.
    assert math.isnan(matthews) if one_sided else same(matthews, sk.matthews_corrcoef(truth, called, **known))
    if not (one_sided and set(truth) == set(called)):
        assert same(found["kappa"].value, sk.cohen_kappa_score(truth, called, labels=list(labels), **known))
    theirs = sk.jaccard_score(truth, called, labels=list(labels), average=None, zero_division=0, **known)
    ours = [found["Jaccard", label].value for label in labels]
    assert [0 if math.isnan(value) else value for value in ours] == pytest.approx(theirs.tolist())


@settings(max_examples=10)
@given(scored())
def test_measures_of_scores_are_those_of_sklearn(data: Any) -> None:
    truth, score, weights = data
    found = classify(truth, y_score=score, sample_weight=weights)
    known = {"sample_weight": weights}
    assert same(found["AUC"].value, sk.roc_auc_score(truth, score, **known))
    assert same(found["AP"].value, sk.average_precision_score(truth, score, **known))
    assert same(found["Brier"].value, sk.brier_score_loss(truth, score, **known))
    assert same(found["partial_AUC(max_fpr=0.1)"].value, sk.roc_auc_score(truth, score, max_fpr=0.1, **known))
    inside = [0.05 + 0.9 * value for value in score]
    assert same(
        classify(truth, y_score=inside, sample_weight=weights)["log_loss"].value, sk.log_loss(truth, inside, **known)
    )
    called = [int(value >= 0.5) for value in score]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        ratios = sk.class_likelihood_ratios(truth, called, replace_undefined_by=np.nan, **known)
    for name, theirs in zip(("LR+", "LR-"), ratios, strict=True):
        ours = found[name].value
        assert same(ours, theirs) or (math.isinf(ours) and math.isnan(theirs)), name


def test_log_loss_is_infinite_where_what_was_impossible_happened() -> None:
    """scikit-learn clips the probability instead."""
    assert classify([0, 1], y_score=[0.2, 0.0])["log_loss"].value == math.inf


def test_probabilities_of_several_classes() -> None:
    truth = ["cat", "dog", "fox", "dog"]
    table = [[0.5, 0.3, 0.2], [0.4, 0.4, 0.2], [0.1, 0.2, 0.7], [0.0, 0.9, 0.1]]
    found = classify(truth, y_proba=table)
    assert found["log_loss"].value == pytest.approx(sk.log_loss(truth, table))
    assert found["ACC"].value == 0.75, "of equally probable classes the first is taken, as scikit-learn does"
    weighted, repeated = (
        classify(truth, y_proba=table, sample_weight=[1, 2, 1, 3]),
        classify([truth[i] for i in (0, 1, 1, 2, 3, 3, 3)], y_proba=[table[i] for i in (0, 1, 1, 2, 3, 3, 3)]),
    )
    assert estimates(weighted) == estimates(repeated)
    in_another_order = classify(truth, y_proba=[row[::-1] for row in table], labels=["fox", "dog", "cat"])
    assert in_another_order["log_loss"] == found["log_loss"]


def test_two_columns_of_probabilities_are_one_score() -> None:
    truth, score = [0, 1, 1, 0, 1], [0.1, 0.8, 0.4, 0.3, 0.5]
    found = classify(truth, y_proba=[[1 - p, p] for p in score])
    assert estimates(found) == estimates(classify(truth, y_score=score))
    assert found.threshold == 0.5


# Laws -------------------------------------------------------------------------------------------------------------


def estimates(found: Performance) -> dict[Any, Any]:
    """Every number of a report, so that reports can be compared whole."""
    groups = {("over all", ""): found.overall, **{("class", k): v for k, v in found.by_class.items()}}
    groups |= {("average", name): table for name, table in found.averages.items()}
    return {
        (*group, name): (repr(e.value), repr(e.low), repr(e.high), e.method, e.remark)
        for group, table in groups.items()
        for name, e in table.items()
    }


def changed_by_repetition(report: Callable[..., Performance], data: Any) -> Iterator[Any]:
    truth, called, weights, labels = data
    weights = [max(1, round(weight)) for weight in weights or [2] * len(truth)]
    rows = [row for row, weight in enumerate(weights) for _ in range(weight)]
    weighted = estimates(report(truth, called, sample_weight=weights, labels=labels))
    repeated = estimates(report([truth[row] for row in rows], [called[row] for row in rows], labels=labels))
    yield from (name for name in weighted if weighted[name] != repeated[name])


@settings(max_examples=6)
@given(predicted())
def test_whole_weights_are_repetition_in_every_estimate_and_interval(data: Any) -> None:
    assert list(changed_by_repetition(classify, data)) == []


def test_the_repetition_law_catches_intervals_that_forget_the_weights() -> None:
    def forgetful(truth: Any, called: Any, labels: Any, sample_weight: Any = None) -> Performance:
        halved = None if sample_weight is None else [w / 2 for w in sample_weight]
        return classify(truth, called, sample_weight=halved, labels=labels)

    assert list(changed_by_repetition(forgetful, ([0, 1, 1, 0], [0, 1, 0, 0], [1, 2, 1, 3], (0, 1)))) != []


@settings(max_examples=7)
@given(scored())
def test_whole_weights_of_scores_are_repetition(data: Any) -> None:
    truth, score, weights = data
    weights = [max(1, round(weight)) for weight in weights or [2] * len(truth)]
    rows = [row for row, weight in enumerate(weights) for _ in range(weight)]
    repeated = classify([truth[row] for row in rows], y_score=[score[row] for row in rows])
    assert estimates(classify(truth, y_score=score, sample_weight=weights)) == estimates(repeated)


@settings(max_examples=7)
@given(scored(), st.randoms())
def test_the_order_of_rows_changes_nothing(data: Any, random: Any) -> None:
    truth, score, weights = data
    rows = list(range(len(truth)))
    random.shuffle(rows)
    whole = None if weights is None else [max(1, round(weight)) for weight in weights]
    shuffled = [None if column is None else [column[row] for row in rows] for column in (truth, score, whole)]
    before = classify(truth, y_score=score, sample_weight=whole)
    assert estimates(classify(shuffled[0], y_score=shuffled[1], sample_weight=shuffled[2])) == estimates(before)


RANK_MEASURES = ("AUC", "AP", "EER", "EER(at=hull)", "minDCF", "hull_AUC", "partial_AUC(max_fpr=0.1)")


def moved_by_maps(measures: Sequence[str], truth: Any, score: Any) -> Iterator[str]:
    before = classify(truth, y_score=score)
    for change in (lambda x: 3 * x - 7, np.exp, lambda x: x**3):
        after = classify(truth, y_score=change(np.asarray(score)))
        yield from (name for name in measures if name in after.overall and before[name] != after[name])


@settings(max_examples=6)
@given(scored())
def test_monotone_maps_of_scores_change_no_rank_measure(data: Any) -> None:
    assert list(moved_by_maps(RANK_MEASURES, *data[:2])) == []


def test_the_monotone_law_catches_a_measure_of_probabilities() -> None:
    assert list(moved_by_maps(["Brier"], [0, 1, 1], [0.2, 0.4, 0.9])) != []


@settings(max_examples=6)
@given(predicted())
def test_one_against_the_rest_sums_back(data: Any) -> None:
    truth, called, weights, labels = data
    found = classify(truth, called, labels=labels, sample_weight=weights)
    assert found.confusion is not None
    cells = [found.confusion.cells(label) for label in labels]
    assert sum(cell.TP for cell in cells) == pytest.approx(np.trace(found.confusion.counts))
    assert sum(cell.FP for cell in cells) == pytest.approx(sum(cell.FN for cell in cells))
    for label, cell in zip(labels, cells, strict=True):
        alone = classify(
            [t == label for t in truth], [c == label for c in called], labels=[False, True], sample_weight=weights
        )
        assert sum(cell) == pytest.approx(found.confusion.total)
        assert {n: repr(e) for n, e in alone.overall.items()} == {n: repr(e) for n, e in found.by_class[label].items()}


@given(predicted())
@settings(max_examples=7)
def test_a_transposed_matrix_that_says_so_gives_the_same(data: Any) -> None:
    truth, called, _, labels = data
    counts = sk.confusion_matrix(truth, called, labels=list(labels))
    matrices = Confusion.of_matrix(counts, labels), Confusion.of_matrix(counts.T, labels, rows="prediction")
    as_rows, as_columns = (classify(each, positive=labels[0]) for each in matrices)
    assert estimates(as_rows) == estimates(as_columns)
    assert estimates(as_rows) == estimates(classify(truth, called, labels=labels, positive=labels[0]))


# What decides, and what is undefined ------------------------------------------------------------------------------


@pytest.mark.parametrize("labels", [(0, 1, 2), ("a", "b", "c")])
def test_scores_of_one_class_among_several_are_for_it_against_the_rest(labels: Sequence[Any]) -> None:
    truth = [labels[i] for i in (0, 1, 2, 1, 0)]
    found = classify(truth, y_score=[0.1, 0.9, 0.6, 0.4, 0.2], positive=labels[1])
    assert found.confusion is not None
    assert found.confusion.labels == (f"not {labels[1]}", labels[1])
    assert found.confusion.counts.tolist() == [[2, 1], [1, 1]]


def test_predictions_decide_and_scores_only_rank() -> None:
    found = classify([0, 1, 2, 1], [0, 1, 2, 2], y_score=[0.1, 0.4, 0.2, 0.3], positive=1)
    assert found.confusion is not None
    assert found.confusion.counts.tolist() == [[1, 0, 0], [0, 1, 1], [0, 0, 1]]
    assert found.threshold is None
    assert (found["TPR"].value, found["AUC"].value) == (0.5, 1.0)


def test_a_label_that_only_predictions_have_may_be_the_positive_one() -> None:
    found = classify([0, 0, 0], [0, 1, 0])
    assert found.positive == 1
    assert math.isnan(found["TPR"].value)
    assert found["TNR"].value == pytest.approx(2 / 3)


def test_one_class_is_a_stated_nan() -> None:
    found = classify([1, 1, 1], y_score=[0.2, 0.9, 0.5], labels=[0, 1])
    assert math.isnan(found["AUC"].value)
    assert "all items are positive; measures that need both classes are undefined" in [
        note.message for note in found.notes
    ]


def test_undefined_rates_are_nan_and_said() -> None:
    found = classify(["cat", "dog", "dog"], ["dog", "dog", "dog"], labels=["cat", "dog", "fox"])
    assert math.isnan(found["PPV", "cat"].value)
    assert [note.message for note in found.notes if "class" in note.code] == [
        "1 class has no items; its recall is undefined and omitted from averages",
        "2 classes were never predicted; their precision is undefined and omitted from averages",
    ]


def test_fractional_weights_give_the_same_rates_whatever_the_class() -> None:
    """The cells of weighted items: 0 TP, 1 FP, 2 FN, 3 TN."""
    truth, called, weights = [0, 0, 1, 1, 2, 2], [0, 1, 1, 2, 2, 2], [0.5, 1.5, 2.5, 1, 0.5, 1]
    found = classify(truth, called, sample_weight=weights)
    assert [found["prevalence", label].value for label in (0, 1, 2)] == pytest.approx([2 / 7, 3.5 / 7, 1.5 / 7])
    assert [found["TNR", label].value for label in (0, 1, 2)] == pytest.approx([1, 2 / 3.5, 4.5 / 5.5])
    assert found["ACC"].method == "bca, rows"


def test_a_class_called_macro_is_not_the_average() -> None:
    found = classify(["macro", "b", "c"], ["macro", "c", "c"])
    assert found.by_class["macro"]["TPR"].value == 1.0


BAD = [
    # what is wrong                                                                        what is said
    ({"y_pred": [0, 1]}, "expected as many predictions as true labels, found 2 and 3"),
    ({"y_score": [0.1, 0.2]}, "expected as many scores as labels, found 2 and 3"),
    ({"y_score": [0.1, math.nan, 0.3]}, "found none in 1 of 3 rows (y_score: 1), first in column 'y_score' in row 2"),
    ({"y_score": ["a", "b", "c"]}, "expected a number as score in every row, found text"),
    ({"y_score": [0.1, 0.2, 1.3], "are_probabilities": True}, "between 0 and 1 as scores, found 1.3"),
    ({"y_score": [0.1, 0.2, 0.3], "positive": 7}, "the positive label 7 does not occur"),
    ({"y_score": [0.1, 0.2, 0.3], "labels": [0, 2]}, "expected one of the labels 0, 2, found 1 as truth in row 2"),
    ({"y_score": [0.1, 0.2, 0.3], "threshold": math.nan}, "expected a number as threshold"),
    ({"y_pred": [0, 1, 2], "labels": [0, 1]}, "found 2 as prediction in row 3"),
    ({"y_pred": [0, 1, 1], "labels": [0, 0]}, "expected distinct labels"),
    ({"y_pred": ["0", "1", "1"]}, "text and numbers are never the same label"),
    ({"y_pred": [0, 1, 1], "threshold": 0.5}, "`threshold=` cannot be combined with predicted labels"),
    ({"y_pred": [0, 1, 1], "sample_weight": [1, -1, 1]}, "expected a weight of 0 or more, found -1 in row 2"),
    ({"y_pred": [0, 1, 1], "sample_weight": [0, 0, 0]}, "expected at least one weight above 0"),
    ({"y_pred": [0, 1, 1], "sample_weight": [1, 1]}, "expected 3 weights"),
    ({"y_pred": [0, 1, 1], "average": "mean"}, "unknown average 'mean'"),
    ({"y_pred": [0, 1, 1], "level": 95}, "expected a level between 0 and 1, found 95"),
    ({"y_pred": [0, 1, 1], "interval": "wald"}, "wald"),
    ({"y_pred": [0, 1, 1], "bootstrap": "bcb"}, "unknown bootstrap of counts 'bcb'"),
    ({"y_pred": [0, 1, 1], "resamples": 0}, "expected resamples of 1 or more"),
    ({"y_pred": [0, 1, 1], "zero_division": "warn"}, "expected a number as zero_division, found 'warn'"),
    ({"y_pred": [0, 1, 1], "prevalence": 2}, "expected prevalence between 0 and 1"),
    ({"y_pred": [0, 1, 1], "cost_fp": -1}, "expected cost_fp of 0 or more"),
    ({"y_pred": [0, 1, 1], "lvel": 0.9}, "classify: unknown option 'lvel'; did you mean level?"),
    ({"y_proba": [[0.5, 0.5], [0.5, 0.6], [1, 0]]}, "that sum to 1 in row 2, found a sum of 1.1"),
    ({"y_proba": [[0.5, 0.5], [1.5, -0.5], [1, 0]]}, "expected probabilities between 0 and 1 in row 2"),
    ({"y_proba": [0.5, 0.5, 0.2]}, "expected rows × columns of numbers as probability"),
    ({"y_proba": [["a", "b"]] * 3}, "expected a number as probability in every row, found text"),
    ({"y_proba": [[0.5, 0.5]] * 3, "y_score": [1, 2, 3]}, "pass either y_score or y_proba, not both"),
    ({}, "missing predictions"),
]  # fmt: skip


@pytest.mark.parametrize(("given", "said"), BAD)
def test_wrong_input_is_a_clear_error(given: dict[str, Any], said: str) -> None:
    with pytest.raises(GermaneError) as caught:
        classify([0, 1, 1], **given)
    assert said in str(caught.value)


def test_no_items_and_no_positive_are_errors() -> None:
    with pytest.raises(GermaneError, match="at least one row"):
        classify([], [])
    with pytest.raises(GermaneError, match="cannot tell which of 3 labels is positive"):
        classify([0, 1, 2], y_score=[1, 2, 3])
    with pytest.raises(GermaneError, match="`threshold=` requires scores of one class"):
        classify([0, 1, 2], y_proba=np.eye(3), threshold=0.5)


def test_a_perfect_classifier_of_three_classes_has_the_interval_of_what_lies_beneath() -> None:
    (found,) = ge.classify(["a", "b", "c"] * 10, ["a", "b", "c"] * 10)
    assert found["MCC"].remark == "every resample gives 1; ACC [0.886, 1]"  # Wilson of 30 of 30


def test_costs_need_a_positive_class() -> None:
    with pytest.raises(GermaneError, match="costs of errors need a positive class"):
        ge.classify(["a", "b", "c"], ["a", "b", "b"], cost_fp=3)


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        (
            {"truth": "truth", "task": "label-sets", "predicted": ["a", "b"], "weight": "b"},
            "weights are not supported for task label-sets",
        ),
        (
            {"truth": "truth", "task": "regression", "predicted": ["a"], "prevalence": 0.1},
            "--prevalence cannot be combined with",
        ),
        ({"task": "densities", "score": ["a"], "weight": "b"}, "weights are not supported for task densities"),
    ],
)
def test_other_tasks_leave_nothing_aside_in_silence(options: dict[str, Any], problem: str) -> None:
    data = {"truth": [1.0, 2.0, 3.0], "a": [1.0, 2.0, 4.0], "b": [1.0, 1.0, 2.0]}
    with pytest.raises(GermaneError, match=problem):
        ge.classify(data, **options)
