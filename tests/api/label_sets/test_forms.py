"""The forms in which several labels per item are given, and what is refused."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy import sparse

import germane as ge
from germane.errors import GermaneError
from tests.errors.provoking import provoked

LABELS = ["a", "b", "c"]
TRUE = np.asarray([[1, 0, 1], [0, 1, 0], [1, 1, 0], [0, 0, 0]])
CALLED = np.asarray([[1, 0, 1], [0, 1, 1], [1, 0, 0], [0, 0, 0]])
SCORES = np.asarray([[0.9, 0.2, 0.6], [0.3, 0.8, 0.7], [0.6, 0.4, 0.1], [0.1, 0.2, 0.3]])
HALF = {"subset_accuracy": 0.5, "hamming_loss": 1 / 6}


def sets(matrix: Any) -> list[set[str]]:
    return [{label for label, has in zip(LABELS, row, strict=True) if has} for row in matrix]


def text(matrix: Any, separator: str = ";") -> list[str]:
    return [separator.join(sorted(each)) or "-" for each in sets(matrix)]


FORMS: dict[str, Callable[[Any], Any]] = {
    "array": np.asarray,
    "sparse": sparse.csr_array,
    "pandas": lambda matrix: pd.DataFrame(matrix, columns=LABELS),
    "pandas, other order": lambda matrix: pd.DataFrame(matrix, columns=LABELS)[["c", "a", "b"]],
    "polars": lambda matrix: pl.DataFrame(matrix, schema=LABELS),
    "pyarrow": lambda matrix: pa.Table.from_pandas(pd.DataFrame(matrix, columns=LABELS)),
    "sets": sets,
    "lists": lambda matrix: [sorted(each) for each in sets(matrix)],
    "text": text,
}


@pytest.mark.parametrize("form", FORMS)
def test_every_form_of_truth_and_predictions_is_read_alike(form: str) -> None:
    how: dict[str, Any] = {"separator": ";"} if form == "text" else {}
    (found,) = ge.classify(FORMS[form](TRUE), FORMS[form](CALLED), labels=LABELS, task="label-sets", **how)
    assert {name: estimate.value for name, estimate in found.overall.items()} == pytest.approx(HALF)
    assert dict(found.support) == {"a": 2, "b": 2, "c": 1}
    assert found["F1", "macro"].value == pytest.approx((1 + 2 / 3 + 2 / 3) / 3)


SCORE_FORMS = [
    *((truth, form) for truth in ("array", "pandas", "sets") for form in ("array", "sparse", "pandas", "polars")),
    *((truth, form) for truth in ("pandas", "sets") for form in ("pandas, other order", "pyarrow")),
]


@pytest.mark.parametrize(("truth", "form"), SCORE_FORMS)
def test_scores_go_with_every_form_of_truth(truth: str, form: str) -> None:
    given, scores = FORMS[truth](TRUE), FORMS[form](SCORES)
    (found,) = ge.classify(given, y_proba=scores, task="label-sets", labels=LABELS)
    assert found["subset_accuracy"].value == 0.5
    assert found["LRAP"].value == 1
    assert found["AUC", "a"].value == 1


def test_scores_as_columns_by_label_or_by_id() -> None:
    by_label = {label: SCORES[:, at] for at, label in enumerate(LABELS)}
    assert ge.classify(sets(TRUE), y_score=by_label, task="label-sets")["subset_accuracy"].value == 0.5
    by_id = [dict(zip("wxyz", rows, strict=True)) for rows in (sets(TRUE), SCORES.tolist())]
    (found,) = ge.classify(by_id[0], y_score=by_id[1], labels=LABELS, task="label-sets")
    assert found["subset_accuracy"].value == 0.5


def test_thresholds_for_all_labels_or_for_each() -> None:
    how: dict[str, Any] = {"labels": LABELS, "task": "label-sets"}
    (usual,) = ge.classify(TRUE, y_score=SCORES, **how)
    assert usual.threshold == 0.5
    assert [note.code for note in usual.notes] == ["default-threshold", "items-without-labels"]
    (high,) = ge.classify(TRUE, y_score=SCORES, threshold=0.75, **how)
    assert (high["TPR", "a"].value, high.threshold) == (0.5, 0.75)
    (own,) = ge.classify(TRUE, y_score=SCORES, threshold={"b": 0.4}, **how)
    assert own["TPR", "b"].value == 1
    assert own["subset_accuracy"].value == 0.75
    (note,) = (each for each in own.notes if each.code == "label-thresholds")
    said = "a label is predicted at or above its own threshold: a 0.5, b 0.4, c 0.5 (0.5 for 2 without one)"
    assert note.message == said
    (each,) = ge.classify(TRUE, y_score=10 * SCORES, threshold={"a": 5, "b": 4, "c": 5}, **how)
    assert each["subset_accuracy"].value == 0.75


def test_scores_without_a_threshold_have_no_decisions() -> None:
    (found,) = ge.classify(TRUE, y_score=10 * SCORES, labels=LABELS, task="label-sets")
    assert [*found.overall] == ["coverage_error", "ranking_loss", "LRAP", "one_error"]
    assert "no-threshold" in {note.code for note in found.notes}


COLUMNS = {
    **{f"true_{label}": TRUE[:, at] for at, label in enumerate(LABELS)},
    **{f"pred_{label}": CALLED[:, at] for at, label in enumerate(LABELS)},
    **{f"p_{label}": SCORES[:, at] for at, label in enumerate(LABELS)},
    "tags": text(TRUE),
    "guess": text(CALLED),
    "commas": text(TRUE, ", "),
    "bars": text(CALLED, "|"),
}
TABLES: list[tuple[str, dict[str, Any]]] = [
    ("a column for each label", {"truth": "true_*", "predicted": "pred_*"}),
    ("text", {"truth": "tags", "predicted": "guess"}),
    ("text and columns", {"truth": "tags", "predicted": "pred_*"}),
    ("columns and text", {"truth": "true_*", "predicted": "guess"}),
    ("text with commas", {"truth": "commas", "predicted": "pred_*", "separator": ","}),
    ("text with bars", {"truth": "true_*", "predicted": "bars", "separator": "|"}),
    ("probabilities", {"truth": "true_*", "probabilities": "p"}),
    ("scores and text", {"truth": "tags", "score": "p_*"}),
]


@pytest.mark.parametrize(("what", "columns"), TABLES)
def test_tables_in_memory_and_files_are_read_alike(what: str, columns: dict[str, Any], tmp_path: Path) -> None:
    frame = pd.DataFrame(COLUMNS)
    frame.to_csv(tmp_path / "data.csv", index=False)
    frame.to_json(tmp_path / "data.jsonl", orient="records", lines=True)
    frame.to_parquet(tmp_path / "data.parquet")
    tables: list[Any] = [COLUMNS, frame, *tmp_path.iterdir()]
    for data in tables:
        (found,) = ge.classify(data, task="label-sets", **columns)
        assert {name: found[name].value for name in HALF} == pytest.approx(HALF), (what, data)
        assert found["F1", "macro"].value == pytest.approx(7 / 9)


def test_lists_in_a_column_are_sets(tmp_path: Path) -> None:
    frame = pd.DataFrame({"truth": FORMS["lists"](TRUE), "predicted": FORMS["lists"](CALLED)})
    frame.to_json(tmp_path / "data.jsonl", orient="records", lines=True)
    frame.to_parquet(tmp_path / "data.parquet")
    tables: list[Any] = [frame, *tmp_path.iterdir()]
    for data in tables:
        (found,) = ge.classify(data, task="label-sets")
        assert found["subset_accuracy"].value == 0.5


def test_several_classifiers_are_named_by_their_columns() -> None:
    both = ge.classify(COLUMNS, truth="true_*", predicted=["pred_*", "guess"], score="p_*", task="label-sets")
    assert [each.name for each in both] == ["pred", "guess", "p"]
    assert both[0].columns == {"truth": "true_*", "predicted": "pred_*, guess", "score": "p_*"}


def one(**columns: Any) -> Callable[[], Any]:
    """A call with some columns replaced."""
    options = {name: columns.pop(name) for name in ("truth", "predicted", "score", "probabilities") if name in columns}
    return lambda: ge.classify({**COLUMNS, **columns}, task="label-sets", **options)


FRAME = pd.DataFrame(TRUE, columns=LABELS)
TRUE_SETS = sets(TRUE)
test_what_is_refused = provoked(
    [
        ("expected items × labels as y_true, found rows of several lengths: 3 in row 1, 1 in row 2",
         lambda: ge.classify([[1, 0, 0], [1]], [[1, 0, 0], [1, 0, 1]], task="label-sets")),
        ("found np.float64(0.3) in row 1, column 2",
         lambda: ge.classify([[1, 0.3, 0.3], [0, 1, 1]], TRUE[:2], task="label-sets")),
        ("found np.int64(-1) in row 2, column 1",
         lambda: ge.classify([[1, 0], [-1, 1]], np.eye(2), task="label-sets")),
        ("expected labels of the truth ('a', 'b', 'c') in y_pred, found only others: 1, 2",
         lambda: ge.classify(TRUE_SETS, [{1}, {2}, {1}, {2}], task="label-sets")),
        ("expected the columns of y_pred to be the labels, found 'd' on one side only",
         lambda: ge.classify(FRAME, FRAME.rename(columns={"c": "d"}), task="label-sets")),
        ("expected as many rows of scores (y_score) as true ones, found 3 and 4",
         lambda: ge.classify(TRUE, y_score=SCORES[:3], task="label-sets")),
        ("expected 3 columns as y_score, one for each label, found shape (4, 2)",
         lambda: ge.classify(TRUE, y_score=SCORES[:, :2], task="label-sets")),
        ("expected a number as y_score, found NaN in row 1, column 2",
         lambda: ge.classify(TRUE, y_score=np.where(SCORES == 0.2, np.nan, SCORES), task="label-sets")),
        ("expected columns of equal length as y_score, found 4 of 'a', 3 of 'b'",
         lambda: ge.classify(TRUE_SETS, y_score={"a": [1, 2, 3, 4], "b": [1, 2, 3]}, task="label-sets")),
        ("y_proba: expected probabilities between 0 and 1, found 9 in row 1, column 1",
         lambda: ge.classify(TRUE, y_proba=10 * SCORES, task="label-sets")),
        ("pass either y_score or y_proba, not both",
         lambda: ge.classify(TRUE, y_score=SCORES, y_proba=SCORES, task="label-sets")),
        ("`threshold=` cannot be combined with predicted labels",
         lambda: ge.classify(TRUE, CALLED, y_score=SCORES, threshold=0.5, task="label-sets")),
        ("`threshold=` needs scores, found none", lambda: ge.classify(TRUE, CALLED, threshold=0.5, task="label-sets")),
        ("expected a threshold for each label, found none for 0, 2",
         lambda: ge.classify(TRUE, y_score=10 * SCORES, threshold={1: 4}, task="label-sets")),
        ("unknown class 'd'", lambda: ge.classify(FRAME, y_score=SCORES, threshold={"d": 4}, task="label-sets")),
        ("a threshold for each label requires several labels per item",
         lambda: ge.classify([0, 1], y_score=[0.1, 0.9], threshold={"a": 0.5})),
        ("`separator=` is for sets of labels", lambda: ge.classify([0, 1], [0, 1], separator=",")),
        ("expected text between labels as separator, found ''",
         lambda: ge.classify(["a"], ["a"], separator="", task="label-sets")),
        ("`average='samples'` requires several labels per item",
         lambda: ge.classify([0, 1], [0, 1], average="samples")),
        ("unknown average 'binary'", lambda: ge.classify(TRUE, CALLED, average="binary", task="label-sets")),
        ("weights are not supported for task label-sets",
         lambda: ge.classify(TRUE, CALLED, sample_weight=[1, 1, 1, 1], task="label-sets")),
        ("`missing=` is not supported with arrays for this task",
         lambda: ge.classify(TRUE, CALLED, missing="exclude", task="label-sets")),
        ("missing predictions", lambda: ge.classify(TRUE, task="label-sets")),
        ("expected 0 or 1 in column 'pred_a', found 0.3 in row 1",
         one(truth="true_*", predicted="pred_*", pred_a=[0.3, 0, 1, 0])),
        ("expected ';' between labels, found none, but ',' as in 'a, b' (commas)",
         one(truth="commas", predicted="bars")),
        ("expected one column for each label as true_*, found 'true_a', 'true_b', 'true_c', 'True a'",
         one(truth="true_*", predicted="pred_*", **{"True a": [1, 0, 1, 0]})),
        ("expected a column for each label as no_*, found none", one(truth="no_*", predicted="pred_*")),
        ("expected a score for each label, found one column: 'p_a'", one(truth="true_*", score="p_a")),
        ("expected predictions or scores of each label, found none", one(truth="true_*")),
        ("expected a list of labels in column 'lists', as in other rows, found 'a'",
         one(truth="lists", predicted="guess", lists=[["a"], "a", ["b"], []])),
        ("expected labels in text to split at ',', found a column for each label",
         lambda: ge.classify(COLUMNS, truth="true_*", predicted="pred_*", separator=",", task="label-sets")),
        ("weights are not supported for task label-sets",
         lambda: ge.classify(COLUMNS, truth="tags", predicted="guess", weight="p_a", task="label-sets")),
        ("`baseline=` needs at least two classifiers, found one",
         lambda: ge.classify(COLUMNS, truth="tags", predicted="guess", baseline="guess", task="label-sets")),
        ("--positive cannot be combined with --task label-sets",
         lambda: ge.classify(TRUE, CALLED, positive=1, task="label-sets")),
    ]
)  # fmt: skip


def test_a_label_name_with_another_separator_is_one_label() -> None:
    rows = {"truth": ["new york", "new jersey", "york"], "predicted": ["new york", "york", "york"]}
    (found,) = ge.classify(rows, task="label-sets")
    assert [*found.by_class] == ["new jersey", "new york", "york"]
    (split,) = ge.classify({"truth": ["a,b", "a"], "predicted": ["b", "a"]}, separator=";", task="label-sets")
    assert [*split.by_class] == ["a", "a,b", "b"]


def test_rows_with_missing_values_are_excluded_when_asked() -> None:
    holes = {**COLUMNS, "p_b": [0.2, None, 0.4, 0.2]}
    (found,) = ge.classify(holes, truth="tags", score="p_*", missing="exclude", task="label-sets")
    assert found.num_rows == 3
    assert "missing-excluded" in {note.code for note in found.notes}
    with pytest.raises(GermaneError, match="found none in 1 of 4 rows"):
        ge.classify(holes, truth="tags", score="p_*", task="label-sets")


def test_labels_that_are_numbers_are_read_as_text() -> None:
    (found,) = ge.classify({"truth": [1, 2, 3], "predicted": [1.0, 2.0, 2.0]}, task="label-sets")
    assert [*found.by_class] == ["1", "2", "3"]
    assert found["subset_accuracy"].value == pytest.approx(2 / 3)


def test_wrong_types_name_the_error() -> None:
    with pytest.raises(GermaneError, match="found the text 'a;b'"):
        ge.classify(["a;b"], ["a"], task="label-sets")
