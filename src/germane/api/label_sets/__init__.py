"""Several labels per item: sets of labels, or a score for each label."""
