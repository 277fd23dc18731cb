"""The search pages."""
