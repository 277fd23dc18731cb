"""Readers of feature rows and vectors."""
