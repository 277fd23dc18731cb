"""Threshold-free measures of scores and probabilities."""
