"""Files and objects in memory, in every format that is understood, as tables and back."""

from germane.public import offer

__getattr__, __dir__, __all__ = offer(__name__)
