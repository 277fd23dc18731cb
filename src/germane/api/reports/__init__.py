"""Numbers behind reports and figures."""
