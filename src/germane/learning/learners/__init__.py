"""Learners for ranking and classification, and checks of their training rows."""
