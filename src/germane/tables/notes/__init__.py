"""Notes on results: codes, text and counts."""
