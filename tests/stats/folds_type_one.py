"""How often two equally good classifiers differ significantly: `PYTHONPATH=src python -m tests.stats.folds_type_one`.

The classifiers (nearest mean) learn from two blocks of features with the same distribution, so neither is better on
average over data sets. Every data set is divided by a repeated cross-validation, and the classifiers are compared on
its folds. A test at α = 0.05 should find a difference in 5% of the data sets.
"""

from __future__ import annotations

import sys
from collections.abc import Callable

import numpy as np

from germane.stats.significance.paired_tests import PAIRED_TESTS, corrected_resampled_t
from germane.tables.columns.ids import BoolArray, FloatArray

ALPHA = 0.05
FEATURES, SHIFT = 5, 0.4
"""Number of features of each classifier, and the distance of the means of the two classes in each."""


def differences(items: int, folds: int, runs: int, rng: np.random.Generator) -> FloatArray:
    """Differences in accuracy of the two classifiers on one data set, by run and fold."""
    is_positive = rng.permutation(items) < items // 2
    blocks = [rng.normal(size=(items, FEATURES)) + SHIFT * is_positive[:, None] for _ in range(2)]
    found = np.empty((runs, folds))
    for run in range(runs):
        fold_of = rng.permutation(items) % folds
        for fold in range(folds):
            test = fold_of == fold
            one, other = (_accuracy(block, is_positive, test) for block in blocks)
            found[run, fold] = other - one
    return found


def _accuracy(rows: FloatArray, is_positive: BoolArray, test: BoolArray) -> float:
    train, labels = rows[~test], is_positive[~test]
    high, low = train[labels].mean(axis=0), train[~labels].mean(axis=0)
    called = rows[test] @ (high - low) > (high - low) @ (high + low) / 2
    return float((called == is_positive[test]).mean())


def _corrected(found: FloatArray, runs: int = 1) -> float:
    folds = found.shape[1]
    return float(corrected_resampled_t(found.ravel(), folds - 1, 1, runs=runs).p)


TESTS: dict[str, Callable[[FloatArray], float]] = {
    "t, one run": lambda found: float(PAIRED_TESTS["t"](found[0]).p),
    "t, all folds": lambda found: float(PAIRED_TESTS["t"](found.ravel()).p),
    "t, means of runs": lambda found: float(PAIRED_TESTS["t"](found.mean(axis=1)).p),
    "corrected, one run": lambda found: _corrected(found[:1]),
    "corrected, all folds": _corrected,
    "corrected, runs as clusters": lambda found: _corrected(found, len(found)),
}
"""Tests by name; each returns p for the differences by run and fold."""


def error_rates(items: int, folds: int, runs: int, trials: int, seed: int = 0) -> dict[str, float]:
    """Share of data sets with a significant difference, by test."""
    rng = np.random.default_rng((seed, items, folds, runs))
    p = [{name: test(found) for name, test in TESTS.items()} for found in _data_sets(items, folds, runs, trials, rng)]
    return {name: float(np.mean([each[name] <= ALPHA for each in p])) for name in TESTS}


def _data_sets(items: int, folds: int, runs: int, trials: int, rng: np.random.Generator) -> list[FloatArray]:
    return [differences(items, folds, runs, rng) for _ in range(trials)]


def table(trials: int = 2_000) -> str:
    """Error rates by design and test, as Markdown; the Monte Carlo error of 0.05 is 0.005 with 2,000 data sets."""
    lines = [f"| items | runs × folds | {' | '.join(TESTS)} |", f"| --: | --: |{' --: |' * len(TESTS)}"]
    for items, folds, runs in ((100, 10, 10), (200, 5, 10), (300, 10, 5)):
        rates = error_rates(items, folds, runs, trials)
        lines.append(f"| {items} | {runs} × {folds} | {' | '.join(f'{rates[name]:.3f}' for name in TESTS)} |")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    sys.stdout.write(table())
