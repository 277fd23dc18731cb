"""Learning to rank: germane's Ranking SVM against scikit-learn's LinearSVC on all pairs, one method per process.

`python -m benchmarks.learning WAY FOLDER CALLS` prints the seconds of each call, and the objective it reached. FOLDER
holds LightGBM's ranking example (rank.train.gz, rank.train.query); the made rows need none. For LinearSVC the pairs are
there before the clock starts; germane starts from the rows.
"""

from __future__ import annotations

import gzip
import json
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

SAME_OBJECTIVE = 1e-4
MADE_QUERIES, MADE_ROWS, MADE_FEATURES, MADE_GRADES = 100, 16_000, 46, 5
MADE_C = 0.01

Rows = tuple[Any, Any, Any]
Call = Callable[[], list[float]]


def real_rows(folder: Path) -> Rows:
    """Features, grades and queries of LightGBM's ranking example."""
    sizes = np.loadtxt(folder / "rank.train.query", dtype=np.int64)
    with gzip.open(folder / "rank.train.gz", "rt", encoding="ascii") as lines:
        entries = [[entry.split(":") for entry in line.split()] for line in lines]
    features = np.zeros((len(entries), max(int(column) for _, *row in entries for column, _ in row)))
    for i, (_, *row) in enumerate(entries):
        for column, value in row:
            features[i, int(column) - 1] = float(value)
    return features, np.array([float(grade) for (grade,), *_ in entries]), np.repeat(np.arange(len(sizes)), sizes)


def made_rows(queries: int = MADE_QUERIES) -> Rows:
    """Return fixed rows in this number of queries; grades follow a weighted sum of the features, plus noise."""
    generator = np.random.Generator(np.random.PCG64(11))
    features = generator.random((MADE_ROWS, MADE_FEATURES))
    noisy = features @ generator.normal(size=MADE_FEATURES) + 2 * generator.normal(size=MADE_ROWS)
    grade = np.searchsorted(np.quantile(noisy, np.linspace(0, 1, MADE_GRADES + 1)[1:-1]), noisy)
    return features, grade.astype(np.float64), np.arange(MADE_ROWS) * queries // MADE_ROWS


def pair_differences(rows: Rows) -> Any:
    """Return better − worse for all pairs of all queries."""
    features, grade, query = rows
    parts = []
    for number in np.unique(query):
        of_query = np.flatnonzero(query == number)
        better, worse = np.nonzero(grade[of_query][:, None] > grade[of_query])
        parts.append(features[of_query[better]] - features[of_query[worse]])
    return np.concatenate(parts)


def germane(rows: Rows, C: float) -> Call:
    """From rows to weights."""
    from germane.learning.learners.ranking_svm import RankingSVM

    return lambda: [RankingSVM(C).fit(*rows).objective_]


def sklearn(rows: Rows, C: float, tol: float) -> Call:
    """From pairs to weights; half of the pairs are reversed, because LinearSVC needs two classes."""
    from sklearn.svm import LinearSVC

    pairs = pair_differences(rows)
    sign = np.where(np.arange(len(pairs)) % 2, 1.0, -1.0)
    pairs *= sign[:, None]
    solver = LinearSVC(C=C, loss="squared_hinge", dual=False, fit_intercept=False, tol=tol, max_iter=100_000)

    def call() -> list[float]:
        weights = solver.fit(pairs, sign).coef_[0]
        hinges = np.maximum(0, 1 - (pairs @ weights) * sign)
        return [float(0.5 * weights @ weights + C * hinges @ hinges)]

    return call


WAYS: dict[str, Callable[[Path], Call]] = {
    "C=.01 germane": lambda folder: germane(real_rows(folder), 0.01),
    "C=.01 sklearn": lambda folder: sklearn(real_rows(folder), 0.01, 1e-8),
    "C=.01 sklearn, default tol": lambda folder: sklearn(real_rows(folder), 0.01, 1e-4),
    "C=1 germane": lambda folder: germane(real_rows(folder), 1.0),
    "C=1 sklearn": lambda folder: sklearn(real_rows(folder), 1.0, 1e-8),
    "C=1 sklearn, default tol": lambda folder: sklearn(real_rows(folder), 1.0, 1e-4),
    "made germane": lambda _: germane(made_rows(), MADE_C),
    "made sklearn": lambda _: sklearn(made_rows(), MADE_C, 1e-8),
    "made sklearn, default tol": lambda _: sklearn(made_rows(), MADE_C, 1e-4),
    # the same rows: 96 thousand pairs, and 102 million
    "few pairs germane": lambda _: germane(made_rows(1000), MADE_C),
    "many pairs germane": lambda _: germane(made_rows(1), MADE_C),
}


def require_same_objective(found: dict[str, float]) -> None:
    """Raise an error if the objectives differ: a tool that stops early would look faster."""
    least = min(found.values())
    for name, objective in found.items():
        if objective > least * (1 + SAME_OBJECTIVE):
            raise SystemExit(f"{name} stopped at the objective {objective:g}; {least:g} is possible")


def main() -> None:
    """Time one method, several calls."""
    way, folder, calls = sys.argv[1], Path(sys.argv[2]), int(sys.argv[3])
    call = WAYS[way](folder)
    seconds = []
    for _ in range(calls):
        begin = time.perf_counter()
        found = call()
        seconds.append(time.perf_counter() - begin)
    print(json.dumps({"seconds": seconds, "found": found}))


if __name__ == "__main__":
    main()
