"""Probabilities of several classes from end to end: what is reported, compared, tolerated and refused."""

from __future__ import annotations

import math
import re
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from scipy import stats
from sklearn import metrics

import germane as ge
from germane.api.reports.decisions import decision_numbers
from germane.errors import GermaneError
from germane.output.reports.classification_page import classification_page
from tests.cli.test_report import block_of

RANDOM = np.random.default_rng(5)
CODES = RANDOM.integers(0, 4, 90)
NAMES = ("cat", "dog", "eel", "fox")
TRUTH = [NAMES[code] for code in CODES]
FEW: Any = {"resamples": 60}


def made(skill: float) -> Any:
    """Probabilities of a classifier that sees so many deviations."""
    logits = RANDOM.normal(size=(len(CODES), 4))
    logits[np.arange(len(CODES)), CODES] += skill
    odds = np.exp(logits)
    return odds / odds.sum(axis=1, keepdims=True)


OLD, NEW = made(1.0), made(1.5)
COLUMNS = {
    "truth": TRUTH,
    **{f"{name}_{label}": table[:, i] for name, table in (("old", OLD), ("new", NEW)) for i, label in enumerate(NAMES)},
}


def notes(found: ge.Performances) -> dict[str, str]:
    return {note.code: note.message for note in found.notes}


# What is reported -------------------------------------------------------------------------------------------------


def test_every_report_has_areas_by_class_and_averaged() -> None:
    found = ge.classify(TRUTH, y_proba=OLD, **FEW).only
    by_class = metrics.roc_auc_score(CODES, OLD, multi_class="ovr", average=None)
    assert [found["AUC", name].value for name in NAMES] == pytest.approx(by_class.tolist())
    assert found["roc_auc", "macro"].value == pytest.approx(by_class.mean())
    assert found["AUC", "ovo"].value == pytest.approx(metrics.roc_auc_score(CODES, OLD, multi_class="ovo"))
    assert found["AP[micro]"].value == pytest.approx(
        metrics.average_precision_score(np.eye(4)[CODES], OLD, average="micro")
    )
    assert set(found.averages) == {"macro", "weighted", "micro", "ovo", "ovo weighted"}
    assert all(
        0 < e.low < e.value < e.high < 1
        for table in found.averages.values()
        for n, e in table.items()
        if n in ("AUC", "AP")
    )
    top = found["top_k_accuracy(k=2)"]
    assert top.value == pytest.approx(metrics.top_k_accuracy_score(CODES, OLD, k=2))
    assert top.method == "wilson"
    parts = [found[name].value for name in ("miscalibration", "discrimination", "uncertainty")]
    assert parts[0] - parts[1] + parts[2] == pytest.approx(found["Brier"].value)
    assert found["classwise_ECE"].value == pytest.approx(np.mean([found["ECE", name].value for name in NAMES]))
    assert found["classwise_ECE"].value == pytest.approx(found["ECE", "macro"].value)


def test_the_tables_for_people_have_the_areas() -> None:
    text = str(ge.classify(TRUTH, y_proba=OLD, **FEW))
    scores = text.partition("Scores of each class against the rest, and averages, with 95% intervals")[2]
    assert re.search(r"class +items +AUC +AP +ECE\n", scores)
    assert re.search(r"\(ovo weighted\) +0\.\d{4} \[0\.\d{4}, 0\.\d{4}\]", scores)
    assert "(ovo)" not in text.partition("Scores of each class")[0], "pairs of classes have no rates"


def test_an_average_chosen_for_all_measures_is_that_of_areas_too() -> None:
    found = ge.classify(TRUTH, y_proba=OLD, average="weighted", **FEW).only
    assert found["AUC"] == found["AUC", "weighted"]


ASKED = [
    "AUC[macro]",
    "AUC[ovo weighted]",
    "AUC[cat]",
    "AP[micro]",
    "EER[macro]",
    "ECE(bins=5)[dog]",
    "top_k_accuracy(k=3)",
    "top_label_ECE(bins=5)",
    "classwise_ECE(binning=equal-width)",
    "log_loss(clip=0.01)",
]


@pytest.mark.parametrize("measure", ASKED)
def test_whatever_is_asked_for_is_there(measure: str) -> None:
    (found,) = ge.classify(TRUTH, y_proba=OLD, measures=[measure], **FEW)
    (estimate,) = found.overall.values()
    assert not math.isnan(estimate.value)
    assert list(found.overall) == [measure]


NOT_THERE = [
    ("EER[micro]", "no such average"),
    ("Brier[macro]", "describes the whole table"),
    ("AP[ovo]", "is not averaged over pairs of classes"),
    ("F1[ovo]", "is not averaged over pairs of classes"),
    ("AUC[bat]", "unknown class or average 'bat'"),
    ("top_k_accuracy(k=0)", "expected an integer of 1 or more for k"),
]


