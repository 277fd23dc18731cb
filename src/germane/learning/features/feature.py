"""Features by name: one function each, of a query's candidates, with its formula, direction and edge cases."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from germane.catalogue import Catalogue, Entry
from germane.learning.features.candidates import Candidates
from germane.tables.columns.ids import FloatArray

Better = Literal["higher", "lower", "neither"]
"""Which way a feature points by itself; `neither` where that depends on the collection."""


class Feature:
    """A number for each (query, document): `name` is what data and models call it, `spelled` what makes it again."""

    name: str
    source: str = ""
    better: Better = "neither"
    needs_positions: bool = False

    @property
    def spelled(self) -> str:
        """As a person writes it."""
        return f"{self.name}={self.source}" if self.source else self.name

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

    @property
    def facts(self) -> dict[str, str]:
        """Its page: by title, what there is to say."""
        better = {"neither": "neither: that depends on the collection"}.get(self.better, self.better)
        needs = {"Needs": "an index with `--positions`"} if self.needs_positions else {}
        return {**self.sections, "Better": better, **needs}


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Registered(Entry, Feature):
    """A feature that is a function of one query's candidates: a finite number for each, from query and document alone.

    >>> @FEATURES.add("title_length")
    ... def title_length(pair: Candidates) -> FloatArray:
    ...     '''How long the title is, in characters.'''
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
    lists="`germane learn --list` says all about them; a column of a file is NAME=FILE",
)
