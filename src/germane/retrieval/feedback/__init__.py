"""Feedback: from a query and documents that were judged, or are taken for relevant, to a better query."""

from germane.retrieval.feedback.method import FEEDBACK, Feedback
from germane.retrieval.feedback.refined import Refined, Step, TermChange

__all__ = ["FEEDBACK", "Feedback", "Refined", "Step", "TermChange"]
