"""Errors of features, learners, strategies, tuning and agents, each provoked."""

from __future__ import annotations

import json
import sys
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import germane as ge
from germane.errors import MissingExtraError
from germane.formats.files.json_text import checksum_of
from germane.learning.features.feature import FEATURES
from germane.learning.features.feature_set import parse_feature
from germane.learning.learners.lambdamart import LambdaMART
from tests.errors.provoking import provoked
from tests.learning.agent import small_world

INDEX, TOPICS, QRELS = small_world.index(), small_world.topics(), small_world.judgments()
ONE_WITHOUT_RELEVANT = QRELS | {"sea-0": dict.fromkeys(QRELS["sea-0"], 0)}


@pytest.fixture(autouse=True)
def _in_an_empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def rows(*grades: float) -> ge.learning.RankingData:
    return ge.learning.RankingData.of([[1.0], [0.0], [0.9], [0.1]], ["q1", "q1", "q2", "q2"], grade=grades)


def learn(features: str) -> Any:
    return ge.learn(INDEX, TOPICS, QRELS, features=features, folds=2)


def learn_with_one_value_per_query() -> None:
    FEATURES.add("own")(lambda pair: np.zeros(1))
    try:
        learn("own")
    finally:
        FEATURES.unregister("own")


def model_with_weights(*weights: float) -> None:
    ge.learn(INDEX, TOPICS, QRELS, features="BM25,QL", folds=2, output="model.json")
    told = json.loads(Path("model.json").read_text())
    told["model"]["coef"] = weights
    told["checksum"] = checksum_of(told)
    Path("model.json").write_text(json.dumps(told))
    ge.learning.read_model("model.json")


test_features_and_learners = provoked(
    [
        ("expected a function, found float math:pi", lambda: parse_feature("own=math:pi")),
        (
            "feature 'length' is already registered",
            lambda: FEATURES.add("length")(lambda pair: np.zeros(len(pair.docs))),
        ),
        ("own: expected 198 values, one per candidate, found (15,)", learn_with_one_value_per_query),
        (
            "expected relevant (grade 7 or more) and non-relevant rows, found only non-relevant ones",
            lambda: ge.learn(rows(2, 0, 1, 0), learner="linear", folds=2, rel=7),
        ),
        (
            "LambdaMART: expected integer grades from 0 to 30, found 2.5",
            lambda: ge.learn(rows(2.5, 0, 1, 0), learner="lambdamart", folds=2),
        ),
        (
            "expected rows with different grades, found only grade 1",
            lambda: LambdaMART().fit([[0.1], [0.2]], [1, 1], ["q1", "q1"]),
        ),
        (
            "expected a query, found nan in row 2",
            lambda: ge.learning.RankingSVM().fit([[1.0], [2.0]], [1, 0], [1.0, float("nan")]),
        ),
        (  # of 2**80 + 1, which the curvature is in each direction, 2**80 is left, as between the two
            "the Hessian is not positive definite after rounding",
            lambda: ge.learning.RankingSVM(C=0.5).fit([[2.0**40, 2.0**40], [0.0, 0.0]], [1, 0], ["q1", "q1"]),
        ),
        (
            "model.json: expected a complete model, found weights that do not match its features",
            lambda: model_with_weights(1e308, 1e308),
        ),
    ]
)


def test_lightgbm_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "lightgbm", None)
    with pytest.raises(MissingExtraError, match="LambdaMART needs an optional library"):
        ge.learn(rows(2, 0, 1, 0), learner="lambdamart", folds=2)


def rank(strategy: str, k: int = 10) -> Any:
    return ge.learning.parse_strategy(strategy).rank(INDEX, ["grape"], k)


def tune(topics: dict[str, str] = TOPICS, *, space: str | Path = "{BM25,QL}", **how: Any) -> Any:
    return ge.tune(INDEX, topics, QRELS, space=space, **how)


def tune_over_a_file(content: bytes) -> Any:
    Path("space.txt").write_bytes(content)
    return tune(space=Path("space.txt"))


test_strategies_and_tuning = provoked(
    [
        ("expected k of 1 or more, found 0", lambda: rank("BM25", k=0)),
        ("combsum does not support weights", lambda: rank("fuse(combsum, BM25, QL, weights=1/2)")),
        ("weighted requires a weight for each part", lambda: rank("fuse(weighted, BM25, QL)")),
        (
            "weighted: the scores are too large to fuse",
            lambda: rank("fuse(weighted, BM25, QL, weights=1e308/1e308)"),
        ),
        ("expected k of 1 or more, found -1", lambda: tune(k=-1)),
        ("topics and qrels share no id: topics other, qrels code-0, code-1, code-2", lambda: tune({"other": "grape"})),
        (".: cannot open the journal: Is a directory", lambda: tune(resume=".")),
        (
            "space.txt: expected a text file of strategies in UTF-8",
            lambda: tune_over_a_file("BM25  # café".encode("latin-1")),
        ),
    ]
)


@cache
def agent() -> ge.learning.Agent:
    return small_world.trained(space="BM25")


test_agents = provoked(
    [
        ("expected alpha between 0 and 1, found 2", lambda: small_world.trained(alpha=2)),
        (
            "AP(empty=skip) of BM25 is undefined for a query",
            lambda: ge.learning.Agent.train(
                INDEX, TOPICS, ONE_WITHOUT_RELEVANT, space="BM25", folds=3, utility="AP(empty=skip)"
            ),
        ),
        ("expected k of 1 or more, found 0", lambda: agent().search("grape", k=0)),
        ("expected at least 1 candidate, found 0", lambda: agent().ask("grape", candidates=0)),
    ]
)
