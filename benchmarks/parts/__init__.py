"""The parts of the benchmark. Each asserts that all tools found the same numbers before it says who was faster."""

from __future__ import annotations

from collections.abc import Callable

from benchmarks.parts.decisions import classify
from benchmarks.parts.documents import retrieval
from benchmarks.parts.embeddings import vectors
from benchmarks.parts.learners import learning
from benchmarks.parts.rankings import files, growth, many_runs, memory, robust, startup
from benchmarks.parts.settings import Settings
from benchmarks.parts.statistics import bootstrap, randomisation
from benchmarks.results import Part

PARTS: dict[str, Callable[[Settings], Part | None]] = {
    "files": files,
    "growth": growth,
    "memory": memory,
    "startup": startup,
    "robust": robust,
    "many runs": many_runs,
    "randomisation": randomisation,
    "bootstrap": bootstrap,
    "classify": classify,
    "retrieval": retrieval,
    "learning": learning,
    "vectors": vectors,
}
