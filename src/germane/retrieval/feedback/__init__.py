"""Relevance feedback: build a better query from documents that are judged, or treated as, relevant."""

from germane.retrieval.feedback.method import FEEDBACK, Feedback, Refined

__all__ = ["FEEDBACK", "Feedback", "Refined"]
