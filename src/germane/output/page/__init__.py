"""The shell of every page: one HTML file with its script, style and data inside, and nothing from elsewhere."""
