"""Learners: what each fits, and how it is given rows."""
