"""Specimens of results of retrieval and learning, for the laws over results."""

from __future__ import annotations

import functools
from collections.abc import Callable
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

import germane as ge
from germane.retrieval.indexes.index import Index
from germane.retrieval.rounds import asked_model
from germane.retrieval.session import Session
from germane.tables.results.result import Result

TEXTS = {
    "d1": "bank loans",
    "d2": "a bank with willows, by the river",
    "d3": "the bank where otters dig",
    "d4": "the bank at Willow Street, open on Mondays",
    "d5": "java lessons",
    "d6": "the island of Java, a volcano",
    "d7": "java coffee, of that island",
}
TOPICS = {"1": "river bank", "2": "java island", "3": "willows", "4": "volcano"}
JUDGED = {
    "1": {"d1": 0, "d2": 1, "d3": 1, "d4": 0},
    "2": {"d5": 0, "d6": 1, "d7": 1},
    "3": {"d2": 1, "d4": 1},
    "4": {"d6": 1, "d7": 0},
}
INDEX = Index.of(TEXTS, "english")


def feedback(*methods: str, **how: Any) -> ge.retrieval.FeedbackEvaluation:
    """Methods with long names, on a small index."""
    return ge.retrieval.evaluate_feedback(INDEX, TOPICS, JUDGED, feedback=methods, **{"judged": 1, **how})


def one_query() -> ge.retrieval.FeedbackEvaluation:
    """Rankings from elsewhere for a single query, so that nothing is tested."""
    before, after = {"q": {"d1": 3.0, "d2": 2.0, "d3": 1.0}}, {"q": {"d3": 2.0, "d1": 1.0}}
    return ge.retrieval.score_feedback({"q": {"d3": 1}}, before, after, {"q": ["d1"]}, measures="AP")


def tuned(**how: Any) -> Result:
    """Two parameters and one fusion."""
    space = ["BM25(k1={0.9,1.2},b={0.4,0.75})", "fuse(rrf,BM25,QL(mu=100))"]
    return ge.tune(INDEX, TOPICS, JUDGED, space=space, folds=2, **how)


def learned(learner: str, **how: Any) -> Result:
    """A linear model, or one without weights, of two features or of rows."""
    if "features" in how:
        return ge.learn(INDEX, TOPICS, JUDGED, learner=learner, folds=2, **how)
    rows = [[1.0, 5], [0.0, 4], [0.5, 3], [0.9, 7], [0.1, 9], [0.5, 1]]
    data = ge.learning.RankingData.of(rows, list("aaabbb"), grade=[1, 0, 0, 1, 0, 0])
    return ge.learn(data, learner=learner, folds=2, **how)


def indexed() -> Result:
    """An index in a folder, with a document that holds no word."""
    with TemporaryDirectory() as folder:
        return ge.index(f"{folder}/library", {**TEXTS, "d8": "the"}, positions=True)


def searched(text: str, *marked: int, model: str = "BM25") -> Result:
    """A round of a search; with marks, the round after."""
    session = Session(INDEX, asked_model(model), size=3)
    found = session.ask(text)
    session.mark(marked, relevant=True)
    return session.again() if marked else found


def nothing(_: str) -> list[str]:
    """An engine that finds nothing."""
    return []


def fused() -> Result:
    """Two runs of two queries."""
    runs = {"bm25": {"q1": {"d1": 9.0, "d2": 7.0}}, "dense": {"q1": {"d2": 0.8}, "q2": {"d3": 0.5}}}
    return ge.fuse(runs, "rrf(k=0)")


@functools.cache
def agent(*, judged: bool = False) -> ge.learning.Agent:
    """An agent of a small index; with `judged` it was told something since."""
    how: dict[str, Any] = {"space": ["BM25", "QL(mu=100)"], "folds": 3, "judged": 1, "feedback": "rocchio"}
    made = ge.learning.Agent.train(INDEX, TOPICS, JUDGED, **how)
    if judged:
        made.learn("river bank", {"d2": True, "d1": False})
    return made


class Mean:
    """A learner that always says the mean, or the commonest label."""

    def fit(self, _: Any, y: Any) -> Mean:
        labels = np.asarray(y)
        self.says = labels.mean() if labels.dtype.kind == "f" else sorted(labels)[len(labels) // 2]
        return self

    def predict(self, X: Any) -> Any:
        return np.full(len(X), self.says)


def errors(*labels: Any) -> ge.learning.BiasVariance:
    """What that learner gets wrong on two items."""
    loss = "squared" if isinstance(labels[0], float) else "zero_one"
    return ge.learning.bias_variance(Mean, [[0], [1], [2], [3]], labels, [[9], [10]], labels[:2], loss=loss)


RETRIEVAL: dict[str, tuple[Callable[[], Result], dict[str, Any]]] = {
    "FeedbackEvaluation": (lambda: feedback("rocchio", "rocchio(beta=0,gamma=2)", rounds=2), {}),
    "FeedbackEvaluation with the worst query": (lambda: feedback("rocchio(beta=0,gamma=2)", judged=2), {"hurt": 1}),
    "FeedbackEvaluation of one query": (one_query, {}),
    "Tuning": (tuned, {}),
    "Tuning with curves": (lambda: tuned(measure="RR"), {"curves": True, "top": 2}),
    "Rankings of a fusion": (fused, {}),
    "AgentDescription": (lambda: agent().describe(), {}),
    "AgentDescription after feedback": (lambda: agent(judged=True).describe(), {}),
    "Answer": (lambda: agent().search("river zebra"), {}),
    "Answer after feedback": (lambda: agent(judged=True).search("river bank", k=2), {}),
    "Answer to nothing": (lambda: agent().search("zebra"), {}),
    "Simulation": (lambda: agent().simulate(TOPICS, JUDGED, rounds=1, judged=1), {}),
    "BiasVariance": (lambda: errors(0.0, 2.0, 4.0, 6.0), {}),
    "BiasVariance of labels": (lambda: errors("a", "b", "b", "c"), {}),
    "Rankings": (lambda: ge.search(INDEX, {"q1": "bank", "q2": "java"}), {}),
    "Retrieval": (
        lambda: ge.retrieve(
            INDEX, TOPICS, past_topics={"p": "bank"}, past_qrels={"p": {"d2": 1, "d1": 0}}, costs="-3,1", threads=1
        ),
        {},
    ),
    "Retrieval by a function": (lambda: ge.retrieve(nothing, {"1": "bank", "2": ""}), {}),
    "Round": (lambda: searched("bank zebra"), {}),
    "Round after feedback": (lambda: searched("java", 2), {}),
    "Round of a Boolean query": (lambda: searched("bank AND NOT loans", model="boolean"), {}),
    "ScoreExplanation": (lambda: ge.explain(INDEX, "bank zebra river", "d2"), {}),
    "ScoreExplanation of few terms": (
        lambda: ge.explain(INDEX, "java coffee island bank", "d7", model="QL"),
        {"most": 2},
    ),
    "ScoreExplanation of a document that is not ranked": (
        lambda: ge.explain(INDEX, "java", "d1", model="VSM"),
        {},
    ),
    "IndexSummary": (indexed, {}),
    "IndexSummary of an index in memory": (INDEX.describe, {}),
    "LearnedRanking": (lambda: learned("ordinal", features="cosine,length", C=1, measures="AP"), {}),
    "LearnedRanking from rows": (lambda: learned("linear"), {}),
    "Tuning by halving": (lambda: tuned(search="halving", candidates=4), {"top": 0}),
}
"""By name, how to make a result, and the view of it that is looked at."""
