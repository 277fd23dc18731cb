from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import germane as ge
from germane.errors import GermaneError, InputError

QRELS = {"q1": {"d1": 1, "d2": 0, "d3": 2}, "q2": {"d1": 1}}
RUN = {"q1": {"d2": 3.0, "d1": 2.0, "d9": 1.0}, "q2": {"d5": 2.0, "d1": 1.0}}
ROWS = [(q, d, s) for q, docs in RUN.items() for d, s in docs.items()]
COLUMNS = {"qid": [r[0] for r in ROWS], "docno": [r[1] for r in ROWS], "score": [r[2] for r in ROWS]}
EXPECTED = {"AP": (1 / 2 / 2 + 1 / 2) / 2, "RR": 0.5}


def trec_file(tmp_path: Path) -> str:
    path = tmp_path / "run.run"
    path.write_text("".join(f"{q} Q0 {d} 1 {s} t\n" for q, d, s in ROWS))
    return str(path)


INPUTS: list[tuple[str, Callable[[Path], Any]]] = [
    ("dict of dicts", lambda _: RUN),
    ("rows", lambda _: ROWS),
    ("rows that are lists", lambda _: [list(row) for row in ROWS]),
    ("dict of columns", lambda _: COLUMNS),
    ("tuple of arrays", lambda _: tuple(np.array(column) for column in COLUMNS.values())),
    ("pandas", lambda _: pd.DataFrame(COLUMNS)),
    ("polars", lambda _: pl.DataFrame(COLUMNS)),
    ("pyarrow", lambda _: pa.table(COLUMNS)),
    ("Run", lambda _: ge.Run.from_dict(RUN)),
    ("file", trec_file),
]


@pytest.mark.parametrize(("name", "make"), INPUTS, ids=[name for name, _ in INPUTS])
def test_one_run_in_any_form(name: str, make: Callable[[Path], Any], tmp_path: Path) -> None:
    [means] = ge.evaluate(QRELS, make(tmp_path), ["AP", "RR"]).mean().values()
    assert means == pytest.approx(EXPECTED), name


@pytest.mark.parametrize(("name", "make"), INPUTS, ids=[name for name, _ in INPUTS])
def test_several_runs_by_name_and_in_a_list(name: str, make: Callable[[Path], Any], tmp_path: Path) -> None:
    run = make(tmp_path)
    named = ge.evaluate(QRELS, {"a": run, "b": run}, "RR")
    assert named.mean() == {"a": {"RR": 0.5}, "b": {"RR": 0.5}}, name
    assert len(ge.evaluate(QRELS, [run, run], "RR").runs) == 2


def test_scores_answer_under_the_name_that_was_asked_for() -> None:
    scores = ge.evaluate(QRELS, RUN, ["map", "ndcg_cut_10"])
    assert scores["run", "map"] == scores["run", "AP"] == {"q1": 0.25, "q2": 0.5}
    assert str(scores).splitlines()[0].split() == ["run", "queries", "AP", "nDCG@10"]
    assert repr(scores) == "<Scores: 1 runs × 2 measures × 2 queries>"


SLIPS: list[tuple[str, Callable[[], object], str]] = [
    ("ties", lambda: ge.evaluate(QRELS, RUN, "AP", ties="docnos"), "did you mean docno?"),  # type: ignore[arg-type]
    ("topics", lambda: ge.evaluate(QRELS, RUN, "AP", topics="all"), "one of qrels, both"),  # type: ignore[arg-type]
    ("score_type", lambda: ge.evaluate(QRELS, RUN, "AP", score_type="f4"), "one of float64, float32"),  # type: ignore[arg-type]
    ("no measure", lambda: ge.evaluate(QRELS, RUN, []), "at least one measure"),
    ("no run", lambda: ge.evaluate(QRELS, [], "AP"), "at least one run"),
    ("run name", lambda: ge.evaluate(QRELS, RUN, "AP")["rum", "AP"], "did you mean run?"),
    ("measure name", lambda: ge.evaluate(QRELS, RUN, "AP")["run", "RR"], "'RR' was not computed"),
    ("aggregate", lambda: ge.evaluate(QRELS, RUN, "AP").aggregate("means"), "did you mean mean?"),
    ("query", lambda: ge.evaluate(QRELS, RUN, "AP").aggregate("mean", ["q9"]), "unknown query 'q9'"),
    ("scale", lambda: ge.evaluate(QRELS, RUN, "AP", scale=1), "expected grades up to 1"),
    ("rank ties", lambda: ge.evaluate(QRELS, RUN, "AP", ties="rank"), "expected a rank column"),
]


