"""Readers and writers of runs, judgments and score tables, one module per format, and format detection."""
