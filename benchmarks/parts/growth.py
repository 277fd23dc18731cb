"""How commands grow with their input: those that read a run part by part to sixteen times the size, others to four.

An entry of `GROWING` says how to make an input of a size and what to run on it. Each is a whole process; what a command
prints on four times the data is not compared here, but in the parts on that command.
"""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from benchmarks.many_runs import make_folder
from benchmarks.measure_process import Task, measure
from benchmarks.other_readers import has
from benchmarks.parts.rankings import FEW_REPORTED
from benchmarks.parts.settings import Settings, eval_command, eval_task, germane_command, part_of, row_of
from benchmarks.results import Part, Row
from benchmarks.retrieval import texts
from benchmarks.workloads import Workload

ANEW = "import os, shutil, sys; shutil.rmtree(sys.argv[1], ignore_errors=True); os.execv(sys.argv[2], sys.argv[2:])"
"""Python code that removes a folder and runs the following command, which makes it."""


@dataclass(frozen=True)
class Growing:
    """A command that is tried on larger and larger input, counted in lines."""

    label: str
    sizes: Callable[[Settings], list[int]]
    command: Callable[[Settings, int, Path], list[str]]
    """The command for a size; it makes the input, in a folder of its own."""
    needs: str | None = None
    """A library without which it is left out."""


def growth(settings: Settings) -> Part | None:
    """Longer and longer files, grouped by query: time should grow linearly, memory should not grow."""
    tasks = [
        eval_task(f"{each.lines}", settings.files.qrels(each), settings.files.run(each)) for each in settings.growing
    ]
    measured = measure(tasks, settings.rounds)
    rows = [
        row_of(f"{each.lines}", f"germane, {each.lines:,} lines", measured[f"{each.lines}"], each.lines)
        for each in settings.growing
    ]
    return part_of(settings, "Longer and longer files, grouped by query: whole process", rows)


def growth_of_others(settings: Settings) -> Part | None:
    """Other formats and other commands on larger and larger input: time should grow linearly; memory is stated."""
    rows: list[Row] = []
    for name, work in GROWING.items():
        if work.needs is not None and not has(work.needs):
            continue
        sizes = work.sizes(settings)
        with tempfile.TemporaryDirectory(dir=settings.files.qrels(settings.workload).parent) as own_folder:
            tasks = []
            for size in sizes:
                folder = Path(own_folder) / f"{size}"
                folder.mkdir()
                tasks.append(Task(f"{name} {size}", [work.command(settings, size, folder)]))
            measured = measure(tasks, settings.rounds)
        rows += [row_of(task.name, f"germane {work.label}, {size:,} lines", measured[task.name], size)
                 for task, size in zip(tasks, sizes, strict=True)]  # fmt: skip
    return part_of(settings, "Larger and larger input, other formats and commands: whole process", rows)


# Runs ------------------------------------------------------------------------------------------------------------


def _to_sixteen_times(settings: Settings) -> list[int]:
    return [each.lines for each in settings.growing[:3]]


def _workload(settings: Settings, lines: int) -> Workload:
    return next(each for each in settings.growing if each.lines == lines)


def _eval_parquet(settings: Settings, lines: int, _: Path) -> list[str]:
    size = _workload(settings, lines)
    return eval_command(settings.files.qrels(size), settings.files.parquet_run(size))


def _eval_csv(settings: Settings, lines: int, folder: Path) -> list[str]:
    """The same rows as the text, with a header."""
    size = _workload(settings, lines)
    run = folder / "run.csv"
    with settings.files.run(size).open("rb") as source, run.open("wb") as target:
        target.write(b"qid,docno,score\n")
        for line in source:
            query, _, doc, _, score, _ = line.split()
            target.write(b"%b,%b,%b\n" % (query, doc, score))
    return eval_command(settings.files.qrels(size), run)


def _trec_eval(settings: Settings, lines: int, _: Path) -> list[str]:
    size = _workload(settings, lines)
    return [
        *germane_command(),
        "trec_eval",
        "-m",
        "map",
        *map(str, (settings.files.qrels(size), _run(settings, lines))),
    ]


def _check(settings: Settings, lines: int, _: Path) -> list[str]:
    return [*germane_command(), "check", str(_run(settings, lines))]


def _convert(settings: Settings, lines: int, folder: Path) -> list[str]:
    return [*germane_command(), "convert", str(_run(settings, lines)), str(folder / "run.parquet"), "--overwrite"]


def _run(settings: Settings, lines: int) -> Path:
    return settings.files.run(_workload(settings, lines))


def _lines_reported(settings: Settings) -> list[int]:
    runs, queries, depth = settings.reported_runs
    return [min(runs, FEW_REPORTED) * times * queries * depth for times in (1, 4)]


def _report(settings: Settings, lines: int, folder: Path) -> list[str]:
    """The same number of runs of the same depth, on more queries."""
    runs, _, depth = settings.reported_runs
    runs = min(runs, FEW_REPORTED)
    qrels, run_folder = make_folder(folder, runs, lines // runs // depth, depth)
    files = map(str, sorted(run_folder.iterdir()))
    return [*germane_command(), "report", str(qrels), *files, "-o", str(folder / "page.html")]


# Labels and documents --------------------------------------------------------------------------------------------


def _labels(settings: Settings) -> list[int]:
    return [settings.labels // 4, settings.labels]


def _classify(_: Settings, rows: int, folder: Path) -> list[str]:
    """A CSV file of labels and scores, whose digits are those of 64-bit numbers."""
    rng = np.random.default_rng(1)
    data = folder / "labels.csv"
    with data.open("w") as file:
        file.write("truth,score\n")
        for begin in range(0, rows, 1_000_000):
            truth = rng.random(min(1_000_000, rows - begin)) < 0.2
            scores = (rng.normal(size=len(truth)) + truth).round(6)
            file.writelines(f"{label:d},{score}\n" for label, score in zip(truth, scores.tolist(), strict=True))
    return [*germane_command(), "classify", str(data), "--truth", "truth", "--score", "score", "--positive", "1",
            "-m", "AUC", "--format", "json"]  # fmt: skip


def _documents(settings: Settings) -> list[int]:
    return [settings.documents // 4, settings.documents]


def _index(_: Settings, documents: int, folder: Path) -> list[str]:
    """A file with one document per line."""
    source, index = folder / "documents.jsonl", folder / "index"
    with source.open("w") as file:
        for number, text in enumerate(texts(documents)):
            file.write(json.dumps({"id": f"d{number}", "text": text}) + "\n")
    return [sys.executable, "-c", ANEW, str(index), *germane_command(), "index", str(index), str(source)]


GROWING = {
    "parquet": Growing("eval, Parquet", _to_sixteen_times, _eval_parquet, needs="pyarrow"),
    "csv": Growing("eval, CSV", _to_sixteen_times, _eval_csv),
    "trec_eval": Growing("trec_eval", _to_sixteen_times, _trec_eval),
    "check": Growing("check", _to_sixteen_times, _check),
    "convert": Growing("convert, text to Parquet", _to_sixteen_times, _convert, needs="pyarrow"),
    "classify": Growing("classify, CSV", _labels, _classify),
    "report": Growing("report", _lines_reported, _report, needs="vl_convert"),
    "index": Growing("index", _documents, _index),
}
"""What grows, by the names of its rows; the bars on it are in benchmarks/bars.py."""
STREAMED = ("parquet", "csv", "trec_eval", "check", "convert")
"""Work whose memory must not grow with the lines; the rest holds what it works on."""
