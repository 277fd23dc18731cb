"""Columns of ids and values, from lists, arrays and frames of other libraries."""
