"""Measures of classifiers and other predictors: confusion-matrix rates, curves, probabilities, regression,
clusterings, densities, label sets.
"""