@pytest.mark.parametrize(("name", "call", "message"), SLIPS, ids=[name for name, _, _ in SLIPS])
def test_slips_are_errors(name: str, call: Callable[[], object], message: str) -> None:
    with pytest.raises(GermaneError) as caught:
        call()
    assert message in str(caught.value), name


BAD_SCORES = [float("nan"), float("inf"), -float("inf")]


@pytest.mark.parametrize("score", BAD_SCORES)
def test_a_score_that_is_no_number_is_an_error(score: float) -> None:
    for run in ({"q1": {"d1": score}}, [("q1", "d1", score)]):
        with pytest.raises(InputError, match=r"finite (score|number)"):
            ge.evaluate(QRELS, run, "AP")


def test_a_document_twice_in_a_query_is_an_error() -> None:
    with pytest.raises(InputError, match="duplicate document 'd1' for query 'q1'"):
        ge.evaluate(QRELS, [("q1", "d1", 1.0), ("q1", "d1", 2.0)], "AP")


def test_an_empty_ranking_is_in_the_run_and_a_missing_topic_is_not() -> None:
    empty = ge.evaluate(QRELS, {"q1": {}, "q2": {"d1": 1.0}}, "RR", topics="both")
    assert empty.num_queries("run") == 2
    missing = ge.evaluate(QRELS, {"q2": {"d1": 1.0}}, "RR", topics="both")
    assert (missing.num_queries("run"), missing.mean()["run"]["RR"]) == (1, 1.0)
    assert missing.notes[0].code == "missing-queries"


def test_integer_ids_are_their_decimal_text() -> None:
    run = (np.array([1, 1, 1]), np.array([10, 9, 100]), np.array([1.0, 1.0, 1.0]))
    # Byte order, Z before A: 9, then 100, then 10.
    assert ge.evaluate({"1": {"100": 1}}, run, "RR").mean()["run"]["RR"] == 0.5


def test_names_that_are_the_same_are_told_apart(tmp_path: Path) -> None:
    for folder in ("a", "b"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "bm25.run").write_text("q1 Q0 d1 1 1.0 t\n")
    paths = [str(tmp_path / folder / "bm25.run") for folder in ("a", "b")]
    assert [run.name for run in ge.evaluate(QRELS, paths, "RR").runs] == paths
    assert [run.name for run in ge.evaluate(QRELS, [paths[0]] * 2, "RR").runs] == [paths[0], f"{paths[0]}-2"]


def test_float32_scores_make_ties() -> None:
    run = {"q1": {"a": 0.500000012, "b": 0.500000011}}
    qrels = {"q1": {"a": 1}}
    assert ge.evaluate(qrels, run, "RR").mean()["run"]["RR"] == 1.0
    assert ge.evaluate(qrels, run, "RR", score_type="float32").mean()["run"]["RR"] == 0.5


def test_every_public_name_is_there_and_documented() -> None:
    for name in ge.__all__:
        assert getattr(ge, name).__doc__, name
    with pytest.raises(AttributeError):
        ge.no_such_name  # type: ignore[attr-defined]  # noqa: B018


class Unprinted(dict[str, dict[str, float]]):
    """A run that takes long to write out."""

    def __repr__(self) -> str:
        raise AssertionError("nobody asked for the text of a run")


def test_a_run_in_memory_is_never_written_out() -> None:
    assert ge.evaluate({"q": {"d": 1}}, Unprinted({"q": {"d": 1.0}}), "RR").mean() == {"run": {"RR": 1.0}}
