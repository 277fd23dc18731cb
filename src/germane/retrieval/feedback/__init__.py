"""Feedback: from a query and documents that were judged, or are taken for relevant, to a better query."""

from germane.retrieval.feedback.refined import Refined, Step, TermChange
from germane.retrieval.feedback.registry import FEEDBACK, Feedback, all_feedback, feedback, feedback_of

# isort: split
from germane.retrieval.feedback.rocchio import Rocchio

# isort: split
from germane.retrieval.feedback.probabilistic import Probabilistic

# isort: split
from germane.retrieval.feedback.iterated import Iterated

# isort: split
from germane.retrieval.feedback.rm3 import RM3

# isort: split
from germane.retrieval.feedback.bo1 import Bo1

# isort: split
from germane.retrieval.feedback.kl import KL

__all__ = [
    "FEEDBACK",
    "KL",
    "RM3",
    "Bo1",
    "Feedback",
    "Iterated",
    "Probabilistic",
    "Refined",
    "Rocchio",
    "Step",
    "TermChange",
    "all_feedback",
    "feedback",
    "feedback_of",
]
