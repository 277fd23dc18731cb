"""Probabilities of several classes, against scikit-learn."""

from __future__ import annotations

import json
import sys

from benchmarks.many_classes import CLASSES
from benchmarks.measure_process import Task, measure
from benchmarks.parts.settings import CALLS, SAME, Settings, part_of
from benchmarks.results import Part, Row

COMPARED = {
    # way: by germane, by its peer
    "every": ("all of these measures of {rows:,} items × {classes} classes", "a call for each measure and average"),
    "AUC ovr": ("AUC one-versus-rest, macro and weighted", "roc_auc_score, multi_class='ovr'"),
    "AUC ovo": ("AUC one-versus-one (Hand & Till), macro and weighted", "roc_auc_score, multi_class='ovo'"),
    "AP": ("AP, macro and weighted", "average_precision_score"),
    "micro": ("AUC and AP, micro", "roc_auc_score and average_precision_score, average='micro'"),
    "losses": ("top-2 accuracy, log-loss, Brier score", "top_k_accuracy_score, log_loss, brier_score_loss"),
}


def many_classes(settings: Settings) -> Part | None:
    """Probabilities of ten classes in memory, point values, against scikit-learn."""
    size, rows = settings.labels // 10, list[Row]()
    module = [sys.executable, "-m", "benchmarks.many_classes"]
    for way, (ours, theirs) in COMPARED.items():
        names = {f"{way} germane": f"germane, {ours.format(rows=size, classes=CLASSES)}"}
        if settings.with_sklearn:
            names[f"{way} sklearn"] = f"scikit-learn, {theirs}"
        tasks = [Task(name, [[*module, name, str(size), str(CALLS)]]) for name in names]
        measured = measure(tasks, settings.rounds)
        answers = {name: [json.loads(output) for output in measured[name].outputs] for name in names}
        _require_same({name: sorted(each[0]["found"]) for name, each in answers.items()})
        for name, each in answers.items():
            seconds = [round(second, 6) for one in each for second in one["seconds"]]
            rows.append(Row(name, names[name], min(seconds), seconds, against=f"{way} germane"))
    return part_of(settings, "Probabilities of several classes in memory: the call that evaluates", rows)


def _require_same(found: dict[str, list[float]]) -> None:
    """Raise an error if results differ by more than rounding."""
    if len(found) < 2:
        return
    (ours, first), (theirs, second) = found.items()
    apart = max(abs(a - b) for a, b in zip(first, second, strict=True))
    if apart > SAME:
        raise SystemExit(f"{ours} and {theirs} found results that lie {apart:g} apart")
