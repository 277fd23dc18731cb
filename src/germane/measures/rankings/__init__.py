"""Ranking measures, by family."""
