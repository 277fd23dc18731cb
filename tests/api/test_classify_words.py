"""How people ask for measures and name what they give: other words are understood, or the right ones are told."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pandas as pd
import pytest

import germane as ge
from germane.errors import GermaneError, MeasureError
from germane.measures.decisions.names import canonical_name
from germane.measures.decisions.requests import Request

TRUTH = [0, 1, 1, 0, 1, 0]
SCORE = [1.0, 8.0, 4.0, 3.0, 9.0, 5.0]
THREE = [0, 1, 2, 0, 1, 2]
PROBABILITIES = np.eye(3)[[0, 1, 2, 1, 1, 0]] * 0.4 + 0.2
FEW: Any = {"resamples": 40}

SCIKIT_LEARN = [
    ("f1_score", "F1"),
    ("accuracy_score", "ACC"),
    ("precision_score", "PPV"),
    ("recall_score", "TPR"),
    ("roc_auc_score", "AUC"),
    ("brier_score_loss", "Brier"),
    ("balanced_accuracy_score", "BA"),
    ("matthews_corrcoef", "MCC"),
    ("cohen_kappa_score", "kappa"),
    ("average_precision_score", "AP"),
    ("log_loss", "log_loss"),
    ("pr_auc", "AP"),
]


@pytest.mark.parametrize(("written", "name"), SCIKIT_LEARN)
def test_the_names_of_scikit_learn_are_understood(written: str, name: str) -> None:
    assert canonical_name(written) == name


def test_an_ending_alone_makes_no_name() -> None:
    with pytest.raises(MeasureError, match="unknown measure 'nonsense_score'"):
        canonical_name("nonsense_score")


NOT_COMPUTED = [
    # what there is                                     asked for    why it cannot be had
    ({"y_true": TRUTH, "y_score": SCORE}, "Brier", "needs probabilities, found scores outside [0, 1]"),
    ({"y_true": TRUTH, "y_score": SCORE}, "recall", "needs decisions, found none (use --threshold)"),
    ({"y_true": TRUTH, "y_score": SCORE, "threshold": 4}, "Brier", "needs probabilities, found scores outside [0, 1]"),
    ({"y_true": THREE, "y_proba": PROBABILITIES}, "EER[micro]", "describes the whole table, or has no such average"),
    ({"y_true": TRUTH, "y_pred": TRUTH}, "top_k_accuracy", "needs probabilities of three or more classes"),
    ({"y_true": TRUTH, "y_pred": TRUTH}, "AUC", "needs scores of one class"),
    ({"y_true": TRUTH, "y_pred": TRUTH}, "Brier", "needs probabilities, found none"),
    ({"y_true": TRUTH, "y_pred": TRUTH}, "RMSE", "requires --task regression"),
    ({"y_true": THREE, "y_proba": PROBABILITIES}, "AP[ovo]", "is not averaged over pairs of classes"),
    ({"y_true": TRUTH, "y_score": SCORE}, "AUC[macro]", "needs scores of each class, or is not averaged"),
    ({"y_true": TRUTH, "y_pred": TRUTH}, "LR+[macro]", "may be infinite for a class"),
]


@pytest.mark.parametrize(("given", "measure", "why"), NOT_COMPUTED)
def test_what_is_asked_for_and_cannot_be_had_is_an_error(given: dict[str, Any], measure: str, why: str) -> None:
    with pytest.raises(GermaneError, match=re.escape(f"cannot compute {Request.of(measure)}: ")) as error:
        ge.classify(**given, measures=[measure], **FEW)
    assert why in error.value.message


@pytest.mark.parametrize(("given", "measure", "why"), NOT_COMPUTED)
def test_whatever_the_hint_names_can_be_had(given: dict[str, Any], measure: str, why: str) -> None:
    with pytest.raises(GermaneError) as error:
        ge.classify(**given, measures=[measure], **FEW)
    assert why in error.value.message
    assert error.value.hint is not None
    named = error.value.hint.removeprefix("choose from ").split(", ")
    (found,) = ge.classify(**given, measures=named, **FEW)
    assert set(named) <= {*found.overall, *(name for table in found.by_class.values() for name in table)}


def test_a_measure_that_each_class_has_is_there() -> None:
    (found,) = ge.classify(THREE, y_proba=PROBABILITIES, measures=["F1"], **FEW)
    assert all("F1" in table for table in found.by_class.values())
    (note,) = [note for note in found.notes if note.code == "only-by-class"]
    assert (note.amount, note.count) == ("F1", 1)


def test_what_one_of_several_classifiers_lacks_is_said() -> None:
    data = {"truth": TRUTH, "a": TRUTH, "b": SCORE, "c": SCORE[::-1]}
    columns: dict[str, Any] = {"truth": "truth", "predicted": ["a"], "score": ["b", "c"], **FEW}
    found = ge.classify(data, measures=["AUC"], **columns)
    assert [list(each.overall) for each in found] == [[], ["AUC"], ["AUC"]]
    assert [note.amount for each in found for note in each.notes if note.code == "not-computed"] == ["AUC"]
    with pytest.raises(GermaneError, match="cannot compute RMSE: requires --task regression"):
        ge.classify(data, measures=["RMSE", "AUC"], **columns)


def test_what_is_computed_is_not_said_to_be_missing() -> None:
    (found,) = ge.classify(TRUTH, y_score=SCORE, threshold=4, measures="AUC, recall MCC", **FEW)
    assert set(found.overall) == {"AUC", "TPR", "MCC"}
    assert not found.missing


def test_measures_that_lack_the_same_are_said_together() -> None:
    with pytest.raises(GermaneError, match="cannot compute TPR, PPV: needs decisions"):
        ge.classify(TRUTH, y_score=SCORE, measures=["TPR", "Brier", "PPV", "AUC"], **FEW)


def test_a_matrix_says_it_too() -> None:
    with pytest.raises(GermaneError, match="cannot compute AUC: needs scores of one class"):
        ge.classify(ge.Confusion.of(TRUTH, TRUTH), measures=["AUC", "ACC"], **FEW)


def test_other_tasks_give_what_is_asked_for() -> None:
    data = {"truth": [1.0, 2.0, 3.0], "a": [1.0, 2.0, 4.0]}
    (found,) = ge.classify(data, truth="truth", predicted=["a"], task="regression", measures=["rmse"])
    assert list(found.overall) == ["RMSE"]
    with pytest.raises(GermaneError, match="not a measure of task regression: AUC"):
        ge.classify(data, truth="truth", predicted=["a"], task="regression", measures=["AUC"])


def test_an_estimate_is_found_by_any_name_of_its_measure() -> None:
    (found,) = ge.classify(TRUTH, y_score=SCORE, threshold=4, **FEW)
    assert found["recall"] is found["sensitivity"] is found["TPR"]
    assert found["roc_auc"] is found["AUC"]
    chosen = ge.threshold((TRUTH, SCORE), test=(TRUTH, SCORE[::-1]), **FEW)
    assert chosen.test is not None
    assert chosen.test["recall"] is chosen.test["TPR"] is chosen.test.rates["threshold"]["TPR"]


(CLASSES,) = ge.classify(THREE, [0, 1, 2, 1, 1, 0], **FEW)


@pytest.mark.parametrize(
    ("written", "hint"),
    [
        ("F1", "write performance['F1', 'macro']"),
        ("macro F1", "write performance['F1', 'macro']"),
        ("weighted recall", "write performance['TPR', 'weighted']"),
        ("AUC", "choose from ACC, ERR, MCC, kappa, BA"),
    ],
)
def test_what_is_not_over_everything_is_told_where_it_is(written: str, hint: str) -> None:
    with pytest.raises(GermaneError) as error:
        CLASSES[written]
    assert str(error.value).startswith(f"'{written}' was not computed\n")  # no measure of a like name is suggested
    assert error.value.hint is not None
    assert error.value.hint.endswith(hint)


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: ge.classify("f.parquet", TRUTH), "expected the true labels as y_true, found 'f.parquet'"),
        (lambda: ge.classify(pd.DataFrame({"y": TRUTH, "p": TRUTH}), TRUTH), "as y_true, found a table (DataFrame)"),
        (lambda: ge.classify(TRUTH, TRUTH, weights=TRUTH), "unknown option 'weights'; did you mean weight?"),  # type: ignore[call-arg]
        (lambda: ge.classify(TRUTH, TRUTH, weight=TRUTH), "expected text or an integer as weight, found [0"),  # type: ignore[arg-type]
        (lambda: ge.classify(TRUTH, TRUTH, weight="w"), "weight cannot be combined with arrays"),
        (
            lambda: ge.classify(THREE, y_score=PROBABILITIES),
            "expected one column as y_score, found an array of shape (6, 3)",
        ),
        (lambda: ge.threshold(TRUTH, np.asarray(SCORE)), "as rule, found array("),  # type: ignore[arg-type]
        (
            lambda: ge.compare(TRUTH, y_pred=TRUTH),  # type: ignore[call-overload]
            "expected a dict with a column for each classifier",
        ),
        (lambda: ge.plot("roc", (TRUTH * 99, SCORE * 99)), "missing predictions"),
    ],
)
def test_what_goes_in_otherwise_is_told(call: Any, said: str) -> None:
    with pytest.raises(GermaneError) as error:
        call()
    assert said in str(error.value)
    assert error.value.hint


def test_a_rule_with_two_thresholds_has_no_one_rate() -> None:
    pair = ge.threshold((TRUTH * 9, SCORE * 9), "rule-out TPR>=.9, rule-in TNR>=.9", **FEW)
    with pytest.raises(GermaneError, match="which threshold is meant: rule-out, rule-in"):
        pair.dev["TPR"]
    one = ge.threshold((TRUTH, SCORE), **FEW)
    with pytest.raises(GermaneError, match="'AUC' was not computed"):
        one.dev["AUC"]


def test_predictions_that_can_never_be_right_are_refused() -> None:
    with pytest.raises(GermaneError, match="expected predictions among the true labels 'benign', 'malignant', found"):
        ge.classify(["benign", "malignant"], ["0", "1"])
    (declared,) = ge.classify(["a", "b"], ["c", "c"], labels=["a", "b", "c"], **FEW)
    assert declared["ACC"].value == 0
    assert ge.classify([1, 1], [0, 0], **FEW)["TPR"].value == 0  # of two labels, all may be missed


def test_labels_that_differ_only_in_case_are_said() -> None:
    (found,) = ge.classify(["Spam", "ham", "spam"], ["spam", "ham", "spam"], **FEW)
    (note,) = [note for note in found.notes if note.code == "similar-labels"]
    assert note.amount == "'Spam' and 'spam'"
    assert not [note for note in CLASSES.notes if note.code == "similar-labels"]


def test_results_print_without_a_blank_line() -> None:
    comparison = ge.compare(TRUTH * 20, y_pred={"a": TRUTH * 20, "b": [1, 0, 0, 1, 0, 1] * 20}, measures=["ACC"])
    assert repr(comparison) == "<ClassifierComparison: 1 test on 120 items>"
    title, _, _, row = str(comparison).split("\n")
    assert "95% intervals, unadjusted; p of one test (1 pair of classifiers × 1 measure)" in title
    assert row.split()[-5:] == ["mcnemar", "exact", "<0.0001", "<0.0001", "*"]
    same = ge.compare(TRUTH, y_pred={"a": TRUTH, "b": TRUTH}, measures=["ACC"])
    assert "-0.0000" not in str(same)
    assert str(ge.classify(TRUTH, TRUTH, **FEW))[-1] != "\n"
    printed = str(ge.threshold((TRUTH, SCORE), test=(TRUTH, SCORE[::-1]), **FEW)).split("\n")
    assert printed[3].split()[:2] == ["threshold", "8"]
    rates = next(place for place, line in enumerate(printed) if line.startswith("Rates at threshold 8"))
    assert printed[rates + 2].split()[:7] == ["rate", "dev", "low", "high", "test", "low", "high"]
    assert printed[rates + 3].split()[0] == "informedness"  # what the rule is about
    assert printed[rates + 4].startswith("TPR ")
