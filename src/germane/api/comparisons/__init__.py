"""Systems compared: families of tests, and what a change did."""
