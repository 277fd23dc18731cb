"""Errors and notes that are seldom met, each provoked."""

from __future__ import annotations

import contextlib
import csv
import os
import sys
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import germane as ge
from docs.examples import registry_restored, run_germane
from germane.api.files.file_types import recognise
from germane.api.reports.costs import read_costs
from germane.errors import GermaneError
from germane.exercises.answers import read_answers
from germane.exercises.sheet import sheet_in
from germane.formats.files.part_folders import Parts
from germane.formats.truth.judgments_file import write_events
from germane.judging.store.connection import Database
from germane.judging.store.journal import Journal
from germane.learning import parse_strategy
from germane.measures import MEASURES
from germane.retrieval import FUSION, Index
from germane.tables.truth.judgments import JudgmentEvent
from tests.errors.provoking import provoked

RUN = {"q1": {"d1": 2.0, "d2": 1.0}}


@pytest.fixture(autouse=True)
def _in_an_empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def written(name: str, content: str | bytes) -> Path:
    Path(name).write_bytes(content.encode() if isinstance(content, str) else content)
    return Path(name)


def streamed_decisions() -> None:
    ge.classify(written("items.csv", "truth,predicted\na,a\nb,a\n"), stream=True, threshold=0.5, positive="a")


def without_worked() -> None:
    with registry_restored():

        @ge.measure("Bare", bounds=(0, 1))
        def bare(run: ge.JudgedRun) -> Any:
            """An array, where a Worked is wanted."""
            return np.ones(run.num_queries)

        ge.evaluate({"q1": {"d1": 1}}, RUN, "Bare")


def parts_of(**columns: Any) -> None:
    """Evaluate a folder of two part files, of which the second has other columns."""
    pa, parquet = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    rows = {"query": ["q1"], "doc": ["d1"], "score": [1.0]}
    Path("run").mkdir()
    parquet.write_table(pa.table(rows), "run/part-0.parquet")
    parquet.write_table(pa.table(rows | columns), "run/part-1.parquet")
    ge.evaluate({"q1": {"d1": 1}}, "run", "AP")


def parts_at_different_depths() -> None:
    for name in ("run/part-0.csv", "run/lang=en/part-1.csv"):
        Path(name).parent.mkdir(parents=True, exist_ok=True)
        written(name, "qid,docno,score\nq1,d1,1\n")
    ge.evaluate({"q1": {"d1": 1}}, Parts("run"), "AP")


def nothing_on_a_pipe() -> None:
    """A pipe is copied to a file, which the error does not name."""
    os.mkfifo("pipe")
    writer = threading.Thread(target=lambda: Path("pipe").write_bytes(b"\x00\x01\x02"))
    writer.start()
    try:
        ge.evaluate({"q1": {"d1": 1}}, "pipe", "AP")
    finally:
        writer.join()


def contradicting_journal() -> None:
    Journal(written("events.jsonl", '{"event": "e1", "grade": 1}\n{"event": "e1", "grade": 2}\n')).catch_up([])


def schema_that_is_bytes() -> None:
    """SQLite quotes what it cannot read, and the quotation is not text."""
    import sqlite3

    Database("project.db").close()
    with contextlib.closing(sqlite3.connect("project.db")) as connection:
        connection.execute("PRAGMA writable_schema = ON")
        connection.execute("UPDATE sqlite_master SET name = CAST(X'ff' AS TEXT), sql = 'CREATE' WHERE name = 'events'")
        connection.commit()
    Database("project.db")


def scores() -> ge.Scores:
    return ge.evaluate({"q1": {"d1": 1}, "q2": {"d1": 1}}, {"a": {**RUN, "q2": RUN["q1"]}, "b": RUN}, "AP")


def classified() -> Any:
    return ge.classify([0, 1, 1, 0, 1], y_score=[0.1, 0.8, 0.4, 0.3, 0.9])


test_beside_a_result = provoked(
    [
        ("compare: expected a result alone, found `measures` beside it", lambda: ge.compare(scores(), measures="RR")),
        ("plot: expected a result alone, found `measures`", lambda: ge.plot("forest", scores(), measures="RR")),
        ("report: expected a result alone, found `measures`", lambda: ge.report(scores(), "x.html", measures="RR")),
        ("compare: expected a result alone, found `y_pred`", lambda: ge.compare(classified(), y_pred={"a": [1]})),
        ("explain: expected a result alone, found `run`", lambda: classified().explain("AP", run="a")),
        ("explain: expected a result alone, found `query`", lambda: classified().explain("AP", query="2")),
        ("NMI has no breakdown, because it is not a measure of classes", lambda: classified().explain("NMI")),
        ("AP[macro]: scores of one class have one value of AP", lambda: classified().explain("AP[macro]")),
        ("expected digits to be an integer from 0 to 17, found -1", lambda: scores().to_latex(digits=-1)),
        ("expected digits to be an integer from 0 to 17, found 18", lambda: scores().to_csv(digits=18)),
    ]
)


def test_what_the_system_refuses_is_no_crash() -> None:
    written("qrels.txt", "q1 0 d1 1\n")
    written("a.run", "q1 Q0 d1 1 2.0 a\n")
    text, status = run_germane(["eval", "qrels.txt", "a.run", "--all-tables", "a.run"])
    assert (status, text.splitlines()[-1]) == (2, "germane: a.run: File exists")


