"""Items with labels, predictions and scores, and confusion matrices."""
