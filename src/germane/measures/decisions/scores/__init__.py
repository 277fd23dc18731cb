"""Measures of scores and probabilities, whatever the threshold."""
