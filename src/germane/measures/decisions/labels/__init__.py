"""Measures of several labels per item: of sets, and of scores for each label."""
