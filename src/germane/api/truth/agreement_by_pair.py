"""Agreement of each pair of assessors, and alpha without each assessor.

A kappa on a few documents is a poor estimate: it is skewed to the left, and undefined where both gave only one grade. A
mean of such kappas describes nobody's agreement. So pairs that share few documents have no kappa.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from germane.measures.agreement.measure import AgreementMeasure, values_of
from germane.measures.agreement.tally import Patterns
from germane.tables.results.agreement import MIN_FOR_COEFFICIENT, PairAgreement
from germane.tables.truth.judgments import Ratings


def coefficients(patterns: Patterns, measures: Sequence[AgreementMeasure], items: int) -> dict[str, float]:
    """Return the measures of a part of the data by name; chance-corrected ones are NaN for too few documents."""
    found = {entry.name: float(value) for entry, value in zip(measures, values_of(measures, patterns), strict=True)}
    too_few = [entry.name for entry in measures if entry.beyond_chance and items < MIN_FOR_COEFFICIENT]
    return found | dict.fromkeys(too_few, math.nan)


def agreement_of_pairs(
    shared: Ratings, patterns: Patterns, measures: Sequence[AgreementMeasure]
) -> Iterable[PairAgreement]:
    """Yield every pair of assessors with its measures, over the documents that both graded."""
    wanted = [entry for entry in measures if entry.name != "overlap_all"]
    for (a, b), table in zip(patterns.judge_pairs, patterns.tables(patterns.weights), strict=True):
        counts = np.rint(table).astype(np.int64)
        both = shared.grade[:, [a, b]]
        both = both[~np.isnan(both).any(axis=1)]
        own = Patterns(both, grades=patterns.grades.tolist(), rel=patterns.rel)
        higher = float((both[:, 0] - both[:, 1]).mean()) if len(both) else math.nan
        values = coefficients(own, wanted, len(both))
        yield PairAgreement(shared.assessors[a], shared.assessors[b], len(both), values, higher, counts)


def shares_of_pairs(shared: Ratings) -> dict[str, float]:
    """Return the share of all pairs of grades of a document that include one of an assessor's, by assessor.

    If all k assessors graded everything, it is 2/k.
    """
    given = ~np.isnan(shared.grade)
    others = np.maximum(given.sum(axis=1) - 1, 0)
    pairs = float((given.sum(axis=1) * others).sum()) / 2
    return {
        who: float(others[given[:, place]].sum()) / pairs if pairs else math.nan
        for place, who in enumerate(shared.assessors)
    }


def leads_alone(shares: Mapping[str, float]) -> bool:
    """Return whether one assessor is in most pairs of grades, and in more than if all had graded everything."""
    return max(shares.values(), default=0.0) > max(1 / 2, 2 / len(shares)) + 1e-9


def alpha_without(
    shared: Ratings, patterns: Patterns, alpha: AgreementMeasure, shares: Mapping[str, float]
) -> dict[str, float]:
    """Return alpha without each assessor, by assessor; empty where none is in most pairs."""
    if not leads_alone(shares):
        return {}
    grades, rel = patterns.grades.tolist(), patterns.rel
    return {
        who: alpha(np.delete(shared.grade, place, axis=1), grades=grades, rel=rel)
        for place, who in enumerate(shared.assessors)
    }
