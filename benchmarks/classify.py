"""Labels and scores: germane against scikit-learn and scipy; one method per process, timing only the call.

`python -m benchmarks.classify WAY ROWS CALLS` prints the seconds of each call, and what it found.
"""

from __future__ import annotations

import itertools
import json
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.workloads import Array

CLASSES = 20
RESAMPLES = 2_000
BOOTSTRAPPED_ROWS = 1_000
STREAMED_ROWS = 100_000_000
GROUP_ROWS = 1 << 20

Found = list[float]
Way = Callable[[int], Callable[[], Found]]
"""Generates data with this number of rows and returns the call to time."""


def auc_germane(rows: int) -> Callable[[], Found]:
    """Sort once, then compute the area in integers."""
    from germane.measures.decisions.scores.roc import area_under_roc
    from germane.tables.decisions.decisions import Decisions

    truth, score = _scores(rows)
    return lambda: [float(area_under_roc(Decisions.of(truth, score)))]


def auc_sklearn(rows: int) -> Callable[[], Found]:
    """The area under the ROC curve."""
    from sklearn.metrics import roc_auc_score

    truth, score = _scores(rows)
    return lambda: [float(roc_auc_score(truth, score))]


def curves_germane(rows: int) -> Callable[[], Found]:
    """Every rate at every threshold: ROC, precision-recall and DET curves are pairs of these columns."""
    from germane.measures.decisions.rates import rates_of
    from germane.tables.decisions.decisions import Decisions

    truth, score = _scores(rows)

    def call() -> Found:
        rates = rates_of(Decisions.of(truth, score).cells)
        return [float(rates[name].mean()) for name in ("TPR", "FPR", "PPV")]

    return call


def curves_sklearn(rows: int) -> Callable[[], Found]:
    """Two curves."""
    from sklearn.metrics import precision_recall_curve, roc_curve

    truth, score = _scores(rows)

    def call() -> Found:
        fpr, tpr, _ = roc_curve(truth, score, drop_intermediate=False)
        precision, _, _ = precision_recall_curve(truth, score)
        return [float(curve.mean()) for curve in (tpr[1:], fpr[1:], precision[:-1])]

    return call


def _confusion_germane(form: Callable[[Array], Any]) -> Way:
    def way(rows: int) -> Callable[[], Found]:
        from germane.tables.decisions.count_confusion import count_confusion

        truth, predicted = map(form, _labels(rows))
        return lambda: count_confusion(truth, predicted).counts.ravel().tolist()

    return way


def _confusion_sklearn(form: Callable[[Array], Any]) -> Way:
    def way(rows: int) -> Callable[[], Found]:
        from sklearn.metrics import confusion_matrix

        truth, predicted = map(form, _labels(rows))
        return lambda: confusion_matrix(truth, predicted).ravel().tolist()

    return way


def f1_germane(rows: int) -> Callable[[], Found]:
    """Bootstrap the cells of the confusion matrix."""
    from germane.measures.decisions.rates import RATES
    from germane.stats.intervals.cells import cell_intervals
    from germane.tables.decisions.count_confusion import count_confusion

    truth, predicted = _decided(rows)
    f1 = RATES.parse("F1")

    def call() -> Found:
        cells = count_confusion(truth, predicted).cells(1)
        (found,) = cell_intervals([f1], cells, method="percentile", level=0.95, resamples=RESAMPLES, seed=1)
        return [float(found.low), float(found.high)]

    return call


def f1_scipy(rows: int) -> Callable[[], Found]:
    """Bootstrap the rows."""
    from scipy.stats import bootstrap
    from sklearn.metrics import f1_score

    truth, predicted = _decided(rows)

    def call() -> Found:
        drawn = bootstrap(
            (truth, predicted),
            f1_score,
            n_resamples=RESAMPLES,
            paired=True,
            vectorized=False,
            method="percentile",
            rng=1,
        )
        return [float(drawn.confidence_interval.low), float(drawn.confidence_interval.high)]

    return call


def _names(codes: Array) -> Array:
    names: Array = np.asarray([f"class {code}" for code in range(CLASSES)])[codes]
    return names


FORMS: dict[str, Callable[[Array], Any]] = {
    "integers": lambda codes: codes,
    "objects": lambda codes: _names(codes).astype(object),
    "lists": lambda codes: _names(codes).tolist(),
    "fixed width": _names,
}
WAYS: dict[str, Way] = {
    "auc germane": auc_germane,
    "auc sklearn": auc_sklearn,
    "curves germane": curves_germane,
    "curves sklearn": curves_sklearn,
    **{f"{name} germane": _confusion_germane(form) for name, form in FORMS.items()},
    **{f"{name} sklearn": _confusion_sklearn(form) for name, form in FORMS.items()},
    "f1 germane": f1_germane,
    "f1 scipy": f1_scipy,
}


def write_stream(path: Path, rows: int) -> None:
    """A Parquet file of truths, predictions and scores, in row groups of a million."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    rng = np.random.default_rng(1)
    schema = pa.schema([("truth", pa.int8()), ("predicted", pa.int8()), ("score", pa.float32())])
    with pq.ParquetWriter(path, schema) as writer:
        for start in range(0, rows, GROUP_ROWS):
            truth = rng.random(min(GROUP_ROWS, rows - start)) < 0.2
            score = (rng.normal(size=len(truth)) + truth).astype(np.float32)
            columns = [truth.astype(np.int8), (score > 1).astype(np.int8), score]
            writer.write_table(pa.table(columns, schema=schema))


def stream_arguments(path: Path) -> list[str]:
    """Arguments that make the command read the file in parts."""
    columns = ["--truth", "truth", "--predicted", "predicted", "--score", "score", "--positive", "1"]
    return ["classify", str(path), *columns, "--stream", "--format", "json"]


def _scores(rows: int) -> tuple[Array, Array]:
    rng = np.random.default_rng(1)
    truth = rng.random(rows) < 0.3
    return truth, rng.normal(size=rows) + truth


def _labels(rows: int) -> tuple[Array, Array]:
    rng = np.random.default_rng(1)
    truth, guess = rng.integers(0, CLASSES, (2, rows))
    return truth, np.where(rng.random(rows) < 0.7, truth, guess)


def _decided(rows: int) -> tuple[Array, Array]:
    truth, score = _scores(rows)
    return truth.astype(np.int64), (score > 0.5).astype(np.int64)


def _timed(call: Callable[[], Found]) -> Iterator[tuple[float, Found]]:
    while True:
        begin = time.perf_counter()
        found = call()
        yield time.perf_counter() - begin, found


def _main(way: str, rows: str, calls: str) -> None:
    measured = list(itertools.islice(_timed(WAYS[way](int(rows))), int(calls)))
    json.dump({"seconds": [seconds for seconds, _ in measured], "found": measured[0][1]}, sys.stdout)


if __name__ == "__main__":
    _main(*sys.argv[1:])
