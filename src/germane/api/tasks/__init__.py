"""Other tasks than classes: numbers, clusters and densities."""
