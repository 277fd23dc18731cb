"""Results as stored in results.json: facts about the machine, and the rows of each part of the benchmark."""

from __future__ import annotations

import json
import os
import platform
import time
from dataclasses import asdict, dataclass, field
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from benchmarks.measure_process import CORES

RESULTS = Path(__file__).with_name("results.json")
QUIET = 0.05  # maximum share of the machine in use by other processes
LIBRARIES = (
    "germane",
    "numpy",
    "pyarrow",
    "pytrec_eval-terrier",
    "ir_measures",
    "ranx",
    "numba",
    "scikit-learn",
    "bm25s",
    "tantivy",
    "polars",
    "pandas",
    "faiss-cpu",
)


@dataclass(frozen=True)
class Row:
    """One measurement. `seconds` is the best or the median of the repetitions.

    `start` is how long the same process takes when there is next to nothing to do. `against` names the row that this
    one is compared with, where that is not the first of its part. `disk_mb` is the size of the files it made.
    """

    name: str
    label: str
    seconds: float
    repetitions: list[float]
    processor_seconds: float | None = None
    peak_mb: float | None = None
    lines: int | None = None
    start: float | None = None
    against: str | None = None
    disk_mb: float | None = None


@dataclass(frozen=True)
class Part:
    """A part of the benchmark: the other rows are compared with the first one, or with the one they name.

    `busy_share` is how much of the machine other processes used just before: above a few per cent, only ratios of tools
    that use as many cores are worth looking at.
    """

    title: str
    date: str
    command: str
    busy_share: float | None
    rows: list[Row]

    def row(self, name: str) -> Row | None:
        """Return the row of this name, or None if it was not measured."""
        return next((row for row in self.rows if row.name == name), None)

    def ratio(self, name: str, to: str) -> float | None:
        """Return the ratio of the times of two rows; None if one of them was not measured."""
        this, other = self.row(name), self.row(to)
        return None if this is None or other is None else this.seconds / other.seconds


@dataclass(frozen=True)
class Results:
    """Everything measured on one machine with one set of versions."""

    machine: dict[str, Any]
    parts: dict[str, Part] = field(default_factory=dict)

    @classmethod
    def load(cls, path: Path) -> Results:
        return cls.from_json(json.loads(path.read_text(encoding="utf-8")))

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> Results:
        parts = {
            name: Part(**{**part, "rows": [Row(**row) for row in part["rows"]]}) for name, part in data["parts"].items()
        }
        return cls(data["machine"], parts)

    def save(self, path: Path) -> None:
        path.write_text(json.dumps(asdict(self), indent=1) + "\n", encoding="utf-8")

    def with_part(self, name: str, part: Part, order: list[str]) -> Results:
        """Return these results with a part replaced."""
        parts = {**self.parts, name: part}
        return Results(self.machine, {each: parts[each] for each in order if each in parts})


def this_machine() -> dict[str, Any]:
    """Return the facts that the figures depend on, without names and paths of this machine."""
    versions = {}
    for library in LIBRARIES:
        try:
            versions[library] = version(library)
        except PackageNotFoundError:
            continue
    return {
        "cores_used": min(CORES, os.cpu_count() or 1),
        "processor": _processor(),
        "system": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
        "versions": versions,
    }


def busy_share(seconds: float = 2.0) -> float | None:
    """Return the share of all cores in use while we wait; None if the system does not report it."""
    before = _processor_ticks()
    if before is None:
        return None
    time.sleep(seconds)
    now = _processor_ticks()
    passed = [b - a for a, b in zip(before, now or before, strict=True)]
    return round(1 - (passed[3] + passed[4]) / max(1, sum(passed)), 3)


def _processor_ticks() -> list[int] | None:
    """Linux's count of user, nice, system, idle and waiting time, and of interrupts."""
    facts = Path("/proc/stat")
    return [int(word) for word in facts.read_text(encoding="utf-8").split()[1:9]] if facts.exists() else None


def _processor() -> str:
    """Return the processor's model if the system reports it, else its architecture."""
    facts = Path("/proc/cpuinfo")
    if facts.exists():
        for line in facts.read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()
