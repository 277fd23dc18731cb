"""Rows of any format: read line by line, checked, converted, or taken from in-memory objects."""
