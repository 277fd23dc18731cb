"""Indexes, runs from engines, fusion, feedback."""
