"""Documents in, rankings out: analysis, index, models, feedback, fusion."""

from germane.public import offer

__getattr__, __dir__, __all__ = offer(__name__)
