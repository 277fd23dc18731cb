"""Errors of vectors, pools, indexes, learning and figures, each provoked."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

import germane as ge
from germane.demo.digits import read_digits
from germane.errors import MissingExtraError
from germane.formats.documents.reading import Document
from tests.errors.provoking import provoked

VECTORS = np.eye(3, dtype=np.float32)
LABELS = ["a", "a", "b"]
TRUTH = ge.measures.load_qrels({"q1": {"d1": 1}})
RUN = {"q1": {"d1": 1.0, "d2": 2.0}}
ROWS = ge.learning.RankingData.of([[1.0], [0.0], [0.9], [0.1]], ["q1", "q1", "q2", "q2"], grade=[2, 0, 1, 0])
TWO_CLASSIFIERS = {"truth": [0, 1, 1, 0], "a": [0, 1, 1, 0], "b": [0, 1, 0, 0]}


@pytest.fixture(autouse=True)
def _in_an_empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


test_vectors = provoked(
    [
        (
            "the name 'exact' is reserved for the exact top k",
            lambda: ge.vectors.approximation({"exact": np.array([[0], [1], [2]])}, VECTORS, VECTORS, k=1),
        ),
        ("expected one embedding, found 2", lambda: ge.vectors.nearest({"old": VECTORS, "new": VECTORS})),
        (
            "junk labels require documents, found only queries",
            lambda: ge.vectors.evaluate(None, VECTORS, query_labels=LABELS, junk_labels=["b"]),
        ),
        (
            "the queries are the documents\nHint: pass only query_labels, or pass the documents too",
            lambda: ge.vectors.evaluate(None, VECTORS, doc_labels=LABELS),
        ),
        (
            "`doc_ids=` requires documents, found only queries\nHint: use `query_ids=…`",
            lambda: ge.vectors.nearest(VECTORS, doc_ids=["d1", "d2", "d3"]),
        ),
        (
            "queries of new: expected 3 vectors, one per label, found 2",
            lambda: ge.vectors.evaluate(None, {"old": VECTORS, "new": VECTORS[:2]}, query_labels=LABELS),
        ),
    ]
)

test_pools_and_indexes = provoked(
    [
        ("expected 0 or more distractors, found -1", lambda: ge.pool({"a": RUN}, distractors=-1)),
        (
            "expected distractors from qrels or collection, found 'web'",
            lambda: ge.pool({"a": RUN}, distractors=1, distractors_from="web"),  # type: ignore[arg-type]
        ),
        (
            "expected paths, {id: text} or documents with id, title and text, found int",
            lambda: ge.index("library", iter([1])),  # type: ignore[arg-type]
        ),
        (
            "expected paths, {id: text} or documents with id, title and text, found document 'd1' with text = None",
            lambda: ge.index("library", iter([Document("d1", None)])),  # type: ignore[arg-type]
        ),
        (
            "document 'd2': expected a surrogate pair, found '\\ud800' alone",
            lambda: ge.index("library", {"d1": "wine", "d2": "\ud800"}),
        ),
    ]
)

test_learning = provoked(
    [
        ("expected depth above 0, found 0", lambda: ge.learn("library", {}, {}, depth=0)),
        (
            "ranking-svm learns from all grades and does not support `rel=`",
            lambda: ge.learn(ROWS, learner="ranking-svm", folds=2, rel=2),
        ),
        (
            "too few queries to choose among several values of C",
            lambda: ge.learn(ROWS, folds=2, C=[0.1, 1.0]),
        ),
    ]
)

test_reports_and_figures = provoked(
    [
        (
            "lm is a JudgedRun, which has no rankings",
            lambda: ge.report(TRUTH, {"lm": ge.measures.judge_run(TRUTH, RUN)}, output="report.html"),
        ),
        (
            "a figure of kind confusion requires one table of labelled items, found runs",
            lambda: ge.plot("confusion", TRUTH, RUN),
        ),
        (
            "a figure shows one confusion matrix, found 2 classifiers",
            lambda: ge.plot("confusion", TWO_CLASSIFIERS, predicted=["a", "b"]),
        ),
    ]
)


def test_topics_that_find_nothing() -> None:
    ge.index("library", {"d1": "red wine"})
    with pytest.raises(ge.GermaneError, match="no query retrieves any document, so no training data remain"):
        ge.learn("library", {"1": "zebra"}, {"1": {"d1": 1}})


def test_libraries_that_are_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sklearn.datasets", None)
    with pytest.raises(MissingExtraError, match="reading the digits of scikit-learn needs an optional library"):
        read_digits()
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(MissingExtraError, match="evaluating vectors on a GPU needs an optional library"):
        ge.vectors.evaluate({"0": {"1": 1}}, VECTORS, VECTORS, device="cuda")
