"""Statistics of per-query values: intervals, tests, families of tests, effect sizes, power, rank correlation.

Plain functions of plain arrays. Rows are queries; columns are systems, or differences between two systems. Functions
import scipy only when they need it, so that `germane eval` starts fast.
"""

from germane.public import offer

__getattr__, __dir__, __all__ = offer(__name__)
