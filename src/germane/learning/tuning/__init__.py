"""Tuning: which strategy to use, chosen on judged queries by nested cross-validation, and what to expect of it."""
