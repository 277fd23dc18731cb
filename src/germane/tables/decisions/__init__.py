"""Labels, scores and confusion matrices."""
