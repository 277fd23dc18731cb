"""Specimens of results on ground truth, rankings and explanations, for the laws over results."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import germane as ge
from germane.formats.rows.validation import FileCheck, check
from germane.judging.release import Release
from germane.measures.definition import MEASURES
from germane.output.texts.measure_list import MeasureList
from germane.stats.rankings.correlations import Correlations
from germane.tables.results.result import Result
from germane.tables.truth.judgments import Judgments

RUNS = {
    name: {f"q{q}": {f"d{(i + j + q) % 9}": float(-j) for j in range(6)} for q in range(6)}
    for i, name in enumerate(("bm25-tuned-on-the-training-topics", "bm25-tuned-on-the-testing-topics", "dense"))
}
ITEMS = {"truth": list("ppnpnn"), "score": [0.9, 0.8, 0.7, 0.7, 0.3, 0.2]}
QRELS = {f"q{i}": {f"d{j}": (i * j) % 3 for j in range(1, 9)} for i in range(6)}


def agreement(*grades: str, **how: Any) -> ge.Agreement:
    """Assessors of documents of eight topics: a grade a character, a dot is no judgment."""
    named = {
        f"assessor-{who}": {
            f"q{i % 8}": {f"d{j}": int(grade) for j, grade in enumerate(given) if grade != "." and j % 8 == i % 8}
            for i in range(8)
        }
        for who, given in enumerate(grades)
    }
    return ge.agree(named, resamples=100, **how)


def with_controls() -> ge.Agreement:
    """Two assessors with a distractor that one of them failed, and an item that both saw twice."""
    rows = [(who, "q1", f"d{i}", i % 2, "ordinary") for who in ("ann", "bob") for i in range(4)]
    rows += [("ann", "q1", "x", 1, "distractor"), ("ann", "q1", "d1", 0, "repeat"), ("bob", "q1", "d1", 1, "repeat")]
    return ge.agree(Judgments.from_columns(*zip(*rows, strict=True)), resamples=100)


def correlations(a: str, b: str) -> Correlations:
    """Two runs on six queries; the second has nothing but ties for one of them."""
    return ge.correlate(RUNS[a], {**RUNS[b], "q1": {"d1": 1.0, "d2": 1.0}}, kind="run")


def simulated(**how: Any) -> ge.truth.PoolSimulation:
    """Pooling methods replayed on three runs."""
    return ge.truth.simulate_pools(QRELS, RUNS, **how)


def released() -> Release:
    """What two assessors said of four documents, one of which nobody could judge."""
    judges = {"ann": {"q1": {"d1": 2, "d2": 0, "d3": None}}, "bob": {"q1": {"d1": 1, "d2": 0, "d4": 1}}}
    with TemporaryDirectory() as folder, contextlib.chdir(folder):
        return ge.release(judges, "release")


def checked(*contents: str) -> FileCheck:
    """Files with such lines."""
    with TemporaryDirectory() as folder, contextlib.chdir(folder):
        for number, content in enumerate(contents):
            Path(f"file{number}").write_text(content, encoding="utf-8")
        return FileCheck(tuple(check(f"file{number}") for number in range(len(contents))))


TRUTH: dict[str, tuple[Callable[[], Result], dict[str, Any]]] = {
    "Correlations": (lambda: correlations(*list(RUNS)[:2]), {}),
    "Correlations by query": (lambda: correlations(*list(RUNS)[1:]), {"per_query": True}),
    "Correlations of leaderboards": (
        lambda: ge.correlate({"AP": {"a": 0.1, "b": 0.2}}, {"AP": {"a": 1.0, "b": 3.0}}),
        {},
    ),
    "Correlations of measures": (lambda: ge.correlate(ge.evaluate(QRELS, RUNS, "AP RR P@1 nDCG@5")), {}),
    "Pool": (lambda: ge.pool(RUNS, depth=2, qrels=QRELS, distractors=1), {}),
    "Pool of a sample": (lambda: ge.pool(RUNS, "stratified(strata=1:1/3:0.5)", depth=3), {}),
    "Pool of nothing": (lambda: ge.truth.Pool.of([], "depth"), {}),
    "PoolSimulation": (lambda: simulated(budgets=[1, 2]), {}),
    "PoolSimulation with repeats": (lambda: simulated(methods=["sample", "mtf"], budgets=[1, 3], repeats=3), {}),
    "PoolSimulation without each run": (lambda: simulated(methods=["rrf"], budgets=[2], leave_one_out=True), {}),
    "Release": (released, {}),
    "FileCheck": (lambda: checked("q1 Q0 d1 1 2.5 t\nq1 Q0 d1 2 nan t\n" + "q1 Q0 d2 3\n" * 9), {}),
    "FileCheck of good files": (lambda: checked("q1 0 d1 1\n", "q1 Q0 d1 1 1 a\nq1 Q0 d2 2 2 b\n"), {}),
    "Explanation": (lambda: ge.explain("AP", QRELS, RUNS["dense"], "q1"), {}),
    "Explanation of a gain": (lambda: ge.explain("nDCG@5", QRELS, RUNS["dense"], "q2"), {}),
    "Explanation of ties": (lambda: ge.explain("AP", QRELS, {"q1": {"d1": 1.0, "d2": 1.0}}, "q1", ties="expected"), {}),
    "Explanation of nothing": (lambda: ge.explain("RR", QRELS, {"q2": {"d1": 1.0}}, "q1"), {}),
    "DecisionExplanation": (lambda: ge.explain("AUC", ITEMS, truth="truth", score="score"), {}),
    "DecisionExplanation of a few": (
        lambda: ge.explain("F1", ITEMS, truth="truth", score="score"),
        {"most": 2},
    ),
    "DecisionExplanation at a threshold": (
        lambda: ge.explain("LR+", ITEMS, truth="truth", score="score", threshold=0.85),
        {},
    ),
    "MeasureList": (MeasureList.of, {}),
    "MeasureList of one": (
        lambda: MeasureList.of([MEASURES["AP"]]),
        {},
    ),
    "Agreement": (lambda: agreement("0121" * 10, "0120" * 10, "021." * 10), {}),
    "Agreement of many": (lambda: agreement(*(f"{i % 2}1" * 4 for i in range(9))), {"per_query": True}),
    "Agreement on systems": (lambda: agreement("0120" * 8, "0121" * 8, runs=RUNS), {}),
    "Agreement with controls": (with_controls, {}),
    "Agreement on nothing": (lambda: agreement("1.", ".1"), {}),
}
"""By name, how to make a result, and the view of it that is looked at."""
