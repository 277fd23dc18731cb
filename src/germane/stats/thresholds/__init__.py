"""Rules for choosing a threshold, and the stability of the choice."""
