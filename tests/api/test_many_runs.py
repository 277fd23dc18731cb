"""Many runs in one call: shared between processes or not, the results, notes and errors are the same."""

import gzip
import subprocess
import sys
import threading
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import germane as ge
from germane.api.rankings import evaluation as evaluating
from germane.api.rankings import parallel_evaluation as parallel
from germane.api.rankings.run_scoring import ScoredRun, Scoring
from germane.errors import GermaneError, InputError
from germane.measures.definition import MEASURES, measure
from germane.tables.columns.threads import num_threads, one_thread
from germane.tables.rankings.judged_run import JudgedRun, Worked
from germane.tables.rankings.qrels import Qrels
from tests.conftest import ROOT

QUERIES = ["q1", "q2", "q3", "q4"]
NUM_RUNS = 14


class Started:
    """The helpers that were started in a test."""

    def __init__(self) -> None:
        self.helpers: list[Any] = []


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> Iterator[Started]:
    """Two cores, and helpers from the third run on, however little there is to do; all have ended at the end."""
    found = Started()

    class Recorded(parallel._Helper):
        def __init__(self, *arguments: Any) -> None:
            super().__init__(*arguments)
            found.helpers.append(self)

    monkeypatch.setattr(parallel, "_Helper", Recorded)
    monkeypatch.setattr(parallel, "WORTH_SECONDS", -1.0)
    monkeypatch.setattr(parallel, "num_threads", lambda: 2)
    yield found
    for helper in found.helpers:
        assert helper._process.returncode is not None
        assert helper._thread is None or not helper._thread.is_alive()


