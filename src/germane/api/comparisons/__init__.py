"""Comparison of systems: families of tests, and changes query by query."""
