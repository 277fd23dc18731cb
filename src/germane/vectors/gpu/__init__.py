"""Counting on a GPU, in torch and Triton."""
