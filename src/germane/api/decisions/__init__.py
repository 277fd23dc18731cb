"""Classifiers, detectors and other predictors evaluated."""
