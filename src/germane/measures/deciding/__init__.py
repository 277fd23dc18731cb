"""Measures of decisions: rates of confusion matrices, curves, probabilities, regression, clusterings, densities,
sets of labels.

Importing this package registers them all.
"""

from germane.measures.deciding import (
    calibration,
    clustering,
    densities,
    detection_error,
    label_sets,
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
    "label_sets",
    "matrix",
    "precision_recall",
    "probabilities",
    "rates",
    "regression",
    "roc",
]
