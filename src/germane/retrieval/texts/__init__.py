"""Text analysis: from text to terms, and excerpts of documents."""
