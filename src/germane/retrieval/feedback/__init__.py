"""Feedback: from a query and documents that were judged, or are taken for relevant, to a better query."""

from germane.retrieval.feedback.method import FEEDBACK, Feedback, Refined

__all__ = ["FEEDBACK", "Feedback", "Refined"]
