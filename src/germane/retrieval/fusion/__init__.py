"""Fusion: several runs become one, by the ranks or by the scores that they give to each document.

A method is one function of the runs' `Lists` and says all about itself; `all_methods` and `all_normalisations` list
what there is. A file holds one family.
"""

from germane.retrieval.fusion import (  # noqa: F401 - each fills a registry
    by_majority,
    by_rank,
    by_score,
    normalising,
)
from germane.retrieval.fusion.fusing import FusedRun, fuse_runs
from germane.retrieval.fusion.lists import Lists, lists_of, written
from germane.retrieval.fusion.registry import (
    Method,
    Normalisation,
    all_methods,
    all_normalisations,
    method_of,
    normalisation_of,
)

__all__ = [
    "FusedRun",
    "Lists",
    "Method",
    "Normalisation",
    "all_methods",
    "all_normalisations",
    "fuse_runs",
    "lists_of",
    "method_of",
    "normalisation_of",
    "written",
]
