"""Shared by the parts of the benchmark: settings and rows of results."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from benchmarks.measure_process import ROOT, Measured, Task
from benchmarks.peers import MEASURES, Means
from benchmarks.results import Part, Row
from benchmarks.workloads import Files, Workload

SAME = 1e-9
"""Maximum difference between two tools for the same value."""
SHARED = Path(os.environ.get("GERMANE_SHARED", ROOT.parent / "shared")) / "data"
CALLS = 3
"""Number of timed calls within a process."""


@dataclass(frozen=True)
class Settings:
    """What to measure and how often."""

    files: Files
    workload: Workload
    growing: list[Workload]
    rounds: int
    starts: int
    robust_runs: int | None
    flips: int
    resamples: int
    labels: int
    documents: int
    vectors: int
    many_runs: tuple[int, int, int]
    reported_runs: tuple[int, int, int]
    pooled_documents: tuple[int, int]
    load_seconds: float
    with_sklearn: bool
    with_bm25s: bool
    with_tantivy: bool
    large: bool
    peers: list[str]
    command: str
    busy_share: float | None


def germane_command() -> list[str]:
    """Return the installed command, or that of the source tree."""
    script = Path(sys.executable).parent / ("germane.exe" if os.name == "nt" else "germane")
    return [str(script)] if script.exists() else [sys.executable, "-c", "from germane.cli import main; main()"]


def eval_command(qrels: Path, *runs: Path) -> list[str]:
    """Evaluate files, printing all digits."""
    measures = [word for measure in MEASURES for word in ("-m", measure)]
    return [*germane_command(), "eval", str(qrels), *map(str, runs), *measures, "--format", "json"]


def eval_task(name: str, qrels: Path, run: Path) -> Task:
    """Evaluate one file with germane."""
    return Task(name, [eval_command(qrels, run)])


def peer_task(peer: str, qrels: Path, run: Path) -> Task:
    """Evaluate one file with another tool."""
    return Task(peer, [[sys.executable, "-m", "benchmarks.peers", peer, str(qrels), str(run)]])


def means_of(output: str) -> Means:
    """Return the means printed by germane or a peer."""
    printed = json.loads(output)
    means: Means = printed["runs"][0]["mean"] if "runs" in printed else printed
    return means


def require_same(found: list[tuple[str, Means]]) -> None:
    """Raise an error if means differ by more than rounding."""
    (first, expected), *others = found
    for name, means in others:
        for measure_name, value in expected.items():
            if abs(means[measure_name] - value) > SAME:
                raise SystemExit(f"{measure_name} is {value} by {first} and {means[measure_name]} by {name}")


def rounded(seconds: float | None) -> float | None:
    """Round to a tenth of a millisecond."""
    return None if seconds is None else round(seconds, 4)


def row_of(
    name: str, label: str, measured: Measured, lines: int | None = None, count: Callable[[list[float]], float] = min
) -> Row:
    """Return the time of a process: the minimum of its repetitions, or another statistic, `count`."""
    return Row(
        name,
        label,
        round(count(measured.seconds), 4),
        [round(each, 4) for each in measured.seconds],
        round(count(measured.processor_seconds), 4),
        None if measured.peak_memory is None else round(measured.peak_memory / 1e6, 1),
        lines,
    )


def part_of(settings: Settings, title: str, rows: list[Row]) -> Part:
    """Rows with what they were measured by and when."""
    return Part(title, datetime.now(UTC).date().isoformat(), settings.command, settings.busy_share, rows)
