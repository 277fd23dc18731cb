"""The same run as a Parquet file, against libraries that read its columns or rank it."""

from __future__ import annotations

import json
import sys
from pathlib import Path

from benchmarks.measure_process import Task, measure
from benchmarks.other_readers import has
from benchmarks.parts.settings import Settings, eval_command, means_of, part_of, require_same, row_of
from benchmarks.results import Part


def parquet(settings: Settings) -> Part | None:
    """The run as a Parquet file, against pyarrow reading its columns and polars ranking it."""
    if not has("pyarrow"):
        return None
    text_qrels = settings.files.qrels(settings.workload)
    qrels, run = settings.files.parquet_qrels(settings.workload), settings.files.parquet_run(settings.workload)
    tasks = [Task("germane", [eval_command(text_qrels, run)]), _reading("pyarrow", run)]
    tasks += [_reading("polars", run, qrels)] if has("polars") else []
    measured = measure(tasks, settings.rounds)
    means = means_of(measured["germane"].outputs[0])
    found = {name: json.loads(each.outputs[0]) for name, each in measured.items() if name != "germane"}
    if found["pyarrow"]["rows"] != settings.workload.lines:
        raise SystemExit("pyarrow read other rows than were made")
    if "polars" in found:
        require_same([("polars", found["polars"]), ("germane", means)])
    labels = {
        "germane": "germane eval",
        "pyarrow": "pyarrow, reading three columns",
        "polars": "polars, ranking and RR only",
    }
    rows = [row_of(name, labels[name], each) for name, each in measured.items()]
    return part_of(settings, f"The same run as Parquet, {run.stat().st_size / 1e6:.0f} MB: whole process", rows)


def _reading(way: str, *files: Path) -> Task:
    return Task(way, [[sys.executable, "-m", "benchmarks.other_readers", way, *map(str, files)]])