@pytest.mark.parametrize(("measure", "why"), NOT_THERE)
def test_what_has_no_meaning_is_an_error(measure: str, why: str) -> None:
    with pytest.raises(GermaneError, match=why):
        ge.classify(TRUTH, y_proba=OLD, measures=[measure], **FEW)


def test_measures_of_tables_need_three_classes() -> None:
    with pytest.raises(GermaneError, match="needs probabilities of three or more classes"):
        ge.classify([0, 1, 1], y_score=[0.2, 0.4, 0.6], measures=["top_k_accuracy"], **FEW)


def test_a_class_without_items_is_omitted_and_said() -> None:
    some = [i for i, name in enumerate(TRUTH) if name != "fox"]
    found = ge.classify([TRUTH[i] for i in some], y_proba=OLD[some], labels=NAMES, **FEW).only
    assert math.isnan(found["AUC", "fox"].value)
    assert found["AUC", "macro"].value == pytest.approx(np.mean([found["AUC", name].value for name in NAMES[:3]]))
    for average in ("macro", "ovo"):
        assert "1 class without items omitted" in found["AUC", average].remark
    assert found["AUC", "micro"].remark == ""


def test_fractional_weights_have_values_and_no_intervals() -> None:
    weights = RANDOM.random(len(TRUTH)) + 0.5
    found = ge.classify(TRUTH, y_proba=OLD, sample_weight=weights, **FEW).only
    expected = metrics.roc_auc_score(CODES, OLD, multi_class="ovr", sample_weight=weights)
    assert found["AUC", "macro"].value == pytest.approx(expected)
    assert found["AUC", "macro"].remark == "weights are not integers"
    assert found["top_k_accuracy(k=2)"].value == pytest.approx(
        metrics.top_k_accuracy_score(CODES, OLD, k=2, sample_weight=weights)
    )


# Rounded probabilities --------------------------------------------------------------------------------------------

ROUNDED = [
    # how they are written             what the note says
    (OLD.astype(np.float16), "rounded to float16"),
    (OLD.astype(np.float16).astype(np.float64), "rounded to float16"),
    (np.round(OLD, 3), "rounded to 3 decimals"),
    (np.round(OLD, 2), "rounded to 2 decimals"),
]


@pytest.mark.parametrize(("p", "said"), ROUNDED)
def test_rounded_probabilities_are_used_as_they_are_with_a_note(p: Any, said: str) -> None:
    found = ge.classify(TRUTH, y_proba=p, **FEW)
    note = notes(found)["rounded-probabilities"]
    gap = np.abs(p.astype(np.float64).sum(axis=1) - 1).max()
    assert said in note
    assert f"by at most {gap:.2g}" in note
    assert "not normalised" in note
    mine = p.astype(np.float64)[np.arange(len(CODES)), CODES]
    assert found["log_loss"].value == pytest.approx(-np.log(mine).mean())


def test_probabilities_that_sum_to_one_have_no_note() -> None:
    for p in (OLD, OLD.astype(np.float32)):
        assert "rounded-probabilities" not in notes(ge.classify(TRUTH, y_proba=p, **FEW))


BEYOND = [
    # the third row                          what is found
    ([0.251, 0.251, 0.251, 0.251], r"row 3, found a sum of 1\.004, off by more than 0\.002 \(3 decimals, 4 classes\)"),
    ([0.3, 0.3, 0.3, 0.2], r"row 3, found a sum of 1\.1, off by more than 0\.002"),
]


@pytest.mark.parametrize(("row", "message"), BEYOND)
def test_more_than_rounding_explains_is_an_error_with_the_row(row: list[float], message: str) -> None:
    p = np.round(OLD, 3)
    p[:, 0] += 1 - p.sum(axis=1)
    p = np.round(p, 3)
    p[2] = row
    with pytest.raises(GermaneError, match=message):
        ge.classify(TRUTH, y_proba=p, **FEW)


def test_one_decimal_is_too_coarse_to_explain_anything() -> None:
    with pytest.raises(GermaneError, match=r"in row 1, found a sum of 0\.9\n"):
        ge.classify([0, 1, 2], y_proba=[[0.3, 0.3, 0.3], [0.2, 0.6, 0.2], [0.1, 0.1, 0.8]], **FEW)


# Comparing --------------------------------------------------------------------------------------------------------


def pairs(found: Any) -> dict[str, Any]:
    return {pair.measure: pair for pair in found.pairs}


