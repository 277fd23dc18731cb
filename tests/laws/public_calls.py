"""One call that works of every public function: what the laws of arguments change one argument of.

`doors` finds the functions from `germane.public`: functions, class methods, and the methods of estimators that take
tables. A function without a call here fails the law that reads it; one that takes several kinds of data has a call for
each of them.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from importlib import import_module
from inspect import signature
from pathlib import Path
from typing import Any

import pandas as pd

import germane as ge
from germane.catalogue import Catalogue
from germane.public import HOMES, home_of

Arguments = dict[str, Any]
Call = Callable[[Path], Arguments]

DOCUMENTS = {
    "d1": "red shoes for the beach",
    "d2": "blue shoes and red hats",
    "d3": "green hats in the rain",
    "d4": "rain on the beach all day",
    "d5": "a blue day at sea",
    "d6": "sea shells and red sand",
}
TOPICS = {"q1": "red shoes", "q2": "rain hats", "q3": "blue sea", "q4": "beach day"}
QRELS = {
    "q1": {"d1": 1, "d2": 1, "d3": 0, "d6": 0},
    "q2": {"d3": 1, "d4": 0, "d2": 0},
    "q3": {"d5": 1, "d6": 1, "d1": 0},
    "q4": {"d4": 1, "d1": 0, "d5": 0},
}
RUN = {query: {doc: 6.0 - i for i, doc in enumerate(docs)} for query, docs in QRELS.items()}
OTHER_RUN = {query: dict(zip(docs, reversed(docs.values()), strict=True)) for query, docs in RUN.items()}
TRUE, PREDICTED = [0, 1, 1, 0, 1, 0, 1, 0], [0, 1, 0, 0, 1, 1, 1, 0]
SCORED = [0.125, 0.75, 0.5, 0.25, 0.875, 0.625, 0.6875, 0.1875]
WEIGHTS = [1.0, 2.0, 1.0, 1.0, 2.0, 1.0, 1.0, 1.0]
NUMBERS, ESTIMATES = [1.0, 2.0, 3.0, 4.0, 2.5], [1.5, 2.0, 2.5, 4.0, 3.0]
SETS, CALLED_SETS = [{"a", "b"}, {"b"}, {"c"}, {"a"}], [{"a"}, {"b", "c"}, {"c"}, {"a"}]
ROWS = [[0.0, 1.0], [1.0, 0.0], [0.5, 2.0], [2.0, 0.5], [1.5, 1.5], [0.2, 0.1], [3.0, 1.0], [2.5, 0.3]]
CLASSES = ["n", "y", "n", "y", "y", "n", "y", "y"]
VECTORS = [[1.0, 0.0], [0.0, 1.0], [1.0, 1.0], [0.5, -0.5]]
VECTOR_QRELS = {"0": {"1": 1, "2": 0}, "1": {"2": 1, "3": 0}}
JUDGES = {"ann": {"q": {"d1": 1, "d2": 0, "d3": 0}}, "bob": {"q": {"d1": 1, "d2": 0, "d3": 1}}}
TABLE = {"truth": TRUE, "predicted": PREDICTED, "score": SCORED}


def written(folder: Path, name: str, write: Callable[[Path], Any]) -> Path:
    """A file of the folder, made by the first who asks for it."""
    path = folder / name
    if not path.exists():
        write(path)
    return path


@cache
def index() -> ge.retrieval.Index:
    return ge.retrieval.Index.of(DOCUMENTS)


@cache
def scores() -> ge.Scores:
    return ge.evaluate(QRELS, {"a": RUN, "b": OTHER_RUN}, ["AP", "nDCG@3"])


@cache
def performances() -> ge.Performances:
    table = {"truth": TRUE, "a": PREDICTED, "b": TRUE[::-1]}
    return ge.classify(table, truth="truth", predicted=["a", "b"], resamples=40)


SCORE_TABLES = {
    name: pd.DataFrame({"query": ["q1", "q2"], "AP": [0.5, value]}) for name, value in (("a", 0.25), ("b", 0.75))
}
"""Scores by query as another tool wrote them, a table for each system."""


@cache
def run() -> ge.Run:
    return ge.Run.from_dict(RUN)


@cache
def qrels() -> ge.Qrels:
    return ge.Qrels.from_dict(QRELS)


@cache
def ranking_data() -> ge.learning.RankingData:
    return ge.learning.RankingData.of(ROWS, list("aaaabbbb"), grade=[0, 1, 0, 1, 1, 0, 1, 0])


@cache
def split() -> ge.learning.Split:
    return ge.learning.k_folds([f"q{i}" for i in range(6)], 3)


def disk_index(folder: Path) -> Path:
    return written(folder, "index", lambda path: ge.index(path, DOCUMENTS))


def fresh_index(folder: Path) -> Path:
    path = folder / f"fresh-{len(list(folder.iterdir()))}"
    ge.index(path, DOCUMENTS)
    return path


def agent_file(folder: Path) -> Path:
    def write(path: Path) -> None:
        ge.learning.Agent.train(disk_index(folder), TOPICS, QRELS, space=["BM25"], folds=3, depth=6).save(path)

    return written(folder, "agent.json", write)


def model_file(folder: Path) -> Path:
    return written(folder, "model.json", lambda path: ge.learn(ranking_data(), C=1.0, folds=2, output=path))


def door_of(name: str) -> str:
    """The function of a call; what follows its name tells it from other calls of the same function."""
    return name.partition(" ")[0]


CALLS: dict[str, Call] = {
    "learning.Agent.open": lambda folder: {"path": agent_file(folder), "index": disk_index(folder)},
    "learning.Agent.train": lambda folder: {
        "index": disk_index(folder),
        "topics": TOPICS,
        "qrels": QRELS,
        "space": ["BM25"],
        "utility": "AP",
        "feedback": "rocchio",
        "folds": 3,
        "depth": 6,
        "judged": 2,
    },
    "retrieval.Analyser": lambda _: {"fold": True, "accents": False, "stop": None, "stem": "english"},
    "retrieval.Analyser.parse": lambda _: {"text": "english", "stop_lists": ()},
    "Confusion.of_matrix": lambda _: {"matrix": [[3, 1], [2, 4]], "labels": ["a", "b"], "rows": "truth"},
    "retrieval.Costs": lambda _: {"relevant": 0.0, "non_relevant": 1.0, "missed": 1.0},
    "Decisions.of": lambda _: {"is_positive": TRUE, "score": SCORED, "weight": WEIGHTS, "positive": 1},
    "retrieval.Index.of": lambda _: {"documents": DOCUMENTS, "analyser": "english", "positions": False},
    "retrieval.Index.open": lambda folder: {"path": disk_index(folder), "verify": False},
    "truth.Judgments.from_columns": lambda _: {
        "assessor": ["ann", "bob"],
        "topic": ["q", "q"],
        "doc": ["d", "d"],
        "grade": [1.0, 0.0],
        "kind": ["ordinary", "ordinary"],
        "listed": [("q", "d")],
        "left_behind": {},
        "name": "judgments",
        "seconds": [4.0, 2.5],
    },
    "learning.NaiveBayes": lambda _: {"categorical": None, "alpha": 1.0, "priors": None, "unseen": "error"},
    "learning.NaiveBayes.fit": lambda _: {"self": ge.learning.NaiveBayes(), "X": ROWS, "y": CLASSES},
    "learning.NaiveBayes.predict": lambda _: {"self": ge.learning.NaiveBayes().fit(ROWS, CLASSES), "X": ROWS},
    "learning.NaiveBayes.predict_proba": lambda _: {"self": ge.learning.NaiveBayes().fit(ROWS, CLASSES), "X": ROWS},
    "learning.NaiveBayes.score": lambda _: {
        "self": ge.learning.NaiveBayes().fit(ROWS, CLASSES),
        "X": ROWS,
        "y": CLASSES,
        "sample_weight": WEIGHTS,
    },
    "learning.PartitioningTransduction": lambda _: {"missing": -1, "without_labels": "leave"},
    "learning.PartitioningTransduction.fit": lambda _: {
        "self": ge.learning.PartitioningTransduction(),
        "X": [[0, 1], [0, 1], [1, 0], [1, 0]],
        "y": [1, -1, 0, -1],
    },
    "learning.PartitioningTransduction.fit_predict": lambda _: {
        "self": ge.learning.PartitioningTransduction(),
        "X": [[0, 1], [0, 1], [1, 0], [1, 0]],
        "y": [1, -1, 0, -1],
    },
    "Qrels.from_columns": lambda _: {
        "query": ["q1", "q1", "q2"],
        "doc": ["d1", "d2", "d1"],
        "grade": [1.0, 0.0, 2.0],
        "scale": 2.0,
        "collection_size": 10,
        "name": "qrels",
    },
    "Qrels.from_dict": lambda _: {"judgments": QRELS, "scale": 1.0, "name": "qrels"},
    "retrieval.Query.of": lambda _: {"terms": ["red", "shoes", "red"]},
    "learning.RankingData.of": lambda _: {
        "features": ROWS,
        "query": list("aaaabbbb"),
        "grade": [0, 1, 0, 1, 1, 0, 1, 0],
        "docs": list("abcdefgh"),
        "names": ["one", "two"],
        "name": "rows",
    },
    "learning.RankingSVM": lambda _: {"C": 1.0, "pair_weight": "pair", "tol": 1e-6, "max_iter": 50, "solver": "auto"},
    "learning.RankingSVM.fit": lambda _: {
        "self": ge.learning.RankingSVM(),
        "X": ROWS,
        "y": [0, 1, 0, 1, 1, 0, 1, 0],
        "query": list("aaaabbbb"),
    },
    "learning.RankingSVM.decision_function": lambda _: {
        "self": ge.learning.RankingSVM().fit(ROWS, [0, 1, 0, 1, 1, 0, 1, 0], list("aaaabbbb")),
        "X": ROWS,
    },
    "learning.RankingSVM.predict": lambda _: {
        "self": ge.learning.RankingSVM().fit(ROWS, [0, 1, 0, 1, 1, 0, 1, 0], list("aaaabbbb")),
        "X": ROWS,
    },
    "Run.from_columns": lambda _: {
        "query": ["q1", "q1", "q2"],
        "doc": ["d1", "d2", "d1"],
        "score": [2.0, 1.0, 3.0],
        "rank": [1.0, 2.0, 1.0],
        "tag": "bm25",
        "name": "run",
    },
    "Run.from_dict": lambda _: {"scores": RUN, "name": "run"},
    "agree": lambda _: {"judgments": JUDGES, "grades": [0.0, 1.0], "rel": 1.0, "resamples": 100, "level": 0.9},
    "learning.bias_variance": lambda _: {
        "learner": ge.learning.NaiveBayes(),
        "X": ROWS,
        "y": TRUE,
        "X_test": ROWS,
        "y_test": TRUE,
        "loss": "zero_one",
        "resamples": 3,
        "resampling": "bootstrap",
        "seed": 0,
    },
    "index": lambda folder: {
        "path": folder / f"built-{len(list(folder.iterdir()))}",
        "documents": DOCUMENTS,
        "analyser": "english",
        "texts": True,
    },
    "retrieval.calibrate": lambda _: {
        "run": run(),
        "qrels": qrels(),
        "method": "isotonic",
        "normalise": "none",
        "rel": 1.0,
    },
    "threshold": lambda _: {"dev": TABLE, "rule": "youden", "truth": "truth", "score": "score", "resamples": 40},
    "classify": lambda _: {
        "y_true": TRUE,
        "y_pred": PREDICTED,
        "y_score": SCORED,
        "sample_weight": WEIGHTS,
        "labels": [0, 1],
        "positive": 1,
        "resamples": 40,
        "name": "classifier",
    },
    "classify slices": lambda _: {
        "y_true": TRUE,
        "y_pred": PREDICTED,
        "positive": 1,
        "cluster": list("aabbccdd"),
        "slices": list("xxxxyyyy"),
        "measures": ["ACC", "F1"],
        "resamples": 40,
    },
    "classify a table": lambda _: {"y_true": TABLE, "truth": "truth", "predicted": ["predicted"], "resamples": 40},
    "classify a matrix": lambda _: {
        "y_true": ge.Confusion.of_matrix([[3, 1], [2, 4]]),
        "positive": 1,
        "name": "matrix",
        "resamples": 40,
    },
    "classify a square": lambda _: {"y_true": [[3, 1], [2, 4]], "matrix": True, "resamples": 40},
    "classify clusters": lambda _: {"y_true": CLASSES, "y_pred": TRUE, "task": "clusters", "name": "k-means"},
    "classify densities": lambda _: {"y_true": [-0.5, -1.0, -0.75], "task": "densities", "level": 0.9},
    "classify label sets": lambda _: {
        "y_true": SETS,
        "y_pred": CALLED_SETS,
        "task": "label-sets",
        "labels": list("abc"),
        "resamples": 40,
    },
    "classify label text": lambda _: {
        "y_true": ["a|b", "b", "-"],
        "y_pred": ["a", "b|c", "-"],
        "task": "label-sets",
        "separator": "|",
        "resamples": 40,
    },
    "classify numbers": lambda _: {
        "y_true": NUMBERS,
        "y_pred": ESTIMATES,
        "task": "regression",
        "sample_weight": [1.0, 2.0, 1.0, 1.0, 2.0],
        "resamples": 40,
    },
    "compare": lambda _: {"data": scores(), "baseline": "a", "level": 0.95, "alpha": 0.05},
    "compare runs": lambda _: {"data": QRELS, "runs": {"a": RUN, "b": OTHER_RUN}, "measures": ["AP"], "ties": "docno"},
    "compare tables": lambda _: {"data": SCORE_TABLES, "measures": ["AP"], "topics": "qrels"},
    "compare classifiers": lambda _: {
        "data": TRUE,
        "y_pred": {"a": PREDICTED, "b": TRUE[::-1]},
        "measures": ["ACC"],
        "resamples": 40,
    },
    "compare clusters": lambda _: {
        "data": TRUE,
        "y_score": {"a": SCORED, "b": SCORED[::-1]},
        "positive": 1,
        "cluster": list("aabbccdd"),
        "measures": ["AUC"],
        "resamples": 40,
    },
    "compare label sets": lambda _: {
        "data": SETS,
        "y_pred": {"a": CALLED_SETS, "b": SETS},
        "task": "label-sets",
        "measures": ["hamming_loss"],
        "resamples": 40,
    },
    "compare performances": lambda _: {"data": performances(), "baseline": "a", "resamples": 40},
    "compare groups": lambda _: {
        "data": scores(),
        "groups": {"q1": "control", "q2": "control", "q3": "treatment", "q4": "treatment"},
        "resamples": 1000,
    },
    "correlate": lambda _: {"a": RUN, "b": OTHER_RUN, "coefficients": ["tau-b"], "p": 0.9, "depth": 3},
    "read_scores": lambda _: {"tables": SCORE_TABLES, "measures": ["AP"], "topics": "qrels"},
    "Confusion.of": lambda _: {
        "y_true": TRUE,
        "y_pred": PREDICTED,
        "labels": [0, 1],
        "sample_weight": WEIGHTS,
        "source": "labels",
    },
    "retrieval.decide": lambda _: {"probabilities": [0.125, 0.75, 0.5], "costs": ge.retrieval.Costs(0, 1, 1)},
    "retrieval.Index.delete": lambda folder: {"self": ge.retrieval.Index.open(fresh_index(folder)), "ids": ["d6"]},
    "evaluate": lambda _: {"qrels": QRELS, "runs": RUN, "measures": ["AP", "nDCG@3"], "level": 0.9, "seed": 1},
    "vectors.approximation": lambda _: {
        "approximate": ge.vectors.nearest(VECTORS[:2], VECTORS, k=2),
        "queries": VECTORS[:2],
        "docs": VECTORS,
        "k": 2,
    },
    "retrieval.evaluate_feedback": lambda _: {
        "index": index(),
        "topics": TOPICS,
        "qrels": QRELS,
        "feedback": "rocchio",
        "judged": 1,
        "k": 6,
    },
    "vectors.evaluate": lambda _: {
        "qrels": VECTOR_QRELS,
        "queries": VECTORS[:2],
        "docs": VECTORS,
        "measures": "AP",
        "query_ids": ["0", "1"],
        "doc_ids": ["0", "1", "2", "3"],
    },
    "explain": lambda _: {"what": "AP", "data": QRELS, "run": RUN, "query": "q1"},
    "explain scores": lambda _: {"what": scores(), "data": "AP", "run": "a", "query": "q1"},
    "explain a table": lambda _: {"what": "TPR", "data": TABLE, "truth": "truth", "predicted": "predicted"},
    "explain arrays": lambda _: {"what": "AUC", "data": TRUE, "y_score": SCORED, "sample_weight": WEIGHTS},
    "explain performances": lambda _: {"what": performances().classifier("a"), "data": "TPR"},
    "explain a document": lambda _: {"what": index(), "data": "red shoes", "run": "d2", "model": "BM25"},
    "retrieval.FEEDBACK.parse": lambda _: {"text": "rocchio"},
    "learning.find_leaks": lambda _: {
        "sides": {"train": ["q1", "q2"], "test": ["q3"]},
        "texts": {"q1": "red", "q2": "blue", "q3": "green"},
        "groups": {"q1": "a", "q2": "a", "q3": "b"},
    },
    "vectors.nearest": lambda _: {
        "queries": VECTORS[:2],
        "docs": VECTORS,
        "k": 2,
        "query_ids": ["0", "1"],
        "doc_ids": ["0", "1", "2", "3"],
    },
    "fuse": lambda _: {"runs": {"a": RUN, "b": OTHER_RUN}, "method": "rrf", "weights": None, "depth": 10},
    "measures.judge_run": lambda _: {"qrels": QRELS, "run": RUN, "name": "run", "ties": "docno"},
    "measures.judged": lambda _: {"ranking": "1 0 1", "unretrieved": "1", "scale": 1.0, "collection_size": 10},
    "learning.k_folds": lambda _: {
        "ids": [f"q{i}" for i in range(8)],
        "k": 2,
        "labels": TRUE,
        "seed": 0,
    },
    "learn": lambda _: {
        "source": index(),
        "topics": TOPICS,
        "qrels": QRELS,
        "features": ["BM25"],
        "C": 1.0,
        "depth": 6,
        "folds": 2,
        "measures": ["AP"],
    },
    "measures.load_qrels": lambda _: {"qrels": QRELS, "scale": 1.0, "collection_size": 10},
    "pool": lambda _: {"runs": {"a": RUN, "b": OTHER_RUN}, "method": "depth", "depth": 2},
    "measures.match": lambda _: {"qrels": qrels(), "run": run(), "ties": "docno", "score_type": "float64"},
    "measures.MEASURES.parse": lambda _: {"text": "nDCG@10"},
    "measures.RATES.parse": lambda _: {"text": "F2"},
    "measures.DECISION_MEASURES.parse": lambda _: {"text": "AUC"},
    "retrieval.MODELS.parse": lambda _: {"text": "BM25"},
    "retrieval.FUSION.parse": lambda _: {"text": "rrf"},
    "retrieval.NORMALISATIONS.parse": lambda _: {"text": "minmax"},
    "truth.POOLING.parse": lambda _: {"text": "depth"},
    "learning.parse_strategy": lambda _: {"text": "BM25"},
    "sklearn.Display.from_estimator": lambda _: {
        "estimator": ge.learning.NaiveBayes().fit(ROWS, CLASSES),
        "X": ROWS,
        "y": CLASSES,
        "kind": "roc",
        "sample_weight": WEIGHTS,
        "positive": "y",
        "name": "bayes",
    },
    "sklearn.Display.from_predictions": lambda _: {
        "y_true": TRUE,
        "y_pred": SCORED,
        "kind": "roc",
        "sample_weight": WEIGHTS,
        "positive": 1,
        "name": "scores",
    },
    "sklearn.compare_cross_validated": lambda _: {
        "estimators": {"a": ge.learning.NaiveBayes(), "b": ge.learning.NaiveBayes(alpha=2.0, var_smoothing=1.0)},
        "X": ROWS * 2,
        "y": CLASSES * 2,
        "measures": ["ACC"],
        "cv": 2,
        "groups": list("abcdefgh") * 2,
        "runs": "pooled",
        "baseline": "a",
        "alpha": 0.1,
    },
    "sklearn.compare_folds": lambda _: {
        "results": {"a": {"ACC": [0.5, 0.75, 0.5]}, "b": {"ACC": [0.75, 0.5, 1.0]}},
        "folds": (90, 10),
        "runs": "pooled",
        "baseline": "a",
        "correction": "holm",
    },
    "sklearn.scorer": lambda _: {
        "measure": "F1",
        "average": "macro",
        "positive": 1,
        "greater_is_better": True,
        "zero_division": 0.0,
    },
    "plot": lambda _: {"kind": "distribution", "data": QRELS, "runs": RUN, "measures": "AP"},
    "plot scores": lambda _: {"kind": "distribution", "data": scores()},
    "plot a table": lambda _: {"kind": "roc", "data": {"truth": TRUE, "score": SCORED}},
    "plot arrays": lambda _: {"kind": "roc", "data": TRUE, "y_score": SCORED, "sample_weight": WEIGHTS},
    "plot performances": lambda _: {"kind": "confusion", "data": performances().classifier("a")},
    "measures.precision_recall_points": lambda _: {"run": ge.measures.judged("1 0 1"), "rel": 1.0},
    "learning.read_letor": lambda folder: {
        "path": written(folder, "rows.letor", lambda path: ge.learning.write_letor(ranking_data(), path))
    },
    "learning.read_model": lambda folder: {"path": model_file(folder)},
    "read_qrels": lambda folder: {
        "path": written(folder, "a.qrels", lambda path: ge.write_qrels(qrels(), path, "trec")),
        "scale": 1.0,
    },
    "retrieval.read_record": lambda folder: {
        "run_path": written(folder, "a.run", lambda path: ge.write_run(run(), path, "trec")),
    },
    "read_run": lambda folder: {"path": written(folder, "a.run", lambda path: ge.write_run(run(), path, "trec"))},
    "learning.read_split": lambda folder: {
        "path": written(folder, "split.json", lambda path: ge.learning.write_split(split(), path)),
    },
    "release": lambda folder: {
        "judgments": JUDGES,
        "output": folder / f"release-{len(list(folder.iterdir()))}",
        "policy": "majority",
        "grades": [0.0, 1.0],
        "rel": 1.0,
    },
    "report": lambda folder: {"data": QRELS, "runs": RUN, "measures": "AP", "output": folder / "report.html"},
    "report scores": lambda folder: {"data": scores(), "output": folder / "report.html"},
    "report a table": lambda folder: {"data": TABLE, "output": folder / "decisions.html", "truth": "truth"},
    "report performances": lambda folder: {"data": performances(), "output": folder / "decisions.html"},
    "retrieve": lambda _: {"source": index(), "topics": TOPICS, "model": "BM25", "k": 3},
    "measures.roc_points": lambda _: {"run": ge.measures.judged("1 0 1"), "rel": 1.0},
    "retrieval.score_feedback": lambda _: {
        "qrels": QRELS,
        "before": RUN,
        "after": OTHER_RUN,
        "seen": {"q1": ["d1"], "q2": ["d3"], "q3": ["d5"], "q4": ["d4"]},
        "measures": ["AP"],
    },
    "Scores.of": lambda _: {"values": {"a": {"q1": 0.5, "q2": 0.25}, "b": {"q1": 0.5, "q2": 1.0}}, "measure": "AP"},
    "search": lambda _: {"index": index(), "queries": "red shoes", "model": "BM25", "k": 3},
    "truth.simulate_pools": lambda _: {
        "qrels": QRELS,
        "runs": {"a": RUN, "b": OTHER_RUN},
        "methods": ["depth"],
        "budgets": [1, 2],
        "measure": "AP",
        "depth": 3,
    },
    "learning.split_by_share": lambda _: {
        "ids": [f"q{i}" for i in range(8)],
        "shares": {"train": 0.5, "test": 0.5},
        "labels": TRUE,
    },
    "tune": lambda _: {
        "index": index(),
        "topics": TOPICS,
        "qrels": QRELS,
        "space": ["BM25", "TFIDF"],
        "measure": "AP",
        "folds": 2,
        "k": 6,
    },
    "learning.write_letor": lambda folder: {"data": ranking_data(), "path": folder / "written.letor", "sparse": False},
    "write_qrels": lambda folder: {"qrels": qrels(), "path": folder / "written.qrels", "format": "trec"},
    "write_run": lambda folder: {"run": run(), "path": folder / "written.run", "format": "trec"},
    "learning.write_split": lambda folder: {"split": split(), "path": folder / "written.json"},
}

MADE_BY_GERMANE = "its values are made by germane; people read it"
EXCUSED: Mapping[str, str] = {
    "learning.Agent": "opened or trained: Agent.open, Agent.train",
    "measures.Cells": "four numbers; a named tuple takes anything",
    "retrieval.Model": "the base of models, which people extend",
    "retrieval.Feedback": "the base of feedback methods, which people extend",
    "learning.NaiveBayes.from_json": "what to_json wrote; no file holds one",
    "learning.RankingSVM.from_json": "in tests/fuzz, with the other files of models",
    "learning.Split.from_json": "in tests/fuzz, as read_split",
    "retrieval.Rankings.from_columns": "as Run.from_columns",
    "retrieval.Rankings.from_dict": "as Run.from_dict",
    "truth.Pool.of": "items that germane made",
    "measures.MeasureList.of": "entries of the catalogues",
    "learning.NaiveBayes.predict_joint_log_proba": "as predict_proba",
    "learning.NaiveBayes.predict_log_proba": "as predict_proba",
    "measure": "a decorator for people who write measures",
    "retrieval.model": "a decorator for people who write models",
}


def doors() -> Iterator[tuple[str, Callable[..., Any]]]:
    """Every public function by name: those of the module, class methods, constructors that are not of results, and
    the methods of estimators and of whatever else has a call."""
    for module in HOMES:
        for name, home in home_of(module).items():
            value = getattr(import_module(home), name)
            called = f"{module}.{name}".removeprefix("germane.")
            if inspect.isfunction(value):
                yield called, value
            elif isinstance(value, Catalogue):
                yield f"{called}.parse", value.parse
            elif isinstance(value, type) and not issubclass(value, Exception):
                yield from _of_class(called, value)


def _of_class(name: str, value: type) -> Iterator[tuple[str, Callable[..., Any]]]:
    if name in CALLS or name in EXCUSED:
        yield name, value
    for method, function in sorted({**_inherited(value), **vars(value)}.items()):
        if method.startswith("_"):
            continue
        if isinstance(function, classmethod | staticmethod):
            yield f"{name}.{method}", getattr(value, method)
        elif inspect.isfunction(function) and ("X" in signature(function).parameters or f"{name}.{method}" in CALLS):
            yield f"{name}.{method}", function


def _inherited(value: type) -> dict[str, Any]:
    return {name: own for base in reversed(value.__mro__[1:-1]) if _is_ours(base) for name, own in vars(base).items()}


def _is_ours(base: type) -> bool:
    return base.__module__.startswith("germane.")
