"""Correlation and overlap of rankings."""
