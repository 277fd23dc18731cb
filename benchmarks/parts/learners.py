"""Learning to rank, against scikit-learn."""

from __future__ import annotations

import json
import sys
from pathlib import Path

from benchmarks.learning import require_same_objective
from benchmarks.measure_process import Task, measure
from benchmarks.parts.settings import CALLS, SHARED, Settings, part_of, row_of
from benchmarks.results import Part, Row

LEARNED = {
    "C=.01": "Ranking SVM, C = 0.01",
    "C=1": "Ranking SVM, C = 1",
    "made": "Ranking SVM, a million made pairs",
}


def learning(settings: Settings) -> Part | None:
    """A Ranking SVM without pairs, against LinearSVC on the differences of all pairs."""
    folder = SHARED / "lambdarank"
    if not folder.exists():
        print("  skipped: no learning-to-rank rows (set GERMANE_SHARED to the folder with data/lambdarank)")
        return None
    rows: list[Row] = []
    for group, what in LEARNED.items():
        labels = {f"{group} germane": f"germane, {what}"}
        if settings.with_sklearn:
            labels |= {
                f"{group} sklearn": "scikit-learn, LinearSVC on pairs, tol=1e-8",
                f"{group} sklearn, default tol": "scikit-learn, LinearSVC on pairs, its own tolerance",
            }
        rows += _learned(settings, labels, folder)
    memory = {
        "few pairs germane": "germane, 96 thousand pairs",
        "many pairs germane": "germane, 102 million pairs, same rows",
    }
    rows += _learned(settings, memory, folder)
    return part_of(settings, "Learning to rank, real rows and made ones: the call that fits", rows)


def _learned(settings: Settings, labels: dict[str, str], folder: Path) -> list[Row]:
    module = [sys.executable, "-m", "benchmarks.learning"]
    calls = {name: 1 if "sklearn" in name else CALLS for name in labels}
    measured = measure(
        [Task(name, [[*module, name, str(folder), str(calls[name])]]) for name in labels], settings.rounds
    )
    answers = {name: [json.loads(output) for output in measured[name].outputs] for name in labels}
    if len(labels) > 2:
        require_same_objective({name: each[0]["found"][0] for name, each in answers.items() if "default" not in name})
    rows = []
    for name, label in labels.items():
        seconds = [round(second, 6) for each in answers[name] for second in each["seconds"]]
        peak = row_of(name, "", measured[name]).peak_mb
        rows.append(Row(name, label, min(seconds), seconds, peak_mb=peak, against=next(iter(labels))))
    return rows
