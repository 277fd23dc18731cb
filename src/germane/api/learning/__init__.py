"""Tuning, learning to rank, agents."""
