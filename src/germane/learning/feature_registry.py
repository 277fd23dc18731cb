"""Features by name: one function each, of a query's candidates, with its formula, direction and edge cases."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from germane.docstrings import sections_of, summary_of
from germane.errors import GermaneError
from germane.learning.candidates import Candidates
from germane.measures.registry import is_same_function
from germane.tables.ids import FloatArray

Better = Literal["higher", "lower", "neither"]
"""Which way a feature points by itself; `neither` where that depends on the collection."""


class Feature:
    """A number for each (query, document): `name` is what data and models call it, `spelled` what makes it again."""

    name: str
    better: Better = "neither"
    needs_positions: bool = False

    @property
    def spelled(self) -> str:
        """As a person writes it."""
        return self.name

    def values(self, batch: Sequence[Candidates]) -> FloatArray:
        """The feature of all candidates, one query after the other."""
        raise NotImplementedError

    @property
    def summary(self) -> str:
        """What it is, in a line."""
        raise NotImplementedError

    @property
    def sections(self) -> Mapping[str, str]:
        """Formula and edge cases."""
        return {}


@dataclass(frozen=True)
class Registered(Feature):
    """A feature that is a function of one query's candidates."""

    name: str
    function: Callable[[Candidates], FloatArray]
    better: Better = "neither"
    needs_positions: bool = False

    def values(self, batch: Sequence[Candidates]) -> FloatArray:
        return np.concatenate([np.asarray(self.function(one), np.float64) for one in batch] or [np.zeros(0)])

    @property
    def summary(self) -> str:
        return summary_of(self.function)

    @property
    def sections(self) -> Mapping[str, str]:
        return sections_of(self.function)


FEATURES: dict[str, Registered] = {}
"""By the name a person types."""


def feature(
    name: str, *, better: Better = "neither", positions: bool = False
) -> Callable[[Callable[[Candidates], FloatArray]], Callable[[Candidates], FloatArray]]:
    """Register a feature: a function that gives one finite number per candidate, from query and document alone.

    >>> @feature("title_length")
    ... def title_length(pair: Candidates) -> FloatArray:
    ...     '''How long the title is, in characters.'''
    ...     return np.asarray([float(len(pair.index.stored(doc).title)) for doc in pair.docs.tolist()])
    >>> unregister("title_length")
    """

    def register(function: Callable[[Candidates], FloatArray]) -> Callable[[Candidates], FloatArray]:
        taken = FEATURES.get(name)
        if taken is not None and not is_same_function(taken.function, function):
            raise GermaneError(f"a feature called {name!r} is registered already")
        FEATURES[name] = Registered(name, function, better, positions)
        return function

    return register


def unregister(name: str) -> None:
    """Take a feature out again."""
    del FEATURES[name]


def all_features() -> list[Registered]:
    """Every registered feature, in the order of its file."""
    import germane.learning.word_features  # noqa: F401 - fills the registry on first use

    return list(FEATURES.values())
