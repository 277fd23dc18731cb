"""Probability of relevance: Binary Independence Indexing, calibration, the Probability Ranking Principle."""
