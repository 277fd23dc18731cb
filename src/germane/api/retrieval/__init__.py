"""Indexing, retrieval from engines, fusion and feedback."""
