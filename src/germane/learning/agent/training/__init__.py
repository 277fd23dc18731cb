"""Training of an agent: the training data, and each of its choices."""
