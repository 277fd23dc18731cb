"""Labels and scores, against scikit-learn."""

from __future__ import annotations

import json
import sys
import tempfile
from pathlib import Path

from benchmarks.classify import BOOTSTRAPPED_ROWS, RESAMPLES, STREAMED_ROWS, stream_arguments, write_stream
from benchmarks.measure_process import Task, measure
from benchmarks.parts.settings import CALLS, SAME, Settings, germane_command, part_of, row_of
from benchmarks.resampling import farthest_end
from benchmarks.results import Part, Row

CLASSIFY = {
    # way: by germane, by its peer, and the share of all rows that it is given
    "auc": ("AUC of {rows:,} scores", "sklearn", "roc_auc_score", 1),
    "curves": (
        "ROC, PR, DET and every rate at all of {rows:,} scores",
        "sklearn",
        "roc_curve + precision_recall_curve",
        10,
    ),
    "integers": ("confusion matrix of {rows:,} integers", "sklearn", "confusion_matrix", 1),
    "objects": ("confusion matrix of {rows:,} texts, object array", "sklearn", "confusion_matrix", 10),
    "lists": ("confusion matrix of {rows:,} texts, list", "sklearn", "confusion_matrix", 10),
    "fixed width": ("confusion matrix of {rows:,} texts, fixed width", "sklearn", "confusion_matrix", 10),
}


def classify(settings: Settings) -> Part | None:
    """Labels and scores in memory, against scikit-learn; with --large also a file read in parts."""
    compared = {
        way: (
            f"germane, {what.format(rows=settings.labels // share)}",
            peer,
            f"scikit-learn, {call}",
            settings.labels // share,
        )
        for way, (what, peer, call, share) in CLASSIFY.items()
    }
    f1_label = f"germane, interval of F1, {RESAMPLES:,} resamples of {BOOTSTRAPPED_ROWS:,} rows"
    compared["f1"] = (f1_label, "scipy", "scipy bootstrap of scikit-learn's f1_score", BOOTSTRAPPED_ROWS)
    rows: list[Row] = []
    module = [sys.executable, "-m", "benchmarks.classify"]
    for way, (label, peer, peer_label, size) in compared.items():
        names = {f"{way} germane": label, **({f"{way} {peer}": peer_label} if settings.with_sklearn else {})}
        calls = {name: 1 if name == "f1 scipy" else CALLS for name in names}
        tasks = [Task(name, [[*module, name, str(size), str(calls[name])]]) for name in names]
        measured = measure(tasks, settings.rounds)
        answers = {name: [json.loads(output) for output in measured[name].outputs] for name in names}
        _require_near({name: each[0]["found"] for name, each in answers.items()}, exactly=way != "f1")
        for name, each in answers.items():
            seconds = [round(second, 6) for one in each for second in one["seconds"]]
            rows.append(Row(name, names[name], min(seconds), seconds, against=f"{way} germane"))
    if settings.large:
        rows.append(_streamed(settings))
    return part_of(settings, "Labels and scores in memory: the call that evaluates", rows)


def _streamed(settings: Settings) -> Row:
    """A file that may be larger than memory; measures the whole process."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "stream.parquet"
        print(f"  writing {STREAMED_ROWS:,} rows", flush=True)
        write_stream(path, STREAMED_ROWS)
        measured = measure([Task("stream", [[*germane_command(), *stream_arguments(path)]])], rounds=1)
    return row_of(
        "stream",
        f"germane classify --stream, a Parquet file of {STREAMED_ROWS:,} rows",
        measured["stream"],
        STREAMED_ROWS,
    )


def _require_near(found: dict[str, list[float]], *, exactly: bool) -> None:
    """Raise an error if results differ by more than rounding or random resampling explains."""
    if len(found) < 2:
        return
    (ours, first), (theirs, second) = found.items()
    apart = max(abs(a - b) for a, b in zip(first, second, strict=True)) if exactly else farthest_end(first, second)
    if apart > (SAME if exactly else 6 / RESAMPLES**0.5):
        raise SystemExit(f"{ours} and {theirs} found results that lie {apart:g} apart")
