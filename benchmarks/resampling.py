"""Time tests and intervals by resampling: `python -m benchmarks.resampling WAY SCORES DRAWS CALLS`.

SCORES is a file of topics × systems × measures, as `save_scores` writes it. Prints the seconds of each call and what it
found, as JSON: p-values, or the two ends of each interval. scipy is given its fastest form: vectorised statistics.
"""

from __future__ import annotations

import itertools
import json
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np

from benchmarks.workloads import Array

MEASURES = ["AP", "nDCG@10", "P@10"]
TIMED_PAIRS = 12
"""Number of pairs timed with scipy; the total is extrapolated, because all pairs would take minutes."""

Found = list[float]


def save_scores(qrels: Path, runs: list[Path], path: Path) -> tuple[int, int]:
    """Write the scores of real runs, or else of generated ones; return the number of topics and systems."""
    if runs:
        import germane

        scores = germane.evaluate(str(qrels), [str(run) for run in runs], MEASURES)
        values = np.moveaxis(scores.values, 2, 0)
    else:
        rng = np.random.default_rng(1)
        topic, system = rng.beta(1, 2, (100, 1, 1)), rng.normal(0, 0.05, (1, 17, 1))
        values = np.clip(topic + system + rng.normal(0, 0.1, (100, 17, len(MEASURES))), 0, 1)
    np.save(path, values)
    return values.shape[0], values.shape[1]


def randomisation_germane(scores: Array, flips: int) -> Iterator[tuple[float, Found]]:
    """All pairs of systems on all measures in one call."""
    from germane.stats.significance.paired_tests import PAIRED_TESTS

    test = PAIRED_TESTS["randomisation"]
    test(scores[:, 0], resamples=99)
    while True:
        begin = time.perf_counter()
        p = test(_differences(scores), resamples=flips).p
        yield time.perf_counter() - begin, p[_timed_pairs(len(p))].tolist()


def randomisation_scipy(scores: Array, flips: int) -> Iterator[tuple[float, Found]]:
    """One pair of systems on one measure after the other."""
    from scipy.stats import permutation_test

    columns = _differences(scores)
    timed = _timed_pairs(columns.shape[1])
    while True:
        begin = time.perf_counter()
        found = [
            permutation_test(
                (columns[:, pair],), np.mean, permutation_type="samples", n_resamples=flips, vectorized=True, rng=1
            ).pvalue
            for pair in timed
        ]
        yield (time.perf_counter() - begin) * columns.shape[1] / len(timed), [float(p) for p in found]


def bca_germane(scores: Array, resamples: int) -> Iterator[tuple[float, Found]]:
    """All means in one call."""
    from germane.stats.intervals.means import mean_interval

    means = scores.reshape(len(scores), -1)
    mean_interval(means[:, 0], "bca", resamples=99)
    while True:
        begin = time.perf_counter()
        interval = mean_interval(means, "bca", resamples=resamples)
        yield time.perf_counter() - begin, [*interval.low.tolist(), *interval.high.tolist()]


def bca_scipy_by_mean(scores: Array, resamples: int) -> Iterator[tuple[float, Found]]:
    """One mean after the other."""
    from scipy.stats import bootstrap

    means = scores.reshape(len(scores), -1).T.copy()
    while True:
        begin = time.perf_counter()
        found = [bootstrap((mean,), np.mean, n_resamples=resamples, rng=1).confidence_interval for mean in means]
        seconds = time.perf_counter() - begin
        yield seconds, [*(float(each.low) for each in found), *(float(each.high) for each in found)]


def bca_scipy_at_once(scores: Array, resamples: int) -> Iterator[tuple[float, Found]]:
    """All means in one call."""
    from scipy.stats import bootstrap

    means = scores.reshape(len(scores), -1).T.copy()
    while True:
        begin = time.perf_counter()
        found = bootstrap((means,), np.mean, n_resamples=resamples, axis=-1, rng=1).confidence_interval
        yield time.perf_counter() - begin, np.concatenate((found.low, found.high)).tolist()


WAYS: dict[str, Callable[[Array, int], Iterator[tuple[float, Found]]]] = {
    "randomisation germane": randomisation_germane,
    "randomisation scipy": randomisation_scipy,
    "bca germane": bca_germane,
    "bca scipy by mean": bca_scipy_by_mean,
    "bca scipy at once": bca_scipy_at_once,
}


def farthest_p(ours: Found, theirs: Found, flips: int) -> float:
    """Return the largest difference between two tools' Monte Carlo p-values, in standard errors."""
    p, q = np.asarray(ours), np.asarray(theirs)
    middle = (p + q) / 2
    return float((np.abs(p - q) / np.sqrt(2 * middle * (1 - middle) / flips + 1 / flips**2)).max())


def farthest_end(ours: Found, theirs: Found) -> float:
    """Return the largest difference between the limits of two tools' intervals, as a share of the width."""
    ends = np.asarray([ours, theirs]).reshape(2, 2, -1)
    width = ends[0, 1] - ends[0, 0]
    return float((np.abs(ends[0] - ends[1]) / width).max())


def _differences(scores: Array) -> Array:
    """Topics × (pairs of systems and measures)."""
    pairs = list(itertools.combinations(range(scores.shape[1]), 2))
    first, second = np.asarray(pairs).T
    columns: Array = (scores[:, first] - scores[:, second]).reshape(len(scores), -1)
    return columns


def _timed_pairs(columns: int) -> Array:
    return np.unique(np.linspace(0, columns - 1, min(TIMED_PAIRS, columns)).astype(np.int64))


def _main(way: str, path: str, draws: str, calls: str) -> None:
    measured = list(itertools.islice(WAYS[way](np.load(path), int(draws)), int(calls)))
    json.dump({"seconds": [seconds for seconds, _ in measured], "found": measured[0][1]}, sys.stdout)


if __name__ == "__main__":
    _main(*sys.argv[1:])
