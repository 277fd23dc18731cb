"""Rank correlation and overlap of rankings."""
