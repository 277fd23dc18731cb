"""Judgments, runs, and runs matched with judgments."""
