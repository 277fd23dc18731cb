"""Spellings of truth values and missing values on a cluster: as one machine reads them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from germane.api.decisions.classification import classify
from germane.errors import InputError

ROWS = [
    ("True", "TRUE", 0.9, 1),
    ("FALSE", "True", 0.6, 2),
    ("true", None, 0.7, 1),
    ("False", "false", 0.1, 1),
    ("TRUE", "False", 0.4, 1),
    ("NA", "True", 0.3, 1),
    ("false", "", 0.2, 1),
    ("false", "False", float("nan"), 1),
    ("False", "False", None, 1),
    ("true", "true", 0.8, 1),
] * 3
SCHEMA = "truth string, predicted string, score double, weight int"
BOTH: dict[str, Any] = {"predicted": "predicted", "score": "score"}


@pytest.mark.parametrize("asked", [BOTH, {"predicted": "predicted"}, {"score": "score", "weight": "weight"}], ids=str)
def test_a_cluster_reads_spellings_and_missing_values_as_one_machine(
    spark: Any, asked: dict[str, Any], tmp_path: Path
) -> None:
    path = tmp_path / "rows.csv"
    pd.DataFrame(ROWS, columns=[field.split()[0] for field in SCHEMA.split(", ")]).to_csv(path, index=False)
    frame = spark.createDataFrame(ROWS, SCHEMA).repartition(4)
    there = classify(frame, name="rows", missing="exclude", **asked).only
    here = classify(path, name="rows", missing="exclude", stream=True, **asked).only
    assert repr((there.notes, there.confusion, there.num_rows)) == repr((here.notes, here.confusion, here.num_rows))
    assert {name: estimate.value for name, estimate in there.overall.items()} == {
        name: estimate.value for name, estimate in here.overall.items()
    }


def test_missing_values_on_a_cluster_are_counted(spark: Any) -> None:
    frame = spark.createDataFrame(ROWS, SCHEMA).repartition(4)
    with pytest.raises(InputError) as caught:
        classify(frame, **BOTH)
    assert caught.value.problem == (
        "expected a value in every row, found none in 15 of 30 rows (truth: 3, predicted: 6, score: 6)"
    )
    assert caught.value.hint == 'exclude these rows with `missing="exclude"`, or fill in the values'


def test_a_later_word_keeps_the_spellings(spark: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """The first rows look like truth values, but all rows decide."""
    monkeypatch.setattr("germane.api.decisions.stream.FIRST_ROWS", 2)
    rows = [("true", "true"), ("true", "true"), ("maybe", "true"), ("false", "maybe")]
    frame = spark.createDataFrame(rows, "truth string, predicted string").coalesce(1)
    found = classify(frame).only
    assert found.confusion is not None
    assert found.confusion.labels == ("false", "maybe", "true")
    assert not [note for note in found.notes if note.code == "truth-valued"]


def test_booleans_and_digits_beside_text(spark: Any) -> None:
    rows = [(True, "TRUE"), (False, "true"), (False, "False")]
    found = classify(spark.createDataFrame(rows, "truth boolean, predicted string")).only
    assert found.confusion is not None
    assert (found.confusion.labels, found.confusion.counts.tolist()) == ((False, True), [[1, 1], [0, 1]])
    digits = classify(spark.createDataFrame([("true", 1), ("False", 0)], "truth string, predicted int")).only
    assert digits.confusion is not None
    assert digits.confusion.counts.tolist() == [[1, 0], [0, 1]]
