"""Significance tests, multiple-testing corrections, effect sizes and power."""
