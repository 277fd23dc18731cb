"""Measures of a ranking, by family. Importing this package registers them all."""

from germane.measures.rankings import (
    average_precision,
    counts,
    curves,
    diversity,
    gain,
    incomplete,
    precision,
    user_models,
)

__all__ = ["average_precision", "counts", "curves", "diversity", "gain", "incomplete", "precision", "user_models"]
