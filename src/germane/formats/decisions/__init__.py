"""Readers of items with labels, predictions and scores, and of confusion matrices."""
