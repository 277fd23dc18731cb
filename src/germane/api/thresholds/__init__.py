"""Parts of `threshold`: reading sets of scores, applying thresholds to them, and doing so per slice."""
