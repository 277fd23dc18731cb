"""Fusion: combine several runs into one, by the rank or the score of each document.

A method is one documented function of the runs' `Lists`. Each file holds one family.
"""

from germane.retrieval.fusion.fuse_runs import fuse_runs
from germane.retrieval.fusion.lists import Lists, lists_of, written
from germane.retrieval.fusion.method import FUSION, NORMALISATIONS, Method, Normalisation

__all__ = ["FUSION", "NORMALISATIONS", "Lists", "Method", "Normalisation", "fuse_runs", "lists_of", "written"]