@pytest.fixture
def qrels(tmp_path: Path) -> str:
    path = tmp_path / "qrels"
    rows = [(query, f"d{i}", (i + len(query)) % 3) for query in QUERIES for i in range(12)]
    path.write_text("".join(f"{query} 0 {doc} {grade}\n" for query, doc, grade in rows))
    return str(path)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Runs that differ in what notes say of them: ties, missing and unknown topics, mixed lines, compression."""
    rng = np.random.default_rng(9)
    (tmp_path / "runs").mkdir()
    for r in range(NUM_RUNS):
        queries = [q for q in (*QUERIES, "q9") if rng.random() < 0.8] or ["q1"]
        scores = rng.integers(0, 30, (len(queries), 15))
        rows = [
            f"{q} Q0 d{i} 0 {score} tag" for q, row in zip(queries, scores, strict=True) for i, score in enumerate(row)
        ]
        text = "\n".join(rng.permutation(rows) if r % 5 == 4 else rows).encode() + b"\n"
        path = tmp_path / "runs" / f"system{r:02}.run"
        path.write_bytes(gzip.compress(text) if r % 4 == 3 else text)
    return tmp_path / "runs"


def on_one_core(monkeypatch: pytest.MonkeyPatch, *arguments: Any, **options: Any) -> ge.Scores:
    with monkeypatch.context() as patched:
        patched.setattr(parallel, "num_threads", lambda: 1)
        return ge.evaluate(*arguments, **options)


def assert_identical(one: ge.Scores, other: ge.Scores) -> None:
    for field in (each for each in fields(one) if each.compare):
        a, b = getattr(one, field.name), getattr(other, field.name)
        if isinstance(a, np.ndarray):
            assert a.dtype == b.dtype, field.name
            assert a.tobytes() == b.tobytes(), field.name
        else:
            assert a == b, field.name


WAYS: list[dict[str, Any]] = [
    {},
    {"measures": ["AP(rel=2)", "nDCG(gain=exp)@5", "bpref", "P@3", "NumRet"], "topics": "both"},
    {"measures": ["AP", "nDCG@10"], "ties": "expected"},
    {"measures": ["RR", "P@5"], "bounds": True, "ties": "worst", "score_type": "float32", "run_format": "trec"},
]


@pytest.mark.parametrize("options", WAYS, ids=lambda options: " ".join(options) or "defaults")
def test_results_and_notes_are_the_same(
    started: Started, monkeypatch: pytest.MonkeyPatch, qrels: str, folder: Path, options: dict[str, Any]
) -> None:
    alone = on_one_core(monkeypatch, qrels, folder, **options)
    assert not started.helpers
    assert_identical(ge.evaluate(qrels, folder, **options), alone)
    assert len(started.helpers) == 1
    assert {note.code for note in alone.notes} >= {"missing-queries", "unjudged-queries", "interleaved"}


def test_helpers_do_score_runs(started: Started, qrels: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    here: list[str] = []
    judge_and_score = evaluating.judge_and_score

    def recorded(qrels: Qrels, source: Any, name: str, scoring: Scoring) -> ScoredRun:
        here.append(name)
        return judge_and_score(qrels, source, name, scoring)

    monkeypatch.setattr(evaluating, "judge_and_score", recorded)
    scores = ge.evaluate(qrels, folder)
    assert [run.name for run in scores.runs] == [f"system{r:02}" for r in range(NUM_RUNS)]
    assert here[:2] == ["system00", "system01"]
    assert len(here) < NUM_RUNS


@pytest.mark.parametrize("wrong", [(0, 5), (1, 2), (3, 4), (6, 13), (13,), tuple(range(NUM_RUNS))])
def test_the_error_is_that_of_the_first_wrong_run(
    started: Started, monkeypatch: pytest.MonkeyPatch, qrels: str, folder: Path, wrong: tuple[int, ...]
) -> None:
    for r in wrong:
        (folder / f"system{r:02}.run").write_text(f"q1 Q0 d1 1 1.5 tag\nq1 Q0 d2 2 number{r} tag\n")
    with pytest.raises(InputError) as alone:
        on_one_core(monkeypatch, qrels, folder)
    with pytest.raises(InputError) as shared:
        ge.evaluate(qrels, folder)
    assert str(shared.value) == str(alone.value)
    assert f"system{wrong[0]:02}.run:2" in str(shared.value)


def test_what_no_other_process_can_read_is_scored_here(
    started: Started, monkeypatch: pytest.MonkeyPatch, qrels: str, folder: Path
) -> None:
    files: list[Any] = sorted(map(str, folder.iterdir()))
    runs = [*files[:3], {"q1": {"d1": 1.0, "d4": 0.5}}, *files[3:9], {"q2": {"d2": 1.0}}, *files[9:]]
    assert_identical(ge.evaluate(qrels, runs), on_one_core(monkeypatch, qrels, runs))
    assert started.helpers
    with pytest.raises(InputError, match="nan"):
        ge.evaluate(qrels, [*runs[:-1], {"q1": {"d1": float("nan")}}])


def test_a_measure_of_ones_own_is_worked_out_here(started: Started, qrels: str, folder: Path) -> None:
    @measure("Found", bounds=(0, float("inf")))
    def found(run: JudgedRun) -> Worked:
        """How many judged documents were retrieved."""
        return Worked(run.judged(), np.ones(len(run.judged().index)))

    try:
        found_by_query = ge.evaluate(qrels, folder, ["Found"])["system00", "Found"]
    finally:
        MEASURES.unregister("Found")
    assert set(found_by_query.values()) == {0.0, 12.0}  # all that is judged, unless the run lacks the query
    assert not started.helpers


def test_progress_counts_every_run_in_the_thread_that_called(started: Started, qrels: str, folder: Path) -> None:
    calls: list[tuple[int, int | None, bool]] = []
    ge.evaluate(
        qrels, folder, progress=lambda d, n: calls.append((d, n, threading.current_thread() is threading.main_thread()))
    )
    assert calls == [(done, NUM_RUNS, True) for done in range(1, NUM_RUNS + 1)]


def test_an_interrupt_leaves_no_process_behind(started: Started, qrels: str, folder: Path) -> None:
    def interrupt(done: int, _: int | None) -> None:
        if done == 5:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        ge.evaluate(qrels, folder, progress=interrupt)
    assert started.helpers  # that they have ended is asserted by the fixture


DEATHS = {
    "before it begins": "sys.exit(3)",
    "with a run in hand": "[pickle.load(sys.stdin.buffer) for _ in range(2)]; sys.exit(3)",
    "in the middle of an answer": "os.write(1, pickle.dumps((1, None))[:-3]); sys.exit(3)",
}


@pytest.mark.parametrize("death", DEATHS)
def test_a_helper_that_dies_costs_time_and_not_the_result(
    started: Started, monkeypatch: pytest.MonkeyPatch, qrels: str, folder: Path, death: str
) -> None:
    monkeypatch.setattr(parallel, "HELPER", "import os, pickle, sys; sys.path[:] = {path!r}; " + DEATHS[death])
    with pytest.warns(RuntimeWarning, match="ended with status 3; its runs were scored in the main process"):
        shared = ge.evaluate(qrels, folder)
    assert_identical(shared, on_one_core(monkeypatch, qrels, folder))


def test_without_room_for_a_process_the_work_is_done_here(
    started: Started, monkeypatch: pytest.MonkeyPatch, qrels: str, folder: Path
) -> None:
    def no_room(*_: Any, **__: Any) -> None:
        raise BlockingIOError("no more processes")

    monkeypatch.setattr("subprocess.Popen", no_room)
    with pytest.warns(RuntimeWarning, match="could not start a helper process: no more processes"):
        shared = ge.evaluate(qrels, folder)
    assert_identical(shared, on_one_core(monkeypatch, qrels, folder))


def test_little_work_starts_no_process(
    started: Started, monkeypatch: pytest.MonkeyPatch, qrels: str, folder: Path
) -> None:
    monkeypatch.setattr(parallel, "WORTH_SECONDS", 60.0)
    ge.evaluate(qrels, folder)
    monkeypatch.setattr(parallel, "WORTH_SECONDS", -1.0)
    ge.evaluate(qrels, sorted(map(str, folder.iterdir()))[:5])  # three are left when it could be known: too few
    assert not started.helpers


def test_large_files_start_helpers_before_the_judgments_are_read(
    started: Started, monkeypatch: pytest.MonkeyPatch, qrels: str, folder: Path
) -> None:
    alone = on_one_core(monkeypatch, qrels, folder)
    monkeypatch.setattr(parallel, "WORTH_BYTES", 0)
    assert_identical(ge.evaluate(qrels, folder), alone)
    assert_identical(ge.evaluate(qrels, sorted(map(str, folder.iterdir()))), alone)
    assert len(started.helpers) == 2
    with pytest.raises(InputError, match="no such file"):
        ge.evaluate(f"{qrels}.lost", folder)
    assert len(started.helpers) == 3  # which the fixture finds ended
    ge.evaluate(qrels, sorted(map(str, folder.iterdir()))[:3])
    assert len(started.helpers) == 3


@pytest.mark.parametrize("executable", ["", "/opt/notebook/app", "/usr/sbin/uwsgi"])
def test_where_python_is_part_of_another_program_no_process_is_started(
    started: Started, monkeypatch: pytest.MonkeyPatch, qrels: str, folder: Path, executable: str
) -> None:
    monkeypatch.setattr(sys, "executable", executable)
    ge.evaluate(qrels, folder)
    assert not started.helpers


def test_a_script_needs_no_guard(qrels: str, folder: Path, tmp_path: Path) -> None:
    """A script that calls at its top level, as people write them, runs once."""
    script = tmp_path / "script.py"
    script.write_text(
        "import sys\n"
        f"sys.path.insert(0, {str(ROOT / 'src')!r})\n"
        "import germane as ge\n"
        "from germane.api.rankings import parallel_evaluation as parallel\n"
        "parallel.WORTH_SECONDS, parallel.num_threads = -1.0, lambda: 3\n"
        f"print(len(ge.evaluate({qrels!r}, {str(folder)!r}).runs))\n"
    )
    done = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, check=False, cwd=tmp_path)
    assert (done.stdout, done.stderr) == (f"{NUM_RUNS}\n", "")


def test_a_folder_is_the_files_in_it(qrels: str, folder: Path) -> None:
    (folder / ".hidden").touch()
    scores, listed = ge.evaluate(qrels, folder), ge.evaluate(qrels, sorted(p for p in folder.iterdir() if p.suffix))
    assert scores.runs == listed.runs
    assert scores.values.tobytes() == listed.values.tobytes()
    note, *others = scores.notes
    assert (note.code, note.count, note.examples) == ("hidden-files", 1, (".hidden",))
    assert tuple(others) == listed.notes


def test_a_file_of_a_folder_that_is_no_run_is_an_error(qrels: str, folder: Path) -> None:
    (folder / "README").write_text("These are our runs.\n")
    with pytest.raises(InputError, match=r"runs.README:1: expected a run, found 4 fields: 'These are our runs\.'"):
        ge.evaluate(qrels, folder)


def test_a_folder_has_no_single_name(qrels: str, folder: Path) -> None:
    with pytest.raises(GermaneError, match="expected a file or a table in parts, found a folder"):
        ge.evaluate(qrels, {"mine": folder})


def test_a_thread_that_works_alone_counts_one_core() -> None:
    before = num_threads()
    with one_thread():
        with one_thread():
            assert num_threads() == 1
        assert num_threads() == 1
    assert num_threads() == before
