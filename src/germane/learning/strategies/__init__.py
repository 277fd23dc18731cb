"""Retrieval strategies as values, and spaces of strategies to search."""
