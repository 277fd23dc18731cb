"""Honest evaluation of feedback: what was shown to the person who judged must not count for the new ranking."""
