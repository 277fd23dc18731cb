"""Runs and judgments as frames and dicts, which are read again as what they were."""

from __future__ import annotations

from typing import Any

import pytest

import germane as ge
from germane.tables.results.result import Backend

RUN = ge.Run.from_columns(["q1", "q2", "q1"], ["d1", "d2", "d3"], [3.0, 2.0, 1.0], [1, 1, 2], tag="bm25")
GROUPED = ge.Qrels.from_columns(
    ["q1", "q1", "q2"], ["d1", "d1", "d2"], [1, 0, 2], ["a", "b", "a"], stratum=["s", "s", "t"], inclusion=[1, 1, 0.5]
)


def columns_of(frame: Any, backend: Backend) -> dict[str, list[Any]]:
    if backend == "pyarrow":
        found: dict[str, list[Any]] = frame.to_pydict()
        return found
    return {str(name): frame[name].to_list() for name in frame.columns}


@pytest.mark.parametrize("backend", ["pandas", "polars", "pyarrow"])
def test_a_frame_has_a_row_for_each_document(backend: Backend) -> None:
    assert columns_of(RUN.to_frame(backend=backend), backend) == {
        "query": ["q1", "q2", "q1"],
        "doc": ["d1", "d2", "d3"],
        "score": [3.0, 2.0, 1.0],
        "rank": [1.0, 1.0, 2.0],
        "tag": ["bm25"] * 3,
    }
    assert columns_of(GROUPED.to_frame(backend=backend), backend) == {
        "query": ["q1", "q1", "q2"],
        "doc": ["d1", "d1", "d2"],
        "grade": [1.0, 0.0, 2.0],
        "group": ["a", "b", "a"],
        "stratum": ["s", "s", "t"],
        "inclusion": [1.0, 1.0, 0.5],
    }


def test_frames_and_dicts_are_read_again() -> None:
    qrels = ge.Qrels.from_dict({"q1": {"d1": 1, "d3": 0}, "q2": {"d2": 2}})
    assert list(qrels.to_frame().columns) == ["query", "doc", "grade"]
    expected = ge.evaluate(qrels, RUN, "AP nDCG").mean()
    assert ge.evaluate(qrels.to_frame(), RUN.to_frame(), "AP nDCG").mean()["run"] == expected["run"]
    assert ge.evaluate(qrels.to_dict(), RUN.to_dict(), "AP nDCG").mean()["run"] == expected["run"]
    assert RUN.to_dict() == {"q1": {"d1": 3.0, "d3": 1.0}, "q2": {"d2": 2.0}}
    assert qrels.to_dict() == {"q1": {"d1": 1.0, "d3": 0.0}, "q2": {"d2": 2.0}}


def test_a_library_that_is_not_there_is_named() -> None:
    with pytest.raises(ge.GermaneError, match="unknown backend 'dplyr'"):
        RUN.to_frame(backend="dplyr")  # type: ignore[arg-type]
