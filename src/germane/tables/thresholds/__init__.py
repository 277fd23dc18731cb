"""Parts of the result of `threshold`: the choice of a rule, its stability, and its effect on sets and slices."""
