"""Learning from data: splits, tuning, learning to rank, and tools to evaluate a learner."""

from germane.public import offer

__getattr__, __dir__, __all__ = offer(__name__)
