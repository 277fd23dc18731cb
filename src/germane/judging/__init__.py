"""Building the ground truth: which documents to judge, who judges them, and what their judgments come to."""
