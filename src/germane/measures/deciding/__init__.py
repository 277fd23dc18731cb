"""Measures of decisions: rates of confusion matrices, curves, probabilities, regression, clusterings, densities.

Importing this package registers them all.
"""

from germane.measures.deciding import (
    calibration,
    clustering,
    densities,
    detection_error,
    matrix,
    precision_recall,
    probabilities,
    rates,
    regression,
    roc,
)

__all__ = [
    "calibration",
    "clustering",
    "densities",
    "detection_error",
    "matrix",
    "precision_recall",
    "probabilities",
    "rates",
    "regression",
    "roc",
]
