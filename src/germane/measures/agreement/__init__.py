"""Agreement between assessors, and between truth and prediction."""
