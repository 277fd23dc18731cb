"""Tasks by subject."""
