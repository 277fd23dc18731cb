"""Feature rows and vectors."""
