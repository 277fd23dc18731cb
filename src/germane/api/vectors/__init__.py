"""Exact evaluation of embeddings."""
