"""Specimens of every type of result, small ones: a type without a specimen fails the laws over results."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

import germane as ge
from germane.exercises.results import Checked, CheckedFiles
from germane.measures.decisions.at_thresholds import rates_at_thresholds
from germane.tables.results.classifier_comparison import ClassifierComparison
from germane.tables.results.performances import AtThresholds, Performances
from germane.tables.results.result import Result
from tests.laws.retrieval_specimens import RETRIEVAL
from tests.laws.truth_specimens import TRUTH

QRELS = {f"q{i}": {f"d{j}": (i * j) % 3 for j in range(1, 9)} for i in range(1, 7)}
NAMES = ("bm25-tuned-on-the-training-topics", "bm25-tuned-on-the-testing-topics", "dense", "a|b & 50%_#")


@functools.cache
def scores(**how: Any) -> ge.Scores:
    """Four runs on six queries; two have long names that differ only in the middle."""
    made = np.random.default_rng(7)
    runs = {name: {q: {f"d{j}": float(made.uniform()) for j in range(1, 12)} for q in QRELS} for name in NAMES}
    return ge.evaluate(QRELS, runs, ["map", "DCG(gain=exp)@10", "NumRelRet", "P@5"], **how)


def compared(**how: Any) -> ge.stats.SystemComparison:
    """All pairs of them."""
    made = np.random.default_rng(7)
    systems = {name: {q: float(made.uniform()) for q in QRELS} for name in NAMES[: how.pop("num", 4)]}
    found: ge.stats.SystemComparison = ge.compare(systems, **how)
    return found


def many(**how: Any) -> ge.stats.SystemComparison:
    """More systems than people want to see in pairs; the first is far below the others."""
    made = np.random.default_rng(3)
    systems = {f"system {i}": {q: float(made.uniform(0.1 * min(i, 5), 1)) for q in QRELS} for i in range(30)}
    found: ge.stats.SystemComparison = ge.compare(systems, **how)
    return found


def groups() -> ge.stats.SystemComparison:
    """Two groups of queries."""
    halves = {query: "control" if i < 3 else "treatment" for i, query in enumerate(QRELS)}
    return ge.compare(ge.evaluate(QRELS, {"bm25": {q: {"d1": 1.0} for q in QRELS}}, "AP"), groups=halves)


def approximation(**how: Any) -> ge.vectors.Approximation:
    """An index that misses one of four neighbours."""
    queries, docs = [[1.0, 0.0], [0.0, 1.0]], [[2.0, 0.0], [1.0, 1.0], [0.0, 1.0]]
    return ge.vectors.approximation(np.array([[0, 2], [2, 1]]), np.array(queries), np.array(docs), k=2, **how)


ITEMS: dict[str, list[Any]] = {
    "truth": list("ppnpnnpn"),
    "new-classifier-of-the-second-half": [0.9, 0.8, 0.7, 0.6, 0.3, 0.2, 0.45, 0.5],
    "new-classifier-of-the-first-half": [0.9, 0.4, 0.8, 0.6, 0.5, 0.2, 0.7, 0.1],
}
KINDS = {"truth": list("aabbccab"), "predicted": list("abbbccaa")}


@functools.cache
def classified(*scores: str, **how: Any) -> Performances:
    """One or two classifiers of eight items."""
    return ge.classify(ITEMS, truth="truth", score=scores, resamples=50, **how)


def classifiers() -> ClassifierComparison:
    """Two classifiers of the same items."""
    comparison = classified(*list(ITEMS)[1:]).comparison
    assert comparison is not None
    return comparison


def classes() -> ge.Performances:
    """A classifier of three classes, without scores."""
    return ge.classify(KINDS["truth"], KINDS["predicted"], resamples=50)


def threshold(rule: str) -> ge.Threshold:
    """What a rule chooses on eight items, and what that does on the same in another order of scores."""
    score, test = ITEMS["new-classifier-of-the-second-half"], ITEMS["new-classifier-of-the-first-half"]
    sets = [([label == "p" for label in ITEMS["truth"]], scores) for scores in (score, test)]
    return ge.threshold(sets[0], rule, test=sets[1], resamples=50)


def at_thresholds() -> AtThresholds:
    """Counts and rates of one classifier."""
    decisions = classified("new-classifier-of-the-second-half")[0].decisions
    assert decisions is not None
    return AtThresholds(rates_at_thresholds(decisions), decisions)


def checked(*students: str) -> CheckedFiles:
    """Answers to two tasks: a right one, one that is not a number, a wrong one with its mistake, and none."""
    answers = [
        (1, "AP", "5/9", "right", "", ""),
        (2, "nDCG@5", "a lot", "not a number", "", "neither a number nor a fraction"),
        (1, "AP", "0.5", "wrong", "divided by the number of documents found", ""),
        (2, "nDCG@5", "", "no answer", "", ""),
    ]
    return CheckedFiles([Checked(student, *answers[i]) for i, student in enumerate(students)])  # type: ignore[arg-type]


SPECIMENS: dict[str, tuple[Callable[[], Result], dict[str, Any]]] = {
    "Scores": (scores, {}),
    "Scores by query": (scores, {"per_query": True, "aggregates": ("mean", "gm")}),
    "Scores with intervals and bounds": (lambda: scores(interval="t", bounds=True), {}),
    "Scores of slices": (lambda: ge.evaluate(QRELS, {"q1": {"d1": 1.0}}, "AP", slices={"q1": "x", "q2": "y"}), {}),
    "SystemComparison": (compared, {}),
    "SystemComparison of many": (many, {}),
    "SystemComparison of many with a baseline": (lambda: many(baseline="system 3", test="nemenyi"), {}),
    "SystemComparison of two": (lambda: compared(num=2, equivalence=0.1, margin=0.1, difference=0.1), {}),
    "SystemComparison by ranks": (lambda: compared(test="nemenyi"), {}),
    "SystemComparison one-sided": (lambda: compared(num=2, sides="greater"), {}),
    "SystemComparison of groups": (groups, {}),
    "CheckedFiles": (lambda: checked("", ""), {}),
    "CheckedFiles of a class": (lambda: checked("ann", "ann", "Ben Müller", "Ben Müller"), {}),
    "Approximation": (approximation, {}),
    "Approximation and its costs": (lambda: approximation(qrels={"0": {"1": 1}, "1": {"2": 1, "1": 1}}), {}),
    "Performances": (lambda: classified(*list(ITEMS)[1:]), {}),
    "Performances with shares": (lambda: classified(*list(ITEMS)[1:]), {"normalise": "truth", "rows": "prediction"}),
    "Performances of one": (lambda: classified("new-classifier-of-the-second-half"), {}),
    "Performances of classes": (classes, {"reorder": True}),
    "ClassifierComparison": (classifiers, {}),
    "AtThresholds": (at_thresholds, {}),
    "Threshold": (lambda: threshold("TPR where TNR>=.5"), {}),
    "Threshold of a pair": (lambda: threshold("rule-out TPR>=0.9, rule-in TNR>=0.9"), {}),
    **TRUTH,
    **RETRIEVAL,
}
"""By name, how to make a result, and the view of it that is looked at; the name begins with that of its type."""


@functools.cache
def specimen(name: str) -> Result:
    """The specimen of this name, made once."""
    return SPECIMENS[name][0]()
