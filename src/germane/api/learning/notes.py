"""Notes on the rows that a ranking is learned from, and the held-out record in the model's file."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from germane.api.learning.folds import HeldOut
from germane.stats.intervals.means import mean_interval
from germane.tables.notes.counts import counted
from germane.tables.notes.note import Note
from germane.tables.rankings.qrels import Qrels
from germane.tables.rankings.ranking_data import RankingData
from germane.tables.results.comparison import Pair
from germane.tables.results.scores import Scores


def notes_on_candidates(rows: RankingData, truth: Qrels, unjudged: int, depth: int) -> list[Note]:
    """Return notes on unjudged candidates, and on relevant documents that are not candidates."""
    notes = []
    relevant = int(np.count_nonzero(truth.grade > 0))
    outside = relevant - int(np.count_nonzero(rows.grades > 0))
    if unjudged:
        share = f"{unjudged:,} of {rows.num_rows:,} candidates"
        notes.append(Note("unjudged-candidates", share, "unjudged; treated as grade 0", count=unjudged))
    if outside:
        share = f"{outside:,} of {relevant:,} relevant documents"
        what = f"missing from the {depth:,} candidates per query, so re-ranking cannot find them (raise --depth)"
        notes.append(Note("relevant-not-retrieved", share, what, count=outside))
    return notes


def family_of_learning(pairs: Sequence[Pair]) -> str:
    """Return the family of tests in words; p-values are adjusted for it, and intervals are simultaneous over it."""
    rivals = counted(len({pair.a for pair in pairs}), "other ranking")
    return f"{rivals} × {counted(len({pair.measure for pair in pairs}), 'measure')}"


def held_out_record(scores: Scores, pairs: Sequence[Pair], held: HeldOut, level: float) -> dict[str, Any]:
    """Return the held-out scores for the model's file, and how they were computed."""
    means = []
    for m, measure in enumerate(scores.measures):
        for r, run in enumerate(scores.runs):
            values = scores.values[r, m][~np.isnan(scores.values[r, m])]
            ends = mean_interval(values, level=level) if len(values) > 1 else None
            mean = float(np.cumsum(values)[-1] / len(values)) if len(values) else None
            low, high = (None, None) if ends is None else (float(ends.low), float(ends.high))
            means.append({"measure": str(measure), "run": run.name, "mean": mean, "low": low, "high": high})
    differences = []
    for pair in pairs:
        ends_and_p = {"low": pair.low, "high": pair.high, "p": pair.p_adjusted}
        differences.append({"measure": pair.measure, "against": pair.a, "difference": pair.difference, **ends_and_p})
    return {
        "queries": len(scores.queries),
        "folds": len(held.folds),
        "level": level,
        "family": family_of_learning(pairs),
        "correction": "bonferroni",
        "means": means,
        "differences": [{k: None if v != v else v for k, v in one.items()} for one in differences],  # noqa: PLR0124
    }
