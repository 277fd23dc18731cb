"""Runs evaluated: scores, and correlations of rankings."""
