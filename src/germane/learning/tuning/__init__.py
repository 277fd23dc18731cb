"""Tuning: choose a strategy on judged queries by nested cross-validation, and estimate its performance."""
