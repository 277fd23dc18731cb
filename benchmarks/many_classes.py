"""Probabilities of several classes: germane against scikit-learn, point values; one way per process.

`python -m benchmarks.many_classes WAY ROWS CALLS` prints the seconds of each call, and what it found.
"""

from __future__ import annotations

import itertools
import json
import sys
import time
from collections.abc import Callable, Iterator

import numpy as np

from benchmarks.workloads import Array

CLASSES = 10
Found = list[float]
Way = Callable[[Array, Array], Found]
"""Evaluates the true classes and their probabilities."""


def every_germane(truth: Array, p: Array) -> Found:
    """Check the table once and sort each column once; all measures share this."""
    from germane.measures.decisions.scores.many_classes import AREAS, ClassAreas, pooled, top_k_accuracy
    from germane.measures.decisions.scores.probabilities import ProbabilityTable, brier, log_loss

    table = ProbabilityTable.of(p, truth)
    areas, together = ClassAreas.of(table), pooled(table)
    found = [areas.average("AUC", average) for average in ("macro", "weighted", "ovo", "ovo weighted")]
    found += [areas.average("AP", average) for average in ("macro", "weighted")]
    found += [AREAS[measure](together) for measure in ("AUC", "AP")]
    return [*found, top_k_accuracy(table, k=2), log_loss(table), brier(table)]


def every_sklearn(truth: Array, p: Array) -> Found:
    """Call the function of each measure."""
    return [value for name in SKLEARN for value in SKLEARN[name](truth, p)]


def _areas_germane(*averages: str) -> Way:
    def way(truth: Array, p: Array) -> Found:
        from germane.measures.decisions.scores.many_classes import ClassAreas
        from germane.measures.decisions.scores.probabilities import ProbabilityTable

        areas = ClassAreas.of(ProbabilityTable.of(p, truth), "AUC")
        return [areas.average("AUC", average) for average in averages]  # type: ignore[arg-type]

    return way


def _ap_germane(truth: Array, p: Array) -> Found:
    from germane.measures.decisions.scores.many_classes import ClassAreas
    from germane.measures.decisions.scores.probabilities import ProbabilityTable

    areas = ClassAreas.of(ProbabilityTable.of(p, truth), "AP")
    return [areas.average("AP", average) for average in ("macro", "weighted")]


def _micro_germane(truth: Array, p: Array) -> Found:
    from germane.measures.decisions.scores.many_classes import AREAS, pooled
    from germane.measures.decisions.scores.probabilities import ProbabilityTable

    together = pooled(ProbabilityTable.of(p, truth))
    return [AREAS[measure](together) for measure in ("AUC", "AP")]


def _losses_germane(truth: Array, p: Array) -> Found:
    from germane.measures.decisions.scores.many_classes import top_k_accuracy
    from germane.measures.decisions.scores.probabilities import ProbabilityTable, brier, log_loss

    table = ProbabilityTable.of(p, truth)
    return [top_k_accuracy(table, k=2), log_loss(table), brier(table)]


def _one_against_the_rest(truth: Array, p: Array) -> Found:
    from sklearn.metrics import roc_auc_score

    return [float(roc_auc_score(truth, p, multi_class="ovr", average=a)) for a in ("macro", "weighted")]


def _one_against_one(truth: Array, p: Array) -> Found:
    from sklearn.metrics import roc_auc_score

    return [float(roc_auc_score(truth, p, multi_class="ovo", average=a)) for a in ("macro", "weighted")]


def _average_precision(truth: Array, p: Array) -> Found:
    from sklearn.metrics import average_precision_score

    return [float(average_precision_score(truth, p, average=a)) for a in ("macro", "weighted")]


def _pooled(truth: Array, p: Array) -> Found:
    from sklearn.metrics import average_precision_score, roc_auc_score

    area = roc_auc_score(truth, p, multi_class="ovr", average="micro")
    return [float(area), float(average_precision_score(truth, p, average="micro"))]


def _losses(truth: Array, p: Array) -> Found:
    from sklearn.metrics import brier_score_loss, log_loss, top_k_accuracy_score

    return [float(f(truth, p)) for f in (top_k_accuracy_score, log_loss, brier_score_loss)]


SKLEARN: dict[str, Way] = {
    "AUC ovr": _one_against_the_rest,
    "AUC ovo": _one_against_one,
    "AP": _average_precision,
    "micro": _pooled,
    "losses": _losses,
}
GERMANE: dict[str, Way] = {
    "AUC ovr": _areas_germane("macro", "weighted"),
    "AUC ovo": _areas_germane("ovo", "ovo weighted"),
    "AP": _ap_germane,
    "micro": _micro_germane,
    "losses": _losses_germane,
}
WAYS: dict[str, Way] = {
    "every germane": every_germane,
    "every sklearn": every_sklearn,
    **{f"{name} germane": way for name, way in GERMANE.items()},
    **{f"{name} sklearn": way for name, way in SKLEARN.items()},
}


def made_table(rows: int) -> tuple[Array, Array]:
    """True classes, and probabilities of a classifier that sees one and a half deviations."""
    rng = np.random.default_rng(1)
    truth = rng.integers(0, CLASSES, rows)
    logits = rng.normal(size=(rows, CLASSES))
    logits[np.arange(rows), truth] += 1.5
    odds = np.exp(logits)
    return truth, odds / odds.sum(axis=1, keepdims=True)


def _timed(way: Way, truth: Array, p: Array) -> Iterator[tuple[float, Found]]:
    while True:
        begin = time.perf_counter()
        found = way(truth, p)
        yield time.perf_counter() - begin, found


def _main(way: str, rows: str, calls: str) -> None:
    measured = list(itertools.islice(_timed(WAYS[way], *made_table(int(rows))), int(calls)))
    json.dump({"seconds": [seconds for seconds, _ in measured], "found": measured[0][1]}, sys.stdout)


if __name__ == "__main__":
    _main(*sys.argv[1:])
