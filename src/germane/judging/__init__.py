"""Building ground truth: choosing documents, judging them, and consolidating the judgments."""
