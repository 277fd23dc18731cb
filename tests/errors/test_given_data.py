"""Data that cannot be read as what it was given for: tables, groups, sets of labels, folders."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from click.testing import CliRunner
from sklearn.linear_model import LinearRegression

import germane as ge
from germane.cli import group
from germane.errors import GermaneError, MissingExtraError
from germane.measures.decisions.clustering import contingency
from germane.measures.decisions.labels.sets import subset_accuracy
from tests.errors.provoking import provoked

ROW = [[1.0]]
test_what_is_refused = provoked(
    [
        ("expected one group per item in cluster", lambda: contingency([1, 2], [1j, 2j])),
        ("expected one group per item", lambda: contingency([object(), object()], [1, 2])),  # type: ignore[arg-type]
        ("expected items × labels as", lambda: subset_accuracy(np.array([0, 1]), np.array([0, 1]))),
        (
            "expected rows, found none",
            lambda: ge.learning.bias_variance(LinearRegression, pd.DataFrame({"x": []}), [], ROW, [0.0]),
        ),
    ]
)


def test_frames_of_scores_without_pyarrow(monkeypatch: pytest.MonkeyPatch) -> None:
    frame = pa.table({"query": ["q1", "q2"], "AP": [0.5, 0.25]})
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(MissingExtraError, match="reading a data frame needs an optional library"):
        ge.read_scores({"a": frame, "b": frame}, "AP")


def test_tables_in_parts_without_pyarrow(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for part in range(2):
        rows = {"qid": [f"q{part}"], "docno": ["d1"], "score": [1.0]}
        pl.DataFrame(rows).write_parquet(tmp_path / f"part-{part}.parquet")
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(MissingExtraError, match="reading Parquet and Arrow files needs an optional library"):
        ge.read_run(tmp_path)


def test_files_of_a_folder_that_share_no_query(tmp_path: Path) -> None:
    for number in (1, 2):
        (tmp_path / f"shard{number}.run").write_text(f"q{number} Q0 d1 1 1.0 t\n")
    with pytest.raises(GermaneError, match="expected runs for the same queries, found 2 files that share no judged"):
        ge.evaluate({"q1": {"d1": 1}, "q2": {"d1": 1}}, tmp_path)


def test_options_of_rankings_for_labelled_items(tmp_path: Path) -> None:
    (tmp_path / "items.csv").write_text("truth,score\n1,0.9\n0,0.2\n")
    told = CliRunner().invoke(group, ["explain", "AUC", str(tmp_path / "items.csv"), "--ties", "order"])
    assert "--ties requires QRELS and RUN" in str(told.exception)
