"""A learned ranking as a file: there and back, and errors for files and features that are not its own."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from germane.errors import GermaneError, InputError
from germane.formats.files.json_text import checksum_of
from germane.learning.features.feature_set import parse_features
from germane.learning.learners.learner import LEARNERS
from germane.learning.model_file import RankingModel, fingerprint, read_model, write_model
from germane.retrieval.indexes.index import Index
from germane.tables.rankings.ranking_data import RankingData

TEXTS = {"d1": "red roses and white wine", "d2": "wine wine is red wine", "d3": "white roses"}
PLAIN = Index.of(TEXTS, analyser="plain").analyser.name


def rows() -> RankingData:
    made = np.random.Generator(np.random.PCG64(1)).normal(size=(400, 2))
    grade = (made[:, 0] + 0.1 * made[:, 1] > 0).astype(float)
    return RankingData.of(made, np.repeat(range(8), 50).tolist(), grade=grade, names=["BM25", "omega"])


def model(learner: str = "linear") -> RankingModel:
    ranker = LEARNERS.parse(learner).fit(rows(), None, 1)
    return RankingModel(
        learner, ranker, ("BM25", "omega"), ("BM25", "omega"), "minmax", "BM25", 100, PLAIN, source="m.json",
        training={"query_fingerprints": [fingerprint("red wine")]},
    )  # fmt: skip


@pytest.mark.parametrize("learner", LEARNERS.names)
def test_there_and_back(tmp_path: Path, learner: str) -> None:
    if learner == "lambdamart":
        pytest.importorskip("lightgbm")
    own = model(learner)
    write_model(own, tmp_path / "model.json")
    back = read_model(tmp_path / "model.json")
    assert back.score(rows()).tolist() == own.score(rows()).tolist()
    assert len(set(own.score(rows()).tolist())) > 1
    assert back.to_json() == own.to_json()
    assert back.learned_from == {fingerprint("Wine, RED")}


DAMAGE = [
    # what is done to the model's weights        why
    (lambda coef: coef[:1],                      "a weight is gone"),
    (lambda coef: [*coef, 1.0],                  "one too many"),
    (lambda coef: [float("nan"), *coef[1:]],     "no number"),
    (lambda coef: [float("inf"), *coef[1:]],     "no end"),
]  # fmt: skip


@pytest.mark.parametrize(("damage", "why"), DAMAGE)
def test_a_damaged_model_ranks_nothing(tmp_path: Path, damage: Callable[[list[float]], list[float]], why: str) -> None:
    given = model("ranking-svm").to_json()
    assert isinstance(given["model"]["coef"], list)
    given["model"]["coef"] = damage(given["model"]["coef"])
    given["checksum"] = checksum_of(given)
    (tmp_path / "m.json").write_text(json.dumps(given))
    with pytest.raises(InputError, match=r"m\.json: expected"):
        read_model(tmp_path / "m.json")


def test_a_linear_models_file_has_its_weights_by_name() -> None:
    weights = model().to_json()["weights"]
    assert list(weights) == ["BM25", "omega"]
    assert abs(weights["BM25"]) > abs(weights["omega"]), "the first made the grades"


WRONG: list[tuple[Any, str]] = [
    ([], 'expected a model written by `germane learn`'),
    ({"format": "another"}, "expected a model written by `germane learn`"),
    ({"version": 1}, "expected a model of version 2, found 1"),
    ({"learner": "forest"}, "unknown learner 'forest'"),
    ({"scaling": "max"}, "unknown scaling 'max'"),
    ({"features": [{"name": "BM25", "canonical": "BM25"}]}, "the model names 1 features, but has 2 columns"),
    ({"model": {}}, "expected a LinearScore model, found None"),
    ({"features": None}, "expected a complete model, found a wrong or missing"),
]  # fmt: skip


@pytest.mark.parametrize(("change", "message"), WRONG)
def test_a_file_that_is_no_model(tmp_path: Path, change: Any, message: str) -> None:
    given = {**model().to_json(), **change} if isinstance(change, dict) else change
    if isinstance(given, dict):
        given["checksum"] = checksum_of(given)
    (tmp_path / "model.json").write_text(json.dumps(given))
    with pytest.raises(InputError, match=message):
        read_model(tmp_path / "model.json")


@pytest.mark.parametrize("learner", LEARNERS.names)
def test_another_number_in_a_model_is_damage(tmp_path: Path, learner: str) -> None:
    """A digit that changed, in a weight or in the bytes of an array, must not rank anything."""
    data = json.dumps(model(learner).to_json())
    place = next(i for i in range(data.index('"model"'), len(data)) if data[i].isdigit() and data[i - 1] == ".")
    (tmp_path / "m.json").write_text(data[:place] + str((int(data[place]) + 1) % 10) + data[place + 1 :])
    with pytest.raises(InputError, match=r"m\.json: the model was damaged or edited: expected checksum"):
        read_model(tmp_path / "m.json")


def test_a_file_that_is_no_json(tmp_path: Path) -> None:
    (tmp_path / "model.json").write_bytes(b"\x80\x04pickled")
    with pytest.raises(InputError, match="expected JSON"):
        read_model(tmp_path / "model.json")


def test_rows_of_other_features_are_refused() -> None:
    others = [
        (["BM25", "proximity"], "rows lacks omega"),
        (["omega", "BM25"], "rows has them in another order"),
    ]
    for names, message in others:
        data = RankingData.of([[1.0, 2.0]], ["q"], names=names, name="rows")
        with pytest.raises(GermaneError, match=f"m.json was trained with 2 features, but {message}"):
            model().score(data)
    more = RankingData.of([[1.0, 2.0, 3.0]], ["q"], names=["BM25", "omega", "length"], name="rows")
    with pytest.raises(GermaneError, match="rows also has length"):
        model().score(more)


def test_an_index_that_it_was_not_learned_on() -> None:
    index = Index.of(TEXTS, analyser="plain", positions=True)
    assert [one.name for one in model().features_for(index)] == ["BM25", "omega"]
    with pytest.raises(GermaneError, match=r"analysed by .*, but this index uses words"):
        model().features_for(Index.of(TEXTS, analyser="words+fold+stop(lucene)", positions=True))
    with pytest.raises(GermaneError, match="uses omega, which requires word positions"):
        model().features_for(Index.of(TEXTS, analyser="plain"))


def test_features_that_no_index_has_and_columns_that_lie_elsewhere(tmp_path: Path) -> None:
    index = Index.of(TEXTS, analyser="plain", positions=True)
    own = model()
    of_a_file = RankingModel(own.learner, own.ranker, ("1", "2"), ("1", "2"), "minmax", source="m.json")
    with pytest.raises(GermaneError, match="a feature that is not available here: unknown feature '1'"):
        of_a_file.features_for(index)
    column = RankingModel(
        own.learner,
        own.ranker,
        ("BM25", "rank=gone.tsv"),
        ("BM25", "rank"),
        "minmax",
        analyser=PLAIN,
        source="m.json",
    )
    with pytest.raises(GermaneError, match=r"gone\.tsv: no such file") as problem:
        column.features_for(index)
    assert "`rerank_features=rank=FILE`" in str(problem.value)
    (tmp_path / "here.tsv").write_text("* 1\n")
    given = {one.name: one for one in parse_features(f"rank={tmp_path / 'here.tsv'}")}
    assert column.features_for(index, given)[1] is given["rank"]
    with pytest.raises(GermaneError, match=r"m\.json has no feature 'rank'"):
        own.features_for(index, given)