def test_tables_are_compared_item_by_item() -> None:
    found = ge.compare(TRUTH, y_proba={"old": OLD, "new": NEW}, **FEW)
    compared = pairs(found)
    assert list(compared) == ["ACC", "macro F1", "MCC", "log_loss", "Brier", "AUC[macro]"]
    assert found.family == "1 pair of classifiers × 6 measures"
    losses = [-np.log(p[np.arange(len(CODES)), CODES]) for p in (OLD, NEW)]
    assert compared["log_loss"].p == pytest.approx(stats.ttest_rel(losses[1], losses[0]).pvalue)
    assert compared["log_loss"].test == "paired t"
    areas = [metrics.roc_auc_score(CODES, p, multi_class="ovr") for p in (OLD, NEW)]
    assert (compared["AUC[macro]"].value_a, compared["AUC[macro]"].value_b) == pytest.approx(tuple(areas))
    assert compared["ACC"].test == "mcnemar exact"
    assert all(pair.p_adjusted >= pair.p for pair in found.pairs)


BY = [
    ("AUC[ovo]", "influence"),
    ("macro AP", "influence"),
    ("AUC[cat]", "delong"),
    ("top_k_accuracy(k=2)", "mcnemar exact"),
    ("log_loss(clip=0.01)", "paired t"),
    ("miscalibration", "paired bootstrap"),
    ("F1[dog]", "paired bootstrap"),
]


@pytest.mark.parametrize(("measure", "test"), BY)
def test_every_measure_of_tables_has_its_test(measure: str, test: str) -> None:
    (pair,) = ge.compare(TRUTH, y_proba={"old": OLD, "new": NEW}, measures=[measure], **FEW).pairs
    single = ge.classify(TRUTH, y_proba=OLD, measures=[measure], **FEW).only
    assert pair.value_a == pytest.approx(next(iter(single.overall.values())).value)
    assert pair.test == test
    assert pair.low <= pair.difference <= pair.high


def test_the_same_table_twice_does_not_differ() -> None:
    asked = ["log_loss", "Brier", "AUC[macro]", "AP[micro]", "AUC[ovo weighted]", "ACC", "top_k_accuracy"]
    found = ge.compare(TRUTH, y_proba={"a": OLD, "b": OLD}, measures=asked, **FEW)
    assert [pair.p for pair in found.pairs] == [1.0] * len(asked)


UNCOMPARED = [
    ({"measures": ["EER"]}, "cannot compare probabilities of several classes by EER"),
    ({"measures": ["Brier[macro]"]}, "cannot compare probabilities of several classes by"),
    ({"measures": ["AUC[bat]"]}, "unknown class or average 'bat'"),
    ({"baseline": "best"}, "unknown classifier 'best'"),
]


@pytest.mark.parametrize(("how", "message"), UNCOMPARED)
def test_what_cannot_be_compared_is_an_error(how: Any, message: str) -> None:
    with pytest.raises(GermaneError, match=message):
        ge.compare(TRUTH, y_proba={"old": OLD, "new": NEW}, **how, **FEW)


def test_two_classes_are_compared_as_scores() -> None:
    truth = [int(code > 1) for code in CODES]
    p = {
        name: np.stack([t[:, :2].sum(axis=1), t[:, 2:].sum(axis=1)], axis=1) for name, t in (("old", OLD), ("new", NEW))
    }
    found = pairs(ge.compare(truth, y_proba=p, **FEW))
    scores = pairs(ge.compare(truth, y_score={name: t[:, 1] for name, t in p.items()}, **FEW))
    for measure in ("AUC", "AP"):
        assert replace(found[measure], p_adjusted=0) == replace(scores[measure], p_adjusted=0)


def test_the_columns_may_be_in_another_order() -> None:
    turned = {name: table[:, ::-1] for name, table in (("old", OLD), ("new", NEW))}
    (pair,) = ge.compare(TRUTH, y_proba=turned, labels=NAMES[::-1], measures=["Brier"]).pairs
    assert pair == ge.compare(TRUTH, y_proba={"old": OLD, "new": NEW}, measures=["Brier"]).pairs[0]


# Several prefixes, several tables ---------------------------------------------------------------------------------


def test_each_prefix_of_columns_is_a_classifier() -> None:
    found = ge.classify(COLUMNS, truth="truth", probabilities=["old", "new"], **FEW)
    assert [each.name for each in found] == ["old", "new"]
    arrays = ge.classify(TRUTH, y_proba={"old": OLD, "new": NEW}, **FEW)
    alone = ge.classify(TRUTH, y_proba=NEW, **FEW)
    assert found.classifier("new")["AUC", "macro"] == alone["AUC", "macro"]
    assert repr(arrays.classifier("new").only.overall) == repr(alone.only.overall)
    assert found.comparison is not None
    assert arrays.comparison is not None
    assert found.comparison.pairs == arrays.comparison.pairs
    assert arrays.comparison.pairs == ge.compare(TRUTH, y_proba={"old": OLD, "new": NEW}, **FEW).pairs
    assert ge.compare(found).pairs == found.comparison.pairs


