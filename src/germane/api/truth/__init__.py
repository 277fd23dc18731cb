"""Ground truth: pools, agreement, releases."""
