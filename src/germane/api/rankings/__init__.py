"""Evaluation of runs: scores, and correlations of rankings."""
