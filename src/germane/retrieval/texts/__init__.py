"""From text to terms, and back to an excerpt."""
