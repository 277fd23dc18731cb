"""Columns of ids and values, from lists, arrays and frames of every library."""
