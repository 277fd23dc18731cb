"""Catalogue of features: one function each, of a query's candidates, with formula, direction and edge cases."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from germane.catalogue import Catalogue, Entry
from germane.learning.features.candidates import Candidates
from germane.tables.columns.ids import FloatArray

Better = Literal["higher", "lower", "neither"]
"""Direction of a feature by itself; `neither` if it depends on the collection."""


class Feature:
    """A number for each (query, document) pair: `name` is its column in data and models, `spelled` recreates it."""

    name: str
    source: str = ""
    better: Better = "neither"
    needs_positions: bool = False

    @property
    def spelled(self) -> str:
        """The feature as a person writes it."""
        return f"{self.name}={self.source}" if self.source else self.name

    def values(self, batch: Sequence[Candidates]) -> FloatArray:
        """Return the feature's values for all candidates, one query after the other."""
        raise NotImplementedError

    @property
    def summary(self) -> str:
        """One-line description."""
        raise NotImplementedError

    @property
    def sections(self) -> Mapping[str, str]:
        """Formula and edge cases."""
        return {}

    @property
    def facts(self) -> dict[str, str]:
        """Description by title, for its page."""
        better = {"neither": "neither (depends on the collection)"}.get(self.better, self.better)
        needs = {"Requires": "an index with `--positions`"} if self.needs_positions else {}
        return {**self.sections, "Better": better, **needs}


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Registered(Entry, Feature):
    """A feature computed by a function of one query's candidates, which returns a finite number for each.

    >>> @FEATURES.add("title_length")
    ... def title_length(pair: Candidates) -> FloatArray:
    ...     '''Length of the title in characters.'''
    ...     return np.asarray([float(len(pair.index.stored(doc).title)) for doc in pair.docs.tolist()])
    >>> FEATURES.unregister("title_length")
    """

    better: Better = "neither"
    needs_positions: bool = False
    facts = Feature.facts

    def values(self, batch: Sequence[Candidates]) -> FloatArray:
        return np.concatenate([np.asarray(self.target(one), np.float64) for one in batch] or [np.zeros(0)])


FEATURES = Catalogue(
    "feature",
    Registered,
    Registered,
    ["germane.learning.features.word_features"],
    example="omega or BM25",
    lists="run `germane learn --list` for a list; a column of a file is NAME=FILE",
)
