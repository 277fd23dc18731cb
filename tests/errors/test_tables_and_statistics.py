"""Errors of judgments, runs and rows that are wrong, and of statistics that cannot be computed, each provoked."""

from __future__ import annotations

import math
import sys
from typing import Any

import numpy as np
import pytest

import germane as ge
from germane.stats.intervals.cells import cell_intervals
from germane.stats.intervals.delong import paired_delong
from germane.stats.intervals.resampling import cell_draws
from germane.stats.rankings.agreement_of_rankings import between_runs
from germane.stats.rankings.ranked_items import Ranking
from germane.tables.columns.ids import Ids
from tests.errors.provoking import provoked

TRUTH = ge.measures.load_qrels({"q1": {"d1": 1, "d2": 0}})
DICT = {"q1": {"d1": 2.0, "d2": 1.0}}
RUN = ge.Run.from_dict(DICT)
SCORES = ge.evaluate(TRUTH, RUN, "AP")
JUDGES = {"ann": {"q1": {"d1": 1, "d2": 0, "d3": 1}}, "bob": {"q1": {"d1": 1, "d2": 1, "d3": 0}}}
ONE_SCORE: Any = ([0, 1, 0, 1], [0.5, 0.5, 0.5, 0.5])

test_judgments_runs_and_rows = provoked(
    [
        ("expected judgments, found none", lambda: ge.Qrels.from_columns([], [], [])),
        ("expected a finite grade, found nan for query 'q1'", lambda: ge.Qrels.from_columns(["q1"], ["d"], [math.nan])),
        ("expected a finite score, found inf for query 'q2'", lambda: ge.Run.from_columns(["q2"], ["d"], [math.inf])),
        ("expected a rank column for ties=rank, found none", lambda: ge.measures.match(TRUTH, RUN, ties="rank")),
        (
            "expected rows for each query, found none for query 'b'",
            lambda: ge.learning.RankingData(
                np.ones((1, 1)), ("length",), np.zeros(1, dtype=np.int64), Ids.of(["a", "b"])
            ),
        ),
        (
            "unknown trial ('rocchio', 2)\nHint: choose from ('after', 1)",
            lambda: ge.retrieval.score_feedback(TRUTH, DICT, DICT, {"q1": ["d2"]})["rocchio", 2],
        ),
    ]
)


def without_polars() -> None:
    """Ask for a frame of a library that is not there."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(sys.modules, "polars", None)
        SCORES.to_frame(backend="polars")


test_tables_of_results = provoked(
    [
        (
            "unknown table 'querys'; did you mean queries?\nHint: choose from scores, queries",
            lambda: SCORES.table("querys"),
        ),
        (
            "unknown backend 'arrow'; did you mean pyarrow?\nHint: choose from pandas, polars, pyarrow",
            lambda: SCORES.to_frame(backend="arrow"),  # type: ignore[call-overload]
        ),
        ("polars is not installed\nHint: pip install polars", without_polars),
    ]
)

test_agreement_of_judges = provoked(
    [
        (
            "expected one measure to rank systems by, found 'AP P@5'",
            lambda: ge.agree(JUDGES, runs={"a": DICT, "b": DICT}, measure="AP P@5", resamples=100),
        ),
        ("'kapa' was not computed; did you mean kappa?", lambda: ge.agree(JUDGES, resamples=100)["kapa"]),
        ("expected a level between 0 and 1, found 95", lambda: ge.agree(JUDGES, level=95)),
    ]
)

test_agreement_of_rankings = provoked(
    [
        ("expected missing='append' or 'common', found 'drop'", lambda: between_runs(RUN, RUN, missing="drop")),  # type: ignore[arg-type]
        ("expected at least one coefficient, found none", lambda: between_runs(RUN, RUN, " ")),
        ("no shared query 'q2'", lambda: between_runs(RUN, RUN)["q2"]),
        ("expected 1 scores (one per item), found 2", lambda: Ranking.from_scores(["a"], [1.0, 2.0])),
    ]
)

test_intervals_and_thresholds = provoked(
    [
        ("expected four counts, found an array of shape (3,)", lambda: cell_intervals([], [1, 2, 3])),  # type: ignore[arg-type]
        ("expected counts ≥ 0, found [3, -1]", lambda: cell_draws([3, -1], 2, seed=1)),
        (
            "expected one score per item in b, found shape (1, 2)",
            lambda: paired_delong([True, False], [0.1, 0.2], [[0.1, 0.2]]),
        ),
        (
            "no threshold meets DOR >= 2: DOR is undefined (0 / 0) at every threshold",
            lambda: ge.threshold(ONE_SCORE, rule="TPR where DOR>=2"),
        ),
    ]
)
