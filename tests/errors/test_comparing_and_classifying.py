"""Errors of comparing systems, of classifying and of thresholds, each provoked."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest

import germane as ge
from germane.distributed.spark_run import SparkRun
from germane.errors import GermaneError, InputError
from germane.formats.decisions.labelled_rows import labelled_from
from germane.measures.decisions.requests import require_rate
from germane.measures.decisions.scores.streamed import StreamedScores
from germane.tables.decisions.confusion import Confusion
from germane.tables.decisions.decision_stream import StreamedDecisions
from germane.tables.decisions.exact_sums import ExactMoments, exact_sum
from tests.errors.provoking import provoked

QRELS = {"q1": {"d1": 1, "d2": 0}, "q2": {"d1": 1, "d3": 0}}
RUN = {"q1": {"d1": 2.0, "d2": 1.0}, "q2": {"d1": 1.0, "d3": 2.0}}
SCORES = ge.evaluate(QRELS, {"a": RUN, "b": RUN}, ["AP"])
GROUPS = {"q1": "control", "q2": "treatment"}
YES_NO = [0, 1, 1, 0]
THREE = ["a", "b", "c", "a"]
TWO_SCORES = {"a": [0.1, 0.2, 0.3, 0.4], "b": [0.4, 0.3, 0.2, 0.1]}
(FOUND,) = ge.classify(["macro", "b", "macro", "b"], ["macro", "b", "b", "b"])
CHOSEN = ge.threshold((YES_NO, [0.1, 0.9, 0.4, 0.3]), rule="youden")
PAIR = ge.threshold((YES_NO * 9, [0.1, 0.9, 0.4, 0.3] * 9), rule="rule-out TPR>=.9, rule-in TNR>=.9")

test_comparing_systems = provoked(
    [
        (
            "duplicate system name 'a'",
            lambda: ge.compare(replace(SCORES, runs=tuple(replace(run, name="a", path=None) for run in SCORES.runs))),
        ),
        (
            "cannot compare NumRet: it is a count",
            lambda: ge.compare(ge.evaluate(QRELS, {"a": RUN, "b": RUN}, ["NumRet"])),
        ),
        ("'t' is not a test of two groups", lambda: ge.compare(SCORES, groups=GROUPS, test="t")),
        ("'max-t' cannot adjust tests of two groups", lambda: ge.compare(SCORES, groups=GROUPS, correction="max-t")),
        ("unknown pair ('AP', 'a', 'c')", lambda: ge.compare(SCORES)["AP", "a", "c"]),
    ]
)

test_comparing_classifiers = provoked(
    [
        ("expected 4 items from b, found 3", lambda: ge.compare(YES_NO, y_pred={"a": YES_NO, "b": [0, 1, 1]})),
        (
            "expected labels of one kind",
            lambda: ge.compare(YES_NO, y_pred={"a": YES_NO, "b": ["x", "y", "x", "y"]}),
        ),
        ("scores need a positive class", lambda: ge.compare(THREE, y_score=TWO_SCORES, measures=["AUC"])),
        (
            "TPR needs a positive class, or an average",
            lambda: ge.compare(THREE, y_pred={"a": THREE, "b": THREE}, measures=["TPR"]),
        ),
        (
            "F1 needs a positive class, or an average",
            lambda: ge.compare(THREE, y_pred={"a": THREE, "b": THREE}, measures=["F1"]),
        ),
    ]
)

test_classifying = provoked(
    [
        ("expected items in the confusion matrix", lambda: ge.classify(Confusion.of_matrix([[0, 0], [0, 0]]))),
        (
            "--average cannot be combined with --engine spark",
            lambda: ge.classify(SparkRun(cast("Any", None)), average="macro"),
        ),
        ("expected 2 different labels for the matrix", lambda: Confusion.of_matrix([[1, 2], [3, 4]], ["a", "a"])),
        ("unknown class 'x'", lambda: Confusion.of_matrix([[1, 2], [3, 4]], ["a", "b"]).place("x")),
        ("'macro' is both a class and an average", lambda: FOUND["TPR", "macro"]),
        ("unknown class or average 'x'", lambda: FOUND["TPR", "x"]),
        (
            "expected at most",
            lambda: ge.Confusion.of(np.arange(6_000).astype(str), np.arange(6_000, 12_000).astype(str)),
        ),
        ("expected predictions for a confusion matrix", lambda: StreamedDecisions().confusion),
        (
            "the rows changed between two readings: found 0 and 0 positives and negatives where others were",
            lambda: StreamedScores((2, 3), probabilities=False).require_all(),
        ),
        (
            "the rows changed between two readings: found 0 and 0",
            lambda: StreamedScores((2, 3), probabilities=False).merge(
                StreamedScores((2, 3), probabilities=False, before=(1, 0))
            ),
        ),
        ("expected finite values to add up, found infinity or NaN", lambda: exact_sum(np.asarray([1.0, math.inf]))),
        (
            "expected finite values to add up, found infinity or NaN",
            lambda: ExactMoments().add(np.asarray([math.nan]), np.asarray([1])),
        ),
        ("unknown threshold 'other'", lambda: CHOSEN.choice["other"]),
        ("chooses two thresholds", lambda: PAIR.choice.threshold),
    ]
)

LAST = "AP(area=interpolated)"
COLUMNS = [
    # what the file has                how it is read                             what is said
    ("label,p_a,p_b\n1,2,3\n0,1,2\n",  {"score": ["p*"], "task": "regression"},   "predictions, found none"),
    ("label,score\n1,2\n0,1\n",        {"baseline": "score"},                     "at least two classifiers"),
    ("label,score\n",                  {"stream": True},                          "expected rows, found none"),
    ("label,a,b\n1,2,3\n0,1,2\n",      {"score": ["a", "b"], "stream": True},     "--stream supports one classifier"),
    ("label,score\na,2\nb,1\nc,3\n",   {"stream": True},                          "which of 3 labels is positive"),
    ("label,score,w\n0,2,0\n1,1,0\n",  {"stream": True, "weight": "w"},           "at least one weight above 0"),
    ("label,score\n0,0.2\n1,0.1\n",    {"stream": True, "measures": [LAST]},      "is not supported with --stream"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "how", "message"), COLUMNS)
def test_columns_of_a_file(tmp_path: Path, text: str, how: dict[str, Any], message: str) -> None:
    path = tmp_path / "items.csv"
    path.write_text(text)
    with pytest.raises(GermaneError, match=message):
        ge.classify(path, **how)


EXPLAINED = [
    ("label,a,b\n1,2,3\n0,1,2\n", {"truth": "label", "score": ["a", "b"]}, "expected one column of scores, found a, b"),
    ("label,score\na,2\nb,1\nc,3\n", {}, "cannot tell which class to explain: a, b, c"),
]


@pytest.mark.parametrize(("text", "how", "message"), EXPLAINED)
def test_columns_to_explain(tmp_path: Path, text: str, how: dict[str, Any], message: str) -> None:
    path = tmp_path / "items.csv"
    path.write_text(text)
    with pytest.raises(GermaneError, match=message):
        ge.explain("AUC", path, **how)


def test_several_columns_of_scores_are_refused_where_one_is_meant() -> None:
    data = {"truth": YES_NO, "a": [0.1, 0.9, 0.4, 0.3], "b": [0.2, 0.8, 0.4, 0.3]}
    items = labelled_from(data, truth="truth", score=["a", "b"])
    with pytest.raises(GermaneError, match="expected one column of scores, found a, b"):
        ge.explain("AUC", items)
    with pytest.raises(GermaneError, match="found several: 'a', 'b'"):
        ge.threshold(items)


TO_CHOOSE_BY = [
    (
        "label,a,b\n1,.2,.3\n0,.1,.2\n",
        {"truth": "label", "score": ["a", "b"]},
        "text or an integer as score, found",
    ),
    ("label,predicted\n1,1\n0,1\n", {}, "expected one column of scores, found none"),
]


@pytest.mark.parametrize(("text", "how", "message"), TO_CHOOSE_BY)
def test_columns_to_choose_a_threshold_by(tmp_path: Path, text: str, how: dict[str, Any], message: str) -> None:
    path = tmp_path / "items.csv"
    path.write_text(text)
    with pytest.raises(GermaneError, match=message):
        ge.threshold(path, **how)


def test_of_two_sets_the_one_without_the_positive_label_is_named(tmp_path: Path) -> None:
    dev, test = tmp_path / "dev.csv", tmp_path / "test.csv"
    dev.write_text("label,score\n1,.9\n0,.1\n")
    test.write_text("label,score\nyes,.9\nno,.1\n")
    with pytest.raises(InputError, match=r"test\.csv: the positive label 1 does not occur") as raised:
        ge.threshold(dev, test=test, resamples=100)
    assert raised.value.hint == "choose from no, yes"


WEIGHED = {"truth": YES_NO, "a": YES_NO, "b": YES_NO, "w": [1, 2, 1, 1]}

test_what_cannot_be_met = provoked(
    [
        (
            "classifiers of weighted items cannot be compared",
            lambda: ge.classify(WEIGHED, truth="truth", predicted=["a", "b"], weight="w", baseline="a"),
        ),
        (
            "cannot compute LR+[macro]: may be infinite for a class",
            lambda: ge.classify(YES_NO, YES_NO, measures="LR+[macro]"),
        ),
        (
            "cannot compute kappa(weights=linear)[1]: is a measure of the whole matrix",
            lambda: ge.classify(YES_NO, YES_NO, measures="kappa(weights=linear)[1]"),
        ),
        (
            "cannot compute AP[macro]: needs scores, found none",
            lambda: ge.classify(YES_NO, YES_NO, measures="AP[macro]"),
        ),
        ("unknown class or average 'fox'", lambda: ge.classify(YES_NO, YES_NO, measures="F1[fox]")),
        ("net_benefit requires act_at", lambda: ge.classify(YES_NO, YES_NO, measures="net_benefit")),
        ("expected a measure such as F1[macro], found 'F1[]'", lambda: ge.classify(YES_NO, YES_NO, measures=["F1[]"])),
        (
            "AUC[macro] is of classes or averages, so a table of all thresholds cannot have it",
            lambda: require_rate("AUC[macro]", "a table of all thresholds"),
        ),
        (
            "ECE is not a rate of four cells, so a table of all thresholds cannot have it",
            lambda: require_rate("ECE", "a table of all thresholds"),
        ),
    ]
)

test_what_cannot_be_compared = provoked(
    [
        (
            "cannot compare AUC[macro]: scores of one class have one value of AUC",
            lambda: ge.compare(YES_NO, y_score=TWO_SCORES, measures=["AUC[macro]"]),
        ),
        (
            "unknown class or average 'fox'",
            lambda: ge.compare(THREE, y_pred={"a": THREE, "b": THREE}, measures=["F1[fox]"]),
        ),
        (
            "kappa(weights=linear) is a measure of the whole matrix, not of a class",
            lambda: ge.compare(THREE, y_pred={"a": THREE, "b": THREE}, measures=["kappa(weights=linear)[macro]"]),
        ),
        (
            "RMSE is not a measure of classes",
            lambda: ge.compare(THREE, y_pred={"a": THREE, "b": THREE}, measures=["RMSE"]),
        ),
    ]
)
