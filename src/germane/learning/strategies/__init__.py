"""Retrieval strategies as values, and spaces of them."""
