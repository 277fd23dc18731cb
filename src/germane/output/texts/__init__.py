"""Texts for people: comments on a change, explanations, pages of measures."""
