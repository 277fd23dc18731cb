"""Readers of documents to index or to judge, one module per format."""
