"""Tuning: which strategy to use, chosen on judged queries by nested cross-validation, and what to expect of it."""

from germane.learning.tuning.choices import choose_best, choose_by_razor, choose_simplest, levels_of
from germane.learning.tuning.procedure import tune_strategies
from germane.learning.tuning.result import CurvePoint, FoldChoice, Procedure, Tuning
from germane.learning.tuning.scorer import IndexScorer

__all__ = [
    "CurvePoint",
    "FoldChoice",
    "IndexScorer",
    "Procedure",
    "Tuning",
    "choose_best",
    "choose_by_razor",
    "choose_simplest",
    "levels_of",
    "tune_strategies",
]
