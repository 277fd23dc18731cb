"""From per-query values to conclusions: intervals, tests, families of tests, effect sizes, power, rank correlation.

Plain functions of plain arrays. Rows are queries; columns are systems, or differences between two systems. scipy is
imported by the function that needs it: `germane eval` must not pay for it.
"""

from germane.public import offer

__getattr__, __dir__, __all__ = offer(__name__)
