"""Fusion: several runs become one, by the ranks or by the scores that they give to each document.

A method is one function of the runs' `Lists` and says all about itself. A file holds one family.
"""

from germane.retrieval.fusion.fuse_runs import fuse_runs
from germane.retrieval.fusion.lists import Lists, lists_of, written
from germane.retrieval.fusion.method import FUSION, NORMALISATIONS, Method, Normalisation

__all__ = ["FUSION", "NORMALISATIONS", "Lists", "Method", "Normalisation", "fuse_runs", "lists_of", "written"]
