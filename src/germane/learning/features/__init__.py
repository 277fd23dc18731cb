"""Features of query and document, by name."""
