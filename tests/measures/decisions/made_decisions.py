"""Made decisions: few items, many ties, weights of 0, 1, 2 and more, sometimes one class only."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from hypothesis import strategies as st

from germane.tables.decisions.decisions import Decisions

LECTURE_001 = "PPNPPPNNPNPNPNNNPNPN"
LECTURE_001_SCORES = [
    *(0.90, 0.80, 0.70, 0.60, 0.55, 0.54, 0.53, 0.52, 0.51, 0.50),
    *(0.40, 0.39, 0.38, 0.37, 0.36, 0.35, 0.34, 0.33, 0.30, 0.10),
]


@dataclass(frozen=True)
class Sample:
    """Items as a user has them; their scores are probabilities in tenths."""

    truth: tuple[bool, ...]
    score: tuple[float, ...]
    weight: tuple[int, ...]

    def decisions(self, *, weighted: bool = True) -> Decisions:
        return Decisions.of(self.truth, self.score, self.weight if weighted else None)

    @property
    def arrays(self) -> tuple[Any, Any, Any]:
        return np.asarray(self.truth), np.asarray(self.score), np.asarray(self.weight)


def samples(*, both_classes: bool = False, least_weight: int = 1, max_size: int = 14) -> st.SearchStrategy[Sample]:
    """Samples; with both classes, each has an item of some weight."""
    row = st.tuples(st.booleans(), st.integers(0, 10).map(lambda tenth: tenth / 10), st.integers(least_weight, 3))
    made = st.lists(row, min_size=1, max_size=max_size).map(lambda rows: Sample(*zip(*rows, strict=True)))
    if both_classes:
        return made.filter(lambda s: {t for t, w in zip(s.truth, s.weight, strict=True) if w} == {True, False})
    return made


def lecture_001() -> Decisions:
    """The twenty-row table of lecture 001, section 2.6."""
    return Decisions.of([label == "P" for label in LECTURE_001], LECTURE_001_SCORES)