test_seldom_said = provoked(
    [
        ("rrf: expected nothing after @, found '10'", lambda: FUSION.parse("rrf@10")),
        ("expected a fusion method such as rrf or rrf(k=10), found 'rrf[macro]'", lambda: FUSION.parse("rrf[macro]")),
        ("expected a measure such as nDCG@10 or AP(rel=2), found 'n DCG'", lambda: MEASURES.parse("n DCG")),
        ("unknown option of fuse 'deep'", lambda: parse_strategy("fuse(rrf, BM25, QL, deep=3)")),
        ("expected an index in a folder, found one in memory", lambda: Index.of({"d1": "wine"}).merge()),
        (
            "q.csv:2: expected text, found byte 0x00",
            lambda: ge.read_qrels(written("q.csv", 'query,doc,rel\n"q",\0,1\n')),
        ),
        ("q.csv:2: expected text, found byte 0x00", lambda: ge.read_qrels(written("q.csv", "query,doc,rel\nq,\0,1\n"))),
        ("run: expected the same column types in all parts: ", lambda: parts_of(score=["high"])),
        ("run/part-1.parquet: expected a score in every row, found none (null)", lambda: parts_of(score=[None])),
        (
            "run: expected key=value folders with the same keys for all files, found lang and none",
            parts_at_different_depths,
        ),
        ("pipe:1: expected text, found byte 0x00", nothing_on_a_pipe),
        ("events.jsonl:2: event 'e1' differs from the one in the database", contradicting_journal),
        ("project.db: the database of a judging project is damaged: text that is not UTF-8", schema_that_is_bytes),
        ("`threshold=` cannot be combined with predicted labels", streamed_decisions),
        ("invalid Parquet file", lambda: recognise(written("a.parquet", b"PAR1 and no more"))),
        (
            "costs.csv: expected UTF-8, found byte 0xff",
            lambda: read_costs(written("costs.csv", b"run,ms\na,\xff\n"), ["a"]),
        ),
        ("expected Bare to return a Worked, found ndarray", without_worked),
    ]
)


def test_a_sheet_of_a_topic_that_there_is_not(tmp_path: Path) -> None:
    status = run_germane(["exercise", "make", "AP", "-o", "sheet.md"])[1]
    assert status == 0
    text = Path("sheet.md").read_text(encoding="utf-8")
    with pytest.raises(GermaneError, match=r"sheet\.md:\d+: .*nonsense"):
        sheet_in(text.replace('"topics": ["AP"]', '"topics": ["nonsense"]'), "sheet.md")


def test_cells_without_an_end() -> None:
    limit = csv.field_size_limit(1000)  # of the whole process
    try:
        with pytest.raises(GermaneError, match="cannot be read as CSV: field larger than field limit"):
            read_costs(written("costs.csv", "run,ms\na," + "1" * 2000), ["a"])
        with pytest.raises(GermaneError, match="cannot split the line into cells: field larger than field limit"):
            read_answers("student,1\nann," + "1" * 2000, "class.csv")
    finally:
        csv.field_size_limit(limit)


def test_topics_that_find_nothing_are_counted() -> None:
    ge.index("library", {"d1": "red wine", "d2": "white wine", "d3": "red rose", "d4": "old oak"})
    topics = {"1": "wine", "2": "red", "3": "oak rose", "4": "zebra"}
    judged = {"1": {"d1": 1, "d2": 0}, "2": {"d1": 0, "d3": 1}, "3": {"d4": 1, "d3": 0}, "4": {"d1": 1}}
    learned = ge.learn("library", topics, judged, features="cosine,BM25", folds=2)
    assert "empty-rankings" in {note.code for note in learned.notes}


def test_the_library_for_parquet_may_be_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(GermaneError, match="reading Parquet and Arrow files needs an optional library"):
        recognise(written("a.parquet", b"PAR1 and no more"))


def test_options_that_go_with_something_else() -> None:
    for name in ("one.csv", "two.csv"):
        written(name, "system,AP\na,.5\nb,.4\nc,.3\n")
    printed, status = run_germane(["correlate", "one.csv", "two.csv", "-q"])
    assert status == 2
    assert "-q requires two runs" in printed
    printed, status = run_germane(["classify", "one.csv", "--master", "yarn"])
    assert status == 2
    assert "--master requires --engine spark" in printed


def test_grades_that_are_no_whole_numbers_and_answers_that_do_not_stand() -> None:
    events = [
        JudgmentEvent("e1", "grade", "ann", "q1", "d1", 1.0, time="2026-01-01T00:00:00"),
        JudgmentEvent("e2", "grade", "ann", "q1", "d1", 2.0, time="2026-01-02T00:00:00", supersedes="e1"),
        JudgmentEvent("e3", "grade", "bob", "q1", "d1", 1.0, time="2026-01-01T00:00:00"),
        JudgmentEvent("e4", "grade", "ann", "q1", "d2", 0.5, time="2026-01-01T00:00:00"),
        JudgmentEvent("e5", "grade", "bob", "q1", "d2", 0.5, time="2026-01-01T00:00:00"),
    ]
    write_events(events, "events.jsonl")
    assert "superseded" in {note.code for note in ge.agree("events.jsonl").notes}
    assert "fractional-grades" in {note.code for note in ge.release("events.jsonl", "made", policy="median").notes}
