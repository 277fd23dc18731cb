"""Evaluation of classifiers, detectors and other predictors."""
