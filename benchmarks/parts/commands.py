"""Other ways to the same data: the drop-in for trec_eval, checks and conversions."""

from __future__ import annotations

import sys
import tempfile
from dataclasses import replace
from pathlib import Path

from benchmarks import trec_eval_c
from benchmarks.measure_process import Measured, Task, measure
from benchmarks.other_readers import has
from benchmarks.parts.settings import (
    Settings,
    eval_task,
    germane_command,
    means_of,
    part_of,
    require_same,
    row_of,
)
from benchmarks.results import Part, Row

TREC_EVAL = {
    # row: options, how the rows are labelled
    "two": (["-m", "map", "-m", "ndcg_cut.10"], "-m map -m ndcg_cut.10"),
    "all": (["-q", "-m", "all_trec"], "-q -m all_trec"),
}
VERSION = ["--trec-version", "9"]
"""The version of trec_eval that pytrec_eval embeds; it prints other digits than version 10 does."""


def trec_eval(settings: Settings) -> Part | None:
    """The drop-in against trec_eval itself, every byte compared."""
    if not trec_eval_c.available():
        print("  left out: trec_eval needs pytrec_eval and a C compiler here")
        return None
    files = [str(settings.files.qrels(settings.workload)), str(settings.files.run(settings.workload))]
    rows: list[Row] = []
    with tempfile.TemporaryDirectory() as folder:
        library = str(trec_eval_c.compile_main(Path(folder)))
        peer = [sys.executable, "-m", "benchmarks.trec_eval_c", "--library", library]
        for name, (options, label) in TREC_EVAL.items():
            tasks = [
                Task(f"{name} germane", [[*germane_command(), "trec_eval", *VERSION, *options, *files]]),
                Task(f"{name} trec_eval", [[*peer, *options, *files]]),
            ]
            measured = measure(tasks, settings.rounds)
            if len({output for each in measured.values() for output in each.outputs}) > 1:
                raise SystemExit(f"germane trec_eval {label} prints other bytes than trec_eval")
            labels = [f"germane trec_eval {' '.join(VERSION)} {label}", "trec_eval 9"]
            rows += _group(measured, dict(zip(measured, labels, strict=True)))
    return part_of(settings, f"trec_eval, {settings.workload.lines:,} lines: whole process", rows)


def check(settings: Settings) -> Part | None:
    """Check the whole file; memory is compared with that of an evaluation."""
    qrels, run = settings.files.qrels(settings.workload), settings.files.run(settings.workload)
    measured = measure(
        [Task("check", [[*germane_command(), "check", str(run)]]), eval_task("eval", qrels, run)], settings.rounds
    )
    if f"{settings.workload.queries} queries" not in measured["check"].outputs[0].replace(",", ""):
        raise SystemExit("germane check found other queries than were made")
    rows = [row_of("check", "germane check", measured["check"]), row_of("eval", "germane eval", measured["eval"])]
    return part_of(settings, f"Checking {settings.workload.lines:,} lines: whole process", rows)


def convert(settings: Settings) -> Part | None:
    """Text to Parquet and back, as whole processes."""
    if not has("pyarrow"):
        return None
    qrels, run = settings.files.qrels(settings.workload), settings.files.run(settings.workload)
    with tempfile.TemporaryDirectory(dir=run.parent) as folder:
        columns, text = Path(folder) / "run.parquet", Path(folder) / "back.run"
        tasks = [_conversion("to parquet", run, columns), _conversion("to text", columns, text)]
        measured = measure(tasks, settings.rounds)
        evaluated = measure([eval_task(path.name, qrels, path) for path in (run, columns, text)], rounds=1, quiet=True)
    require_same([(name, means_of(each.outputs[0])) for name, each in evaluated.items()])
    labels = {"to parquet": "germane convert, text to Parquet", "to text": "germane convert, Parquet to text"}
    rows = [row_of(name, label, measured[name]) for name, label in labels.items()]
    return part_of(settings, f"Converting {settings.workload.lines:,} lines: whole process", rows)


def _conversion(name: str, source: Path, target: Path) -> Task:
    return Task(name, [[*germane_command(), "convert", str(source), str(target), "--overwrite"]])


def _group(measured: dict[str, Measured], labels: dict[str, str]) -> list[Row]:
    """Rows that are compared with the first of them."""
    first = next(iter(measured))
    return [replace(row_of(name, labels[name], each), against=first) for name, each in measured.items()]
