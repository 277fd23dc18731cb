"""Runs, judgments and tables of scores: one file for each format, and how a file is recognised."""
