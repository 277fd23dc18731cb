"""germane in scikit-learn's tools: scorers, displays, and cross-validation results compared."""

from germane.public import offer

__getattr__, __dir__, __all__ = offer(__name__)
