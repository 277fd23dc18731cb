"""scikit-learn's conventions: scorers, responses of estimators, cross-validation."""
