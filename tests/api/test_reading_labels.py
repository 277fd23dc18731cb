"""`classify` and its relatives read spellings and missing values alike from files, streams, frames and arrays."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

import germane as ge
from germane.errors import GermaneError, InputError

ROWS: dict[str, list[Any]] = {
    "truth": ["True", "FALSE", "true", "False", "TRUE", None, "false"],
    "predicted": ["TRUE", "True", None, "false", "False", "True", "False"],
    "score": [0.9, 0.6, 0.7, 0.1, 0.4, 0.3, None],
}
COMPLETE = {"truth": [1, 0, 0, 1], "predicted": [1, 1, 0, 0], "score": [0.9, 0.6, 0.1, 0.4]}
NOTES = {
    "missing-excluded": "3 of 7 rows excluded, because values are missing; check whether they are missing at random",
    "truth-valued": "6 spellings of true and false are treated as the labels True and False",
}


def rows_path(folder: Path) -> Path:
    path = folder / "rows.csv"
    pd.DataFrame(ROWS).to_csv(path, index=False)
    return path


def arrays(data: dict[str, Any]) -> dict[str, Any]:
    return {"y_true": data["truth"], "y_pred": data["predicted"], "y_score": data["score"]}


WAYS = {
    "file": lambda folder: ge.classify(rows_path(folder), predicted="predicted", score="score", missing="exclude"),
    "stream": lambda folder: ge.classify(
        rows_path(folder), predicted="predicted", score="score", missing="exclude", stream=True
    ),
    "pandas": lambda _: ge.classify(pd.DataFrame(ROWS), predicted="predicted", score="score", missing="exclude"),
    "polars": lambda _: ge.classify(pl.DataFrame(ROWS), predicted="predicted", score="score", missing="exclude"),
    "arrays": lambda _: ge.classify(**arrays(ROWS), missing="exclude"),
    "columns": lambda _: ge.classify(
        **arrays({name: pd.Series(column) for name, column in ROWS.items()}), missing="exclude"
    ),
}


@pytest.mark.parametrize("way", WAYS.values(), ids=WAYS)
def test_the_complete_rows_are_evaluated(way: Any, tmp_path: Path) -> None:
    found, expected = way(tmp_path).only, ge.classify(**arrays(COMPLETE)).only
    assert found.num_rows == 4
    assert found.confusion is not None
    assert expected.confusion is not None
    assert found.confusion.counts.tolist() == expected.confusion.counts.tolist() == [[1, 1], [1, 1]]
    assert (found.confusion.labels, found.positive) == ((False, True), True)
    assert found["AUC"].value == expected["AUC"].value
    assert {note.code: note.message for note in found.notes if note.code in NOTES} == NOTES


def test_missing_values_in_arrays_are_an_error_by_default() -> None:
    with pytest.raises(InputError, match=r"none in 3 of 7 rows \(y_true: 1, y_pred: 1, y_score: 1\), .* in row 3"):
        ge.classify(**{**arrays(ROWS), "y_score": np.asarray(ROWS["score"], dtype=float)})


def test_rows_without_probabilities_or_weights_are_excluded_from_arrays() -> None:
    proba = np.asarray([[0.2, 0.8], [np.nan, 0.5], [0.7, 0.3], [0.6, 0.4]])
    truth: Any = ["True", "false", "FALSE", "True"]
    weight: Any = [1, 1, 2, None]
    for given in (proba, pd.DataFrame(proba, columns=["False", "True"]), {False: proba[:, 0], True: proba[:, 1]}):
        found = ge.classify(truth, y_proba=given, sample_weight=weight, missing="exclude").only
        assert found.confusion is not None
        assert found.confusion.counts.tolist() == [[2, 0], [0, 1]]


def test_arrays_of_other_tasks_have_no_missing_values() -> None:
    with pytest.raises(GermaneError, match="`missing=` is not supported with arrays for this task"):
        ge.classify([1.0, 2.0], [1.0, 2.5], task="regression", missing="exclude")


def test_unequal_arrays_are_an_error_of_their_own() -> None:
    with pytest.raises(GermaneError, match="as many"):
        ge.classify(["true", "false"], ["true"])


@pytest.mark.parametrize("positive", ["true", "TRUE", "True", True])
def test_the_positive_label_in_any_spelling(positive: Any, tmp_path: Path) -> None:
    found = ge.classify(rows_path(tmp_path), predicted="predicted", missing="exclude", positive=positive)
    assert found.only.positive is True


def test_several_classifiers_keep_the_same_rows() -> None:
    data = {"truth": [1, 0, 1, 0], "old": [1, None, 1, 0], "new": [1, 0, None, 1]}
    found = ge.classify(pd.DataFrame(data), predicted=["old", "new"], missing="exclude")
    assert [each.num_rows for each in found] == [2, 2]
    assert found.comparison is not None
    assert "excluded for all classifiers" in found[0].notes[1].message


def test_threshold_and_explain_exclude_too(tmp_path: Path) -> None:
    path = rows_path(tmp_path)
    chosen = ge.threshold(path, score="score", missing="exclude", resamples=100)
    assert chosen.dev.num_rows == 5
    assert [note.code for note in chosen.notes[1:3]] == ["missing-excluded", "truth-valued"]
    pair = ge.threshold((ROWS["truth"], ROWS["score"]), missing="exclude", resamples=100)
    assert pair.threshold == chosen.threshold
    explained = ge.explain("AUC", path, score="score", missing="exclude")
    assert "missing-excluded" in {note.code for note in explained.notes}


UNKNOWN = [
    # role           name        what is said
    ("truth",         "trut",     "unknown column 'trut'; did you mean truth?"),
    ("predicted",     "predcted", "unknown column 'predcted'; did you mean predicted?"),
    ("score",         "skore",    "unknown column 'skore'; did you mean score?"),
    ("weight",        "scor",     "unknown column 'scor'; did you mean score?"),
    ("probabilities", "pp",       "expected one column per class starting with 'pp', found none; did you mean p?"),
]  # fmt: skip


KINDS = ("csv", "frame", "rows", "jsonl", "stream")
UNKNOWN_BY_KIND = [
    (kind, *each) for kind in KINDS for each in UNKNOWN if (kind, each[0]) != ("stream", "probabilities")
]
"""Probabilities of several classes are not streamed."""


@pytest.mark.parametrize(("kind", "role", "name", "said"), UNKNOWN_BY_KIND)
def test_an_unknown_column_is_suggested(role: str, name: str, said: str, kind: str, tmp_path: Path) -> None:
    frame = pd.DataFrame({"truth": [1], "predicted": [1], "score": [0.5], "p_0": [0.5], "p_1": [0.5]})
    path = tmp_path / "rows"
    if kind == "jsonl":
        frame.to_json(path, orient="records", lines=True)
    else:
        frame.to_csv(path, index=False)
    data = {"frame": frame, "rows": frame.to_dict("records")}.get(kind, path)
    with pytest.raises(InputError) as caught:
        ge.classify(data, **{"predicted": "predicted", role: name}, stream=kind == "stream")  # type: ignore[arg-type]
    assert caught.value.problem == said
    assert "'truth', 'predicted', 'score', 'p_0', 'p_1'" in str(caught.value.hint)
