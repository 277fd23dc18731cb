"""germane: is this search engine, recommender, detector or classifier any good, and how sure are we?

>>> import germane as ge
>>> scores = ge.evaluate({"q1": {"d1": 1}}, {"q1": {"d2": 2.0, "d1": 1.0}}, ["RR", "nDCG@10"])
>>> scores.mean()["run"]["RR"]
0.5
"""

from __future__ import annotations

from importlib import import_module

from germane.public import offer
from germane.tables.results.result import show_results_by

_offered, __dir__, __all__ = offer(__name__)


def _above(name: str) -> object:
    """A verb, or what writes results."""
    return _offered(name) if name in __all__ else getattr(import_module("germane.output.rendering"), name)


# Tables may not reach up to the layers that write and draw, so they are given a way here; nothing is loaded before.
show_results_by(_above)


def __getattr__(name: str) -> object:
    if name == "__version__":
        from importlib.metadata import PackageNotFoundError, version

        try:
            return version("germane")
        except PackageNotFoundError:  # run from its source, not installed
            return "0+source"
    return _offered(name)
