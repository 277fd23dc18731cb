"""Judgments, runs, and a run seen through its judgments."""
