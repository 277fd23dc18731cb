"""Notes beside numbers: their codes, and how they count."""
