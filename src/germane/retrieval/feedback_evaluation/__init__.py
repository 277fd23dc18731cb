"""Honest evaluation of feedback: what was shown to the person who judged must not count for the new ranking."""

from germane.retrieval.feedback_evaluation.rankings import Rankings, rankings_of, run_of
from germane.retrieval.feedback_evaluation.simulated_user import Round, first_rankings, play
from germane.retrieval.feedback_evaluation.views import VIEWS, FeedbackProtocol, View, split_documents, view

__all__ = [
    "VIEWS",
    "FeedbackProtocol",
    "Rankings",
    "Round",
    "View",
    "first_rankings",
    "play",
    "rankings_of",
    "run_of",
    "split_documents",
    "view",
]
