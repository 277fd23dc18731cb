"""Measures of a ranking, by family."""
