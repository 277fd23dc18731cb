"""Measures of decisions: rates of confusion matrices, curves, probabilities, regression, clusterings, densities,
sets of labels.
"""
