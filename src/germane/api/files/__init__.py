"""What a file is, and which commands take it."""
