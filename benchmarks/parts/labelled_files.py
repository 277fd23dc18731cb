"""Files of labels and scores, against pandas reading them; and a scorer, against scikit-learn's."""

from __future__ import annotations

import json
import sys
import tempfile
import timeit
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.measure_process import Task, measure
from benchmarks.other_readers import has
from benchmarks.parts.settings import SAME, Settings, germane_command, part_of, row_of
from benchmarks.results import Part, Row

SCORED_ROWS = 1_000
TURNS, CALLS_IN_TURN = 5, 100
GROWN = 4


def labelled_files(settings: Settings) -> Part | None:
    """A CSV file and a Parquet file of labels and scores as whole processes, and a CSV file four times as long."""
    if not has("pyarrow"):
        return None
    sizes = {"": settings.labels, f", {GROWN} times": GROWN * settings.labels}
    with tempfile.TemporaryDirectory(dir=settings.files.qrels(settings.workload).parent) as folder:
        files = {(size, kind): Path(folder) / f"{rows}.{kind}" for size, rows in sizes.items() for kind in KINDS}
        for (size, kind), path in files.items():
            if not size or kind == "csv":
                write_labels(path, sizes[size])
        ways = {
            f"{how} {kind}{size}": Task(f"{how} {kind}{size}", [_classify(path, *more)])
            for how, more in (("classify", ()), ("stream", ("--stream",)))
            for (size, kind), path in files.items()
            if path.exists()
        }
        if has("pandas"):
            other = [sys.executable, "-m", "benchmarks.other_readers", "pandas", str(files["", "csv"])]
            ways["pandas"] = Task("pandas", [other])
        first = measure([task for name, task in ways.items() if "times" not in name], settings.rounds)
        measured = first | measure([task for name, task in ways.items() if "times" in name], 1)
    for size, rows in sizes.items():
        _require_same(
            {name: each.outputs[0] for name, each in measured.items() if ("times" in name) == bool(size)}, rows
        )
    found: list[Row] = []
    for name, each in measured.items():
        row = row_of(name, _label(name), each, sizes[f", {GROWN} times" if "times" in name else ""])
        found.append(row if name == "classify csv" else replace(row, lines=row.lines if "times" in name else None))
    return part_of(settings, f"{settings.labels:,} labels and scores in a file: whole process", found)


def write_labels(path: Path, rows: int) -> None:
    """Write ids, labels and scores with six digits."""
    import pyarrow as pa
    from pyarrow import csv, parquet

    random = np.random.default_rng(1)
    label = random.random(rows) < 0.2
    score = np.round(1 / (1 + np.exp(-(random.normal(size=rows) + 1.5 * label - 1))), 6)
    table = pa.table({"id": np.arange(rows), "label": label.astype(np.int64), "score": score})
    (csv.write_csv if path.suffix == ".csv" else parquet.write_table)(table, path)


KINDS = ("csv", "parquet")
LABELS = {
    "classify csv": "germane classify, CSV",
    "classify parquet": "germane classify, Parquet",
    "stream csv": "germane classify --stream, CSV",
    "stream parquet": "germane classify --stream, Parquet",
    "pandas": "pandas, reading the CSV file",
}


def _label(name: str) -> str:
    kind, comma, size = name.partition(",")
    return LABELS[kind] + comma + size.replace("times", "times as long")


def _classify(path: Path, *more: str) -> list[str]:
    return [*germane_command(), "classify", str(path), *more, "--format", "json"]


def _require_same(outputs: dict[str, str], rows: int) -> None:
    """Raise an error if rows or measures differ by more than rounding."""
    first: dict[str, Any] = {}
    for name, output in outputs.items():
        printed = json.loads(output)
        found = printed["classifiers"][0] if "classifiers" in printed else {"num_rows": printed["rows"], "overall": {}}
        if found["num_rows"] != rows:
            raise SystemExit(f"{name} read {found['num_rows']:,} rows of {rows:,}")
        for measure_name, estimate in found["overall"].items():
            value = first.setdefault(measure_name, estimate["value"])
            if abs(value - estimate["value"]) > SAME:
                raise SystemExit(f"{measure_name} is {estimate['value']} by {name}, and {value} by another way")


def scorer(settings: Settings) -> Part | None:
    """The AUC of a thousand rows, as a scorer of scikit-learn computes it for every fold of every candidate."""
    if not settings.with_sklearn:
        return None
    module = [sys.executable, "-m", "benchmarks.parts.labelled_files"]
    measured = measure([Task("scorer", [module])], settings.rounds)
    answers = [json.loads(output) for output in measured["scorer"].outputs]
    rows = []
    for name, label in (("scorer germane", "germane, AUC with its interval"), ("scorer sklearn", "roc_auc_score")):
        seconds = [second for answer in answers for second in answer[name]]
        rows.append(Row(name, label, min(seconds), seconds, against="scorer germane"))
    return part_of(settings, f"The AUC of {SCORED_ROWS:,} rows: the call alone", rows)


def _scorers() -> dict[str, Callable[[], float]]:
    from sklearn.metrics import roc_auc_score

    import germane as ge

    random = np.random.default_rng(1)
    truth = (random.random(SCORED_ROWS) < 0.3).astype(np.int64)
    score = random.normal(size=SCORED_ROWS) + truth
    return {
        "scorer germane": lambda: ge.classify(truth, y_score=score, measures=["AUC"])["AUC"].value,
        "scorer sklearn": lambda: float(roc_auc_score(truth, score)),
    }


def _main() -> None:
    ways = _scorers()
    ours, theirs = (way() for way in ways.values())
    if abs(ours - theirs) > SAME:
        raise SystemExit(f"the AUC is {ours} by germane and {theirs} by scikit-learn")
    seconds: dict[str, list[float]] = {name: [] for name in ways}
    for _ in range(TURNS):
        for name, way in ways.items():
            seconds[name].append(round(timeit.timeit(way, number=CALLS_IN_TURN) / CALLS_IN_TURN, 7))
    json.dump(seconds, sys.stdout)


if __name__ == "__main__":
    _main()
