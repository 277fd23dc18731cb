"""Parts of the benchmark. Each checks that all tools agree on the numbers before it compares their speed."""

from __future__ import annotations

from collections.abc import Callable

from benchmarks.parts.columns import parquet
from benchmarks.parts.commands import check, convert, trec_eval
from benchmarks.parts.decisions import classify
from benchmarks.parts.documents import indexing, retrieval
from benchmarks.parts.embeddings import vectors
from benchmarks.parts.growth import growth, growth_of_others
from benchmarks.parts.labelled_files import labelled_files, scorer
from benchmarks.parts.learners import learning
from benchmarks.parts.many_classes import many_classes
from benchmarks.parts.rankings import files, many_runs, memory, report, robust, startup
from benchmarks.parts.serving import judging, searching
from benchmarks.parts.settings import Settings
from benchmarks.parts.statistics import bootstrap, randomisation
from benchmarks.results import Part

PARTS: dict[str, Callable[[Settings], Part | None]] = {
    "files": files,
    "growth": growth,
    "trec_eval": trec_eval,
    "growth of others": growth_of_others,
    "check": check,
    "convert": convert,
    "memory": memory,
    "parquet": parquet,
    "startup": startup,
    "robust": robust,
    "many runs": many_runs,
    "report": report,
    "randomisation": randomisation,
    "bootstrap": bootstrap,
    "classify": classify,
    "many classes": many_classes,
    "labelled files": labelled_files,
    "scorer": scorer,
    "indexing": indexing,
    "retrieval": retrieval,
    "learning": learning,
    "vectors": vectors,
    "judging": judging,
    "searching": searching,
}
