"""Tests, corrections for families of tests, effect sizes and power."""
