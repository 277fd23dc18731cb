"""Training: what an agent is trained on, and each of its choices."""
