"""Parts of the benchmark. Each checks that all tools agree on the numbers before it compares their speed."""

from __future__ import annotations

from collections.abc import Callable

from benchmarks.parts.decisions import classify
from benchmarks.parts.documents import retrieval
from benchmarks.parts.embeddings import vectors
from benchmarks.parts.learners import learning
from benchmarks.parts.rankings import files, growth, many_runs, memory, report, robust, startup
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
    "report": report,
    "randomisation": randomisation,
    "bootstrap": bootstrap,
    "classify": classify,
    "retrieval": retrieval,
    "learning": learning,
    "vectors": vectors,
}
