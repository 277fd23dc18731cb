"""Inputs that are easy to get wrong and would cost numbers in silence: each gets an error or a note."""

import json
import os
import threading
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

import germane as ge
from germane.cli import group
from germane.errors import GermaneError, InputError

QRELS = {"q1": {"d1": 1, "d2": 0}, "q2": {"d1": 1}}


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no named pipes here")
def test_a_pipe_is_read_whole(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    lines = "".join(f"q{i} Q0 d 1 1.0 t\n" for i in range(30_000))
    writer = threading.Thread(target=pipe.write_text, args=(lines,))
    writer.start()
    scores = ge.evaluate({f"q{i}": {"d": 1} for i in range(30_000)}, str(pipe), ["NumRet", "RR"])
    writer.join()
    assert list(scores.mean().values()) == [{"NumRet": 30_000.0, "RR": 1.0}]


def test_interleaved_lines_with_blanks_and_the_query_not_first(tmp_path: Path) -> None:
    rows = ["docid,qid,score", "d1,q1,3", "d1,q2,3", "d2,q1,2", "", "d2,q2,2", "   ", "d3,q1,1", "d3,q2,1"]
    path = tmp_path / "run.csv"
    path.write_bytes("\r\n".join(rows).encode() + b"\r\n")
    scores = ge.evaluate({"q1": {"d3": 1}, "q2": {"d2": 1}}, str(path), ["NumRet", "RR"])
    assert scores["run", "NumRet"] == {"q1": 3, "q2": 3}
    assert scores["run", "RR"] == {"q1": 1 / 3, "q2": 1 / 2}
    path.write_text("\n".join([*rows[:4], "dX", *rows[5:]]))
    with pytest.raises(InputError, match=r"run\.csv:5: expected 3 fields"):
        ge.evaluate({"q1": {"d3": 1}}, str(path), "RR")


def test_whole_number_scores_are_not_taken_for_ranks(tmp_path: Path) -> None:
    path = tmp_path / "run.tsv"
    path.write_text("q1\td2\t25\nq1\td9\t20\nq1\td1\t7\n")
    with pytest.raises(InputError, match="expected ranks 1, 2, 3"):
        ge.evaluate(QRELS, str(path), "RR")
    path.write_text("q1\td2\t1\nq1\td9\t2\nq1\td1\t3\n")
    assert ge.evaluate(QRELS, str(path), "RR")["run", "RR"]["q1"] == 1 / 3


SLIPS: list[tuple[str, Callable[[], object], str]] = [
    ("collection smaller than a ranking",
     lambda: ge.evaluate(QRELS, {"q1": {f"d{i}": 1.0 for i in range(9)}}, "Fallout", collection_size=5), "at least 9"),
    ("collection smaller than the judgments",
     lambda: ge.evaluate(QRELS, {"q1": {"d1": 1.0}}, "Fallout", collection_size=1), "at least 2"),
    ("scale below the grades",
     lambda: ge.evaluate(ge.Qrels.from_dict({"q1": {"d1": 3}}), {"q1": {"d1": 1.0}}, "ERR", scale=1), "up to 1"),
    ("scale of nothing", lambda: ge.evaluate(QRELS, {"q1": {"d1": 1.0}}, "ERR", scale=float("nan")), "up to nan"),
    ("other judgments",
     lambda: ge.evaluate(
         QRELS, ge.measures.match(ge.Qrels.from_dict(QRELS), ge.Run.from_dict({"q1": {"d1": 1.0}}))), "other"),
    ("text as score", lambda: ge.evaluate(QRELS, {"q1": {"d1": "1.5"}}, "RR"), "expected numbers as scores"),
    ("no patience", lambda: ge.measures.MEASURES.parse("RBP(p=1)"), "between 0 and 0.999999 for p"),
    ("everything relevant", lambda: ge.measures.MEASURES.parse("P(rel=0)@5"), "P: expected a number above 0 for rel"),
    ("a geometric mean", lambda: ge.measures.MEASURES.parse("gm_map"), "--aggregate gm"),
    ("gains beyond numbers",
     lambda: ge.evaluate({"q1": {"d1": 2000}}, {"q1": {"d1": 1.0}}, "nDCG(gain=exp)"), "too large"),
    ("a run without a measure", lambda: ge.evaluate(QRELS, {"q1": {"d1": 1.0}}, "RR")["run"], "expected a run and"),  # type: ignore[index]
]  # fmt: skip


@pytest.mark.parametrize(("name", "call", "message"), SLIPS, ids=[name for name, _, _ in SLIPS])
def test_slips_are_errors(name: str, call: Callable[[], object], message: str) -> None:
    with pytest.raises(GermaneError) as caught:
        call()
    assert message in str(caught.value), name


def test_ids_of_mixed_types_are_all_looked_at() -> None:
    run = {"q1": {"a": 2.0, 5: 3.0}}
    assert ge.evaluate({"q1": {"5": 1, "a": 0}}, run, "RR")["run", "RR"] == {"q1": 1.0}


def test_counts_are_summed_only_where_that_is_asked() -> None:
    scores = ge.evaluate(QRELS, {"q1": {"d1": 2.0, "d2": 1.0, "d3": 0.5}, "q2": {"d1": 1.0}}, "NumRet")
    found = {how: scores.aggregate(how)["run"]["NumRet"] for how in ("mean", "micro", "median", "min", "max")}
    assert found == {"mean": 4, "micro": 4, "median": 2, "min": 1, "max": 3}


def test_json_is_json_whatever_the_grades(tmp_path: Path) -> None:
    (tmp_path / "qrels").write_text("q1 0 d1 1e308\nq1 0 d2 1e308\n")
    (tmp_path / "run").write_text("q1 Q0 d1 1 2 t\nq1 Q0 d2 2 1 t\n")
    arguments = ["eval", str(tmp_path / "qrels"), str(tmp_path / "run"), "-m", "CG ERR", "--format", "json"]
    output = CliRunner().invoke(group, arguments).stdout
    assert json.loads(output, parse_constant=pytest.fail)["runs"][0]["mean"]["CG"] is None


def codes(run: dict[str, dict[str, float]] | str) -> set[str]:
    return {note.code for note in ge.evaluate(QRELS, run, "RR").notes}


def test_what_is_seldom_right_is_noted(tmp_path: Path) -> None:
    path = tmp_path / "ranks.run"
    path.write_text("q1 Q0 d1 1 1 t\nq1 Q0 d2 2 2 t\nq2 Q0 d1 1 1 t\nq2 Q0 d5 2 2 t\n")
    assert "rising-scores" in codes(str(path))
    path.write_text("q1 Q0 d1 1 2 t\nq1 Q0 d2 2 1 t\nq2 Q0 d1 1 1 t\nq2 Q0 d5 2 2 t\n")
    assert "rising-scores" not in codes(str(path))
    assert "no-judged-document" in codes({"q1": {"D1": 1.0}, "q2": {"D1": 1.0}})
    assert "no-judged-document" not in codes({"q1": {"d1": 1.0}})


def test_results_print_and_go_into_frames() -> None:
    run = {"q1": {"d2": 2.0, "d1": 1.0}}
    assert str(ge.explain("AP", QRELS, run, "q1")).splitlines()[-1] == "AP = 0.5 / 1 = 0.5000, with R = 1"
    assert ge.evaluate(QRELS, run, "RR").to_frame("queries").to_dict("records") == [
        {"run": "run", "query": "q1", "RR": 0.5},
        {"run": "run", "query": "q2", "RR": 0.0},
    ]


def test_between_levels_go_to_the_next_one() -> None:
    # Recall 1/2 at precision 1, recall 1 at precision 2/3; levels 0, .5, 1: nothing lies in [0, .5) but .5 itself does.
    value = ge.evaluate(
        {"q": {"a": 1, "b": 1}}, {"q": {"a": 3.0, "x": 2.0, "b": 1.0}}, "IPrecAvg(points=3, to=between)"
    )
    assert value.mean()["run"]["IPrecAvg(points=3, to=between)"] == pytest.approx(np.mean([1, 1, 2 / 3]))
