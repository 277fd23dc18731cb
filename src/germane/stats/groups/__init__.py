"""Statistics of groups of items: clusters that make them dependent, and slices that are compared."""
