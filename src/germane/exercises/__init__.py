"""Exercises for a course: small tasks drawn from a seed, their worked solutions, and what a wrong answer comes from.

A task's value, its solution and the value of every mistake are computed by the functions that `germane eval`,
`classify`, `agree`, `correlate` and `search` use; a mistake is another parameter, another measure or changed data.
"""

from germane.public import offer

__getattr__, __dir__, __all__ = offer(__name__)
