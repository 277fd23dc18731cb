"""Embeddings evaluated exactly."""
