"""Pairs of classifiers, or of other predictions on the same items: which are compared, and their adjusted p-values."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import Any

import numpy as np

from germane.errors import unknown
from germane.stats.significance.corrections import CORRECTIONS
from germane.stats.significance.outcomes import PairedDifference
from germane.tables.notes.note import Note
from germane.tables.results.classifier_comparison import ClassifierComparison, ClassifierPair

Tested = tuple[str, str, str, float, float, PairedDifference]
"""The measure, both names, both values and the outcome of the test."""


def compared_pairs(names: Sequence[str], baseline: str | None) -> list[tuple[str, str]]:
    """Return all pairs of names, or each of the others with the baseline.

    >>> compared_pairs(["a", "b", "c"], "b")
    [('b', 'a'), ('b', 'c')]
    """
    if baseline is None:
        return list(combinations(names, 2))
    if baseline not in names:
        raise unknown("classifier", baseline, names)
    return [(baseline, name) for name in names if name != baseline]


def require_correction(correction: str) -> None:
    """Refuse a correction that is not known."""
    if correction != "none" and correction not in CORRECTIONS:
        raise unknown("correction", correction, ["none", *CORRECTIONS.names])


def comparison_of(
    tested: Sequence[Tested],
    num_items: int,
    correction: str,
    *,
    what: str = "classifiers",
    notes: tuple[Note, ...] = (),
    **settings: Any,
) -> ClassifierComparison:
    """Return the comparison, with p-values adjusted for the whole family; `what` is compared."""
    p = np.asarray([outcome.p for *_, outcome in tested])
    adjusted = p if correction == "none" else CORRECTIONS[correction].adjust(p)
    pairs = tuple(
        ClassifierPair(
            measure, a, b, value_a, value_b, o.difference, o.low, o.high, o.p, float(q), o.test, o.interval, o.remark
        )
        for (measure, a, b, value_a, value_b, o), q in zip(tested, adjusted, strict=True)
    )
    return ClassifierComparison(pairs, num_items, correction, **settings, what=what, notes=notes)
