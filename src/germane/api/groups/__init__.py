"""Groups of items: clusters that make them dependent, and slices that are evaluated each."""
