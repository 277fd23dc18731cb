"""Rules that choose a threshold."""
