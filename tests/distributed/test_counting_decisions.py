"""Classifiers on a cluster: the numbers of one machine to the last bit, and the same words."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest
from click.testing import CliRunner

import germane as ge
from germane.api.decisions.classification import classify
from germane.api.decisions.scores import RESAMPLED
from germane.cli.commands.classify import command
from germane.distributed.spark_run import SparkRun
from germane.errors import GermaneError, InputError
from tests.distributed.lost_executors import lethal, was_killed

RANDOM = np.random.default_rng(5)
TRUTH = RANDOM.random(400) < 0.3
SCORE = np.round(RANDOM.normal(TRUTH * 1.0), 2)
ROWS = [
    ("spam" if is_spam else "ham", "spam" if score > 0.4 else "ham", float(score), int(RANDOM.integers(0, 4)))
    for is_spam, score in zip(TRUTH, SCORE, strict=True)
]
SCHEMA = "truth string, predicted string, score double, weight int"
CASES: list[dict[str, Any]] = [
    {"predicted": ("predicted",)},
    {"score": ("score",), "positive": "spam"},
    {"score": ("score",), "positive": "spam", "threshold": 0.5},
    {"predicted": ("predicted",), "score": ("score",), "positive": "ham", "truth": "truth", "weight": "weight"},
]


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    pa = pytest.importorskip("pyarrow", reason="writing Parquet needs pyarrow")
    from pyarrow import parquet

    path = tmp_path_factory.mktemp("decisions") / "mail.parquet"
    names = [field.split()[0] for field in SCHEMA.split(", ")]
    parquet.write_table(pa.table(dict(zip(names, map(list, zip(*ROWS, strict=True)), strict=True))), path)
    return path


@pytest.mark.parametrize("asked", CASES, ids=str)
@pytest.mark.parametrize("range_rows", [1 << 22, 50])
def test_a_cluster_finds_what_one_machine_finds(
    spark: Any, file: Path, asked: dict[str, Any], range_rows: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("germane.distributed.decision_counts.RANGE_ROWS", range_rows)
    frame = spark.createDataFrame(ROWS, SCHEMA).repartition(5)
    whole = classify(str(file), name="mail", resamples=50, **asked).only
    here = classify(str(file), name="mail", resamples=50, stream=True, **asked).only
    there = classify(frame, name="mail", resamples=50, **asked).only
    assert repr(there.overall).replace("interval with Spark", "interval with --stream") == repr(here.overall)
    assert repr((there.notes, there.by_class, there.confusion)) == repr((here.notes, here.by_class, here.confusion))
    if there.confusion is not None and whole.confusion is not None:
        assert there.confusion.counts.tolist() == whole.confusion.counts.tolist()
    assert list(there.overall) == [name for name in whole.overall if name != "AP(area=interpolated)"]
    for name, estimate in there.overall.items():
        ends = ["value"] if name in ("AP", *RESAMPLED) else ["value", "low", "high", "method"]
        assert [repr(getattr(estimate, end)) for end in ends] == [repr(getattr(whole[name], end)) for end in ends]


def test_rows_that_change_between_the_two_jobs_are_an_error(spark: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def anything(batches: Iterator[Any]) -> Iterator[Any]:
        import os

        import pyarrow as pa

        for batch in batches:
            score = [int.from_bytes(os.urandom(4), "big") / 2**32 for _ in range(batch.num_rows)]
            yield batch.set_column(2, "score", pa.array(score))

    monkeypatch.setattr("germane.distributed.decision_counts.RANGE_ROWS", 50)
    frame = spark.createDataFrame(ROWS, SCHEMA).mapInArrow(anything, SCHEMA)
    with pytest.raises(GermaneError, match="the rows changed between two readings"):
        ge.classify(frame, score="score", positive="spam")


def test_a_positive_label_may_come_late(spark: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("germane.api.decisions.stream.FIRST_ROWS", 3)
    rows = [(0, 0.1)] * 5 + [(1, 0.9)]
    (found,) = ge.classify(spark.createDataFrame(rows, "label int, score double").coalesce(1), threshold=0.5)
    assert found.positive == 1
    assert found["AUC"].value == 1.0
    assert found["TPR"].value == 1.0


LATE = [
    # labels of the first rows, of later ones, asked for: the first alone would choose another positive label
    ([0, 0], [1], {}),
    (["no", "no"], ["Yes"], {}),
    ([1, 1], [0], {}),
    (["no", "yes"], ["maybe"], {"positive": "maybe"}),
    ([True, True], [False], {}),
]


@pytest.mark.parametrize(("early", "late", "asked"), LATE, ids=str)
def test_the_positive_label_is_that_of_all_rows(
    spark: Any, early: list[Any], late: list[Any], asked: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("germane.api.decisions.stream.FIRST_ROWS", len(early))
    labels = early + late * 3
    scores = [i / len(labels) for i in range(len(labels))]
    kind = {bool: "boolean", int: "int", str: "string"}[type(labels[0])]
    frame = spark.createDataFrame(list(zip(labels, scores, strict=True)), f"label {kind}, score double").coalesce(1)
    there = ge.classify(frame, truth="label", score="score", threshold=0.5, **asked).only
    here = ge.classify(labels, y_score=scores, threshold=0.5, resamples=50, **asked).only
    assert there.positive == here.positive
    assert [note.code for note in there.notes] == [note.code for note in here.notes]
    # Only scores on one machine can be inverted, which the note on a curve below the diagonal says.
    same = [[note for note in each.notes if note.code != "below-diagonal"] for each in (there, here)]
    assert same[0] == same[1]
    assert there.confusion is not None
    assert here.confusion is not None
    assert there.confusion.counts.tolist() == here.confusion.counts.tolist()
    assert repr(there["AUC"]) == repr(here["AUC"])


def test_labels_of_predictions_are_labels_too(spark: Any) -> None:
    """Every true label is "no": which one is positive is seen in what was predicted."""
    rows = [("no", "yes", 0.9), ("no", "no", 0.2), ("no", "no", 0.1)]
    frame = spark.createDataFrame(rows, "truth string, predicted string, score double").coalesce(1)
    there = ge.classify(frame, predicted="predicted", score="score", measures=["FPR", "Brier"]).only
    truth, predicted, score = map(list, zip(*rows, strict=True))
    here = ge.classify(truth, predicted, y_score=score, measures=["FPR", "Brier"]).only
    assert (there.positive, there["FPR"].value, there["Brier"].value) == ("yes", 1 / 3, here["Brier"].value)
    assert here["FPR"].value == there["FPR"].value


LACKS = "expected a value in every row, found none in 1 of 2 rows"
WRONG = [
    # rows                                       said
    ([("a", "a", 0.5, 1), (None, "a", 0.5, 1)], f"{LACKS} (truth: 1)"),
    ([("a", "a", 0.5, 1), ("a", None, 0.5, 1)], f"{LACKS} (predicted: 1)"),
    ([("a", "a", 0.5, 1), ("a", "a", float("nan"), 1)], f"{LACKS} (score: 1)"),
    ([("a", "a", 0.5, 1), ("a", "a", 0.5, -1)], "expected a finite weight ≥ 0 in column 'weight', found -1"),
    ([], "expected rows, found none"),
]


@pytest.mark.parametrize(("rows", "said"), WRONG, ids=[said for _, said in WRONG])
@pytest.mark.parametrize("first_rows", [1, 100])
def test_what_is_wrong_with_rows(
    spark: Any, rows: list[Any], said: str, first_rows: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("germane.api.decisions.stream.FIRST_ROWS", first_rows)
    frame = spark.createDataFrame(rows, SCHEMA).coalesce(1)
    with pytest.raises(InputError) as caught:
        ge.classify(frame, predicted="predicted", score="score", weight="weight", positive="a", name="mail")
    assert caught.value.message == f"mail: {said}"


def test_what_a_frame_of_spark_has_no_use_for(spark: Any) -> None:
    frame = spark.createDataFrame(ROWS, SCHEMA)
    with pytest.raises(GermaneError, match="--labels cannot be combined with --engine spark"):
        ge.classify(frame, predicted="predicted", labels=["ham", "spam"])
    with pytest.raises(GermaneError, match="--matrix cannot be combined with --engine spark"):
        classify(frame, matrix=True)
    with pytest.raises(InputError, match="unknown column 'guess'"):
        ge.classify(frame, predicted="guess")


def test_measures_that_need_every_score_are_refused_at_once() -> None:
    """No row is looked at for it, nor any frame."""
    with pytest.raises(GermaneError, match="is not supported with Spark, which meets the scores once") as found:
        classify(SparkRun(cast("Any", None), "mail.parquet"), measures=["ACC", "AUC", "AP(area=interpolated)"])
    assert str(found.value.hint).startswith("choose rates")


@pytest.mark.usefixtures("spark")
def test_the_command(file: Path) -> None:
    asked = ["--score", "score", "--positive", "spam", "--threshold", "0.5", "--format", "json"]
    for measures in ([], ["-m", "recall roc_auc AP F2[macro] Cllr minDCF(prior=0.1) partial_AUC(max_fpr=0.3)"]):
        given = [str(file), *asked, *measures]
        there, here = (
            json.loads(CliRunner().invoke(command, [*given, *how], catch_exceptions=False).stdout)["classifiers"][0]
            for how in (["--engine", "spark"], ["--stream"])
        )
        assert there["confusion"] == here["confusion"]
        for name, estimate in there["overall"].items():
            names_the_engine = "no interval with Spark" in estimate.get("remark", "")
            assert estimate == here["overall"][name] or names_the_engine
            assert estimate["value"] == here["overall"][name]["value"]
    asked_for = {"TPR", "AUC", "AP", "F2[macro]", "Cllr", "minDCF(prior=0.1)", "partial_AUC(max_fpr=0.3)"}
    assert set(there["overall"]) == asked_for


def test_a_lost_executor_costs_a_retry_not_the_counts(spark: Any, tmp_path: Path) -> None:
    items = spark.createDataFrame([(i % 3 == 0, i * 7 % 60 / 60) for i in range(60)], "label boolean, score double")
    local, found = (ge.classify(each, threshold=0.5) for each in (items, lethal(items, tmp_path / "killed")))
    assert was_killed(tmp_path / "killed")
    assert found.to_dict() == local.to_dict()
