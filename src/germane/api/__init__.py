"""The layers joined: whatever the input is, one call answers one question."""

from germane.api.comparing import compare, scores_of
from germane.api.comparing_groups import compare_groups
from germane.api.evaluating import DEFAULT_MEASURES, ScoreType, Topics, evaluate, explain, judge_run, load_qrels

__all__ = [
    "DEFAULT_MEASURES",
    "ScoreType",
    "Topics",
    "compare",
    "compare_groups",
    "evaluate",
    "explain",
    "judge_run",
    "load_qrels",
    "scores_of",
]
