"""Evaluation of feedback that gives no credit for documents the user has already seen."""
