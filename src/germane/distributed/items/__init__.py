"""Labelled items on a cluster."""