def test_one_class_against_the_rest_is_compared_too() -> None:
    found = ge.classify(COLUMNS, truth="truth", probabilities=["old", "new"], one_class="cat", **FEW)
    assert found.comparison is not None
    assert {(pair.a, pair.b) for pair in found.comparison.pairs} == {("old_cat", "new_cat")}


def test_a_column_of_predictions_may_stand_beside_one_table() -> None:
    guesses = {**COLUMNS, "guess": ["cat"] * len(TRUTH)}
    found = ge.classify(guesses, truth="truth", predicted="guess", probabilities="old", **FEW)
    assert found["TPR", "cat"].value == 1, "decisions are the predictions, not the most probable class"
    assert found["AUC", "macro"].value == pytest.approx(metrics.roc_auc_score(CODES, OLD, multi_class="ovr"))


REFUSED = [
    ({"probabilities": ["old", "new"], "predicted": "guess"}, "expected only probabilities, found other columns"),
    ({"probabilities": "old", "score": "old_cat"}, "expected only probabilities, found other columns besides: old_cat"),
    (
        {"probabilities": ["old", "odd"]},
        "expected the same classes with each prefix, found cat, dog, eel, fox with 'old'",
    ),
    ({"probabilities": "old", "baseline": "old"}, "needs at least two classifiers"),
]


@pytest.mark.parametrize(("how", "message"), REFUSED)
def test_columns_that_do_not_go_together_are_refused(how: Any, message: str) -> None:
    odd = {f"odd_{name}": OLD[:, i] for i, name in enumerate(("cat", "dog", "eel", "bat"))}
    with pytest.raises(GermaneError, match=message):
        ge.classify({**COLUMNS, **odd, "guess": TRUTH}, truth="truth", **how, **FEW)


ARRAYS = [
    ({"y_proba": {"old": OLD, "new": NEW}, "y_pred": TRUTH}, "y_pred cannot be combined with several tables"),
    ({"y_proba": {"old": OLD}, "baseline": "old"}, "needs at least two classifiers"),
    ({"y_proba": OLD, "baseline": "old"}, "needs at least two classifiers"),
]


@pytest.mark.parametrize(("how", "message"), ARRAYS)
def test_arrays_that_do_not_go_together_are_refused(how: Any, message: str) -> None:
    with pytest.raises(GermaneError, match=message):
        ge.classify(TRUTH, **how, **FEW)


def test_tables_of_weighted_items_are_not_compared() -> None:
    found = ge.classify(TRUTH, y_proba={"old": OLD, "new": NEW}, sample_weight=[2] * len(TRUTH), **FEW)
    assert len(found) == 2
    assert found.comparison is None
    assert "not-compared" in notes(found)


def test_a_report_shows_the_areas() -> None:
    page = classification_page(decision_numbers(ge.classify(TRUTH, y_proba={"old": OLD, "new": NEW}, **FEW)))
    (old, _) = block_of(page, "estimates")
    assert "top_k_accuracy(k=2)" in old["measures"]
    assert [group["name"] for group in old["groups"] if group["kind"] == "average"][-2:] == ["ovo", "ovo weighted"]


def test_missing_values_and_baselines_of_several_tables() -> None:
    both = {"old": OLD, "new": NEW}
    with pytest.raises(GermaneError, match="`missing=` is not supported with several tables of probabilities"):
        ge.classify(TRUTH, y_proba=both, missing="exclude", **FEW)
    with pytest.raises(GermaneError, match="classifiers of weighted items cannot be compared"):
        ge.classify(TRUTH, y_proba=both, sample_weight=[2] * len(TRUTH), baseline="old", **FEW)
    compared = ge.classify(TRUTH, y_proba={**both, "best": made(2.0)}, baseline="old", measures=["Brier"], **FEW)
    assert compared.comparison is not None
    assert [(pair.a, pair.b) for pair in compared.comparison.pairs] == [("old", "new"), ("old", "best")]


def test_tables_are_compared_with_predictions_by_decisions() -> None:
    found = ge.compare(TRUTH, y_pred={"constant": ["cat"] * len(TRUTH)}, y_proba={"old": OLD}, measures=["ACC"])
    assert [(pair.a, pair.b) for pair in found.pairs] == [("constant", "old")]


@pytest.mark.parametrize("given", [OLD, OLD.tolist(), {"old": OLD[:5]}, {"old": OLD[:, :3]}])
def test_what_is_not_a_table_of_each_classifier_is_an_error(given: Any) -> None:
    with pytest.raises(GermaneError, match=r"compare: expected|expected 5 true classes|expected a column|one per row"):
        ge.compare(TRUTH, y_proba=given)
