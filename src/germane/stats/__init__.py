"""From per-query values to conclusions: intervals, tests, families of tests, effect sizes, power, rank correlation.

Plain functions of plain arrays. Rows are queries; columns are systems, or differences between two systems. scipy is
imported by the function that needs it: `germane eval` must not pay for it.
"""
