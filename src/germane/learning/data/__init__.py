"""Splits of data, leaks between their sides, and errors taken apart."""
