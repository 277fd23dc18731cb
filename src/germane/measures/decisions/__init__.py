"""Measures of decisions: rates of confusion matrices, curves, probabilities, regression, clusterings, densities,
sets of labels.

Importing this package registers them all.
"""

from germane.measures.decisions import clustering, densities, label_sets, matrix, rates, regression
from germane.measures.decisions.scores import calibration, detection_error, precision_recall, probabilities, roc

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
