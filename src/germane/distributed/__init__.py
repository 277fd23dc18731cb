"""Evaluation on Spark, where the data already are: rows stay there, and only results come back."""
