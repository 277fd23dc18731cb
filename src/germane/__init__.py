"""germane: is this search engine, recommender, detector or classifier any good, and how sure are we?

>>> import germane as ge
>>> scores = ge.evaluate({"q1": {"d1": 1}}, {"q1": {"d2": 2.0, "d1": 1.0}}, ["RR", "nDCG@10"])
>>> scores.mean()["run"]["RR"]
0.5
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from germane.api import compare, compare_groups, evaluate, explain, judge_run, load_qrels, scores_of
    from germane.errors import GermaneError, InputError, MeasureError, MissingExtraError
    from germane.formats.registry import read_qrels, read_run, write_qrels, write_run
    from germane.measures.explain import Explanation
    from germane.measures.names import parse_measure
    from germane.measures.ranking.curves import precision_recall_points, roc_points
    from germane.measures.registry import all_definitions, measure
    from germane.tables.comparison import Comparison, Pair
    from germane.tables.judged_run import JudgedRun, Worked, judged
    from germane.tables.matching import match
    from germane.tables.measure import Measure
    from germane.tables.qrels import Qrels
    from germane.tables.run import Run
    from germane.tables.scores import Note, Scores

_HOMES = {
    "germane.api": ("compare", "compare_groups", "evaluate", "explain", "judge_run", "load_qrels", "scores_of"),
    "germane.tables.comparison": ("Comparison", "Pair"),
    "germane.errors": ("GermaneError", "InputError", "MeasureError", "MissingExtraError"),
    "germane.formats.registry": ("read_qrels", "read_run", "write_qrels", "write_run"),
    "germane.measures.explain": ("Explanation",),
    "germane.measures.names": ("parse_measure",),
    "germane.measures.ranking.curves": ("precision_recall_points", "roc_points"),
    "germane.measures.registry": ("all_definitions", "measure"),
    "germane.tables.judged_run": ("JudgedRun", "Worked", "judged"),
    "germane.tables.matching": ("match",),
    "germane.tables.measure": ("Measure",),
    "germane.tables.qrels": ("Qrels",),
    "germane.tables.run": ("Run",),
    "germane.tables.scores": ("Note", "Scores"),
}
_HOME_OF = {name: module for module, names in _HOMES.items() for name in names}

__all__ = [
    "Comparison",
    "Explanation",
    "GermaneError",
    "InputError",
    "JudgedRun",
    "Measure",
    "MeasureError",
    "MissingExtraError",
    "Note",
    "Pair",
    "Qrels",
    "Run",
    "Scores",
    "Worked",
    "all_definitions",
    "compare",
    "compare_groups",
    "evaluate",
    "explain",
    "judge_run",
    "judged",
    "load_qrels",
    "match",
    "measure",
    "parse_measure",
    "precision_recall_points",
    "read_qrels",
    "read_run",
    "roc_points",
    "scores_of",
    "write_qrels",
    "write_run",
]


def __getattr__(name: str) -> Any:
    if name == "__version__":
        from importlib.metadata import PackageNotFoundError, version

        try:
            return version("germane")
        except PackageNotFoundError:  # run from its source, not installed
            return "0+source"
    if name not in _HOME_OF:
        raise AttributeError(f"module 'germane' has no attribute {name!r}")
    value = getattr(import_module(_HOME_OF[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return __all__
