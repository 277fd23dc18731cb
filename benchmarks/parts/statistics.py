"""Tests and intervals by resampling, against scipy."""

from __future__ import annotations

import json
import sys
import tempfile
from importlib.metadata import version
from pathlib import Path

from benchmarks.measure_process import Task, measure
from benchmarks.parts.settings import CALLS, SHARED, Settings, part_of
from benchmarks.resampling import TIMED_PAIRS, farthest_end, farthest_p, save_scores
from benchmarks.results import Part, Row


def randomisation(settings: Settings) -> Part | None:
    """Sign flips for all pairs of systems on three measures: one call against scipy pair by pair."""
    measured, topics, systems = _resampled(settings, ["randomisation germane", "randomisation scipy"], settings.flips)
    ours, theirs = (found for _, found in measured.values())
    if (apart := farthest_p(ours, theirs, settings.flips)) > 6:
        raise SystemExit(f"p-values of germane and scipy lie {apart:.1f} standard errors apart")
    pairs = 3 * systems * (systems - 1) // 2
    timed = f"{min(TIMED_PAIRS, pairs)} of {pairs} timed, the rest by proportion"
    labels = {
        "randomisation germane": f"germane, {pairs} pairs in one call",
        "randomisation scipy": f"scipy {version('scipy')} permutation_test, pair by pair ({timed})",
    }
    title = f"{settings.flips:,} sign flips, {systems} systems, 3 measures, {topics} topics: the call that tests"
    return part_of(settings, title, [Row(way, labels[way], min(took), took) for way, (took, _) in measured.items()])


def bootstrap(settings: Settings) -> Part | None:
    """BCa intervals of all means of all systems: one call against scipy, mean by mean and in one call."""
    ways = ["bca germane", "bca scipy by mean", "bca scipy at once"]
    measured, topics, systems = _resampled(settings, ways, settings.resamples)
    ours = measured["bca germane"][1]
    if (apart := max(farthest_end(ours, found) for _, found in measured.values())) > 6 / settings.resamples**0.5:
        raise SystemExit(f"intervals of germane and scipy lie {apart:.1%} of their width apart")
    labels = {
        "bca germane": f"germane, {3 * systems} means in one call",
        "bca scipy by mean": f"scipy {version('scipy')} bootstrap, mean by mean",
        "bca scipy at once": f"scipy {version('scipy')} bootstrap, {3 * systems} means in one call",
    }
    title = f"BCa intervals, {settings.resamples:,} resamples, {topics} topics: the call that finds them"
    return part_of(settings, title, [Row(way, labels[way], min(took), took) for way, (took, _) in measured.items()])


def _resampled(
    settings: Settings, ways: list[str], draws: int
) -> tuple[dict[str, tuple[list[float], list[float]]], int, int]:
    """Return the seconds and results of all calls by method, and the number of topics and systems."""
    folder = SHARED / "robust03"
    runs = sorted((folder / "runs").glob("*.gz"))[: settings.robust_runs]
    if not runs:
        print("  the Robust runs are not here: made scores are used")
    with tempfile.TemporaryDirectory() as own_folder:
        scores = Path(own_folder) / "scores.npy"
        topics, systems = save_scores(folder / "qrels.txt.gz", runs, scores)
        module = [sys.executable, "-m", "benchmarks.resampling"]
        tasks = [Task(way, [[*module, way, str(scores), str(draws), str(CALLS)]]) for way in ways]
        measured = measure(tasks, settings.rounds)
    answers = {way: [json.loads(output) for output in measured[way].outputs] for way in ways}
    seconds = {way: [round(each, 4) for one in answers[way] for each in one["seconds"]] for way in ways}
    return {way: (seconds[way], answers[way][0]["found"]) for way in ways}, topics, systems
