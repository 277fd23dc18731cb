"""Exercises for a course: small tasks generated from a seed, their worked solutions, and explanations of wrong answers.

The value of a task, its solution and the value of every mistake are computed by the functions behind `germane eval`,
`classify`, `agree`, `correlate` and `search`; a mistake is another parameter, another measure or changed data.
"""

from germane.public import offer

__getattr__, __dir__, __all__ = offer(__name__)
