"""Counting on a GPU with torch and Triton."""
