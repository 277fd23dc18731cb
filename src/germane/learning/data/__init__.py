"""Data splits, leakage between their parts, and bias-variance decomposition."""
