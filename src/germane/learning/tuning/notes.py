"""What a reader of a tuning must know."""

from __future__ import annotations

import math
from dataclasses import replace

from germane.learning.tuning.result import Procedure, Tuning
from germane.tables.notes.note import Note


def notes_on(tuning: Tuning, size_of_space: int, *, kept: int = 0, torn: bool = False) -> Tuning:
    """The same tuning, with notes on how it was done and what it says."""
    cells = len(tuning.strategies) * len(tuning.queries)
    notes = [
        Note(
            "rankings-evaluated",
            f"{tuning.num_evaluated:,} rankings",
            "(strategies × queries) were evaluated, each once; cross-validation and curves are computed from them"
            + ("" if tuning.num_evaluated == cells else f"; all would have been {cells:,}"),
            count=tuning.num_evaluated,
        )
    ]
    if kept:
        notes.append(Note("resumed", f"{kept:,} rankings", "of these were in the journal already", count=kept))
    if torn:
        notes.append(Note("journal-truncated", "", "the journal's last line was not complete, and was taken out"))
    if len(tuning.strategies) < size_of_space:
        drawn = f"{len(tuning.strategies)} of {size_of_space} strategies"
        what = f"were drawn by chance (seed {tuning.seed}), the simplest always among them"
        notes.append(Note("sampled-strategies", drawn, what, count=len(tuning.strategies)))
    notes.append(_against_simplest(tuning, tuning.procedures["best"]))
    if tuning.winner.simplicity != tuning.simplest.simplicity:  # else nothing simpler is there
        notes.append(_razor(tuning))
    if tuning.search == "halving":
        notes.append(Note("no-curves", "", "halving evaluates too little for learning and validation curves"))
    return replace(tuning, notes=(*tuning.notes, *notes))


def _against_simplest(tuning: Tuning, best: Procedure) -> Note:
    """Whether tuning is worth it, by queries that were not tuned on."""
    told = f"{best.difference:+.4f} (p {best.p:.2g})"
    better = (best.difference > 0) != tuning.lower_is_better
    if best.strategy == tuning.simplest and best.difference == 0:
        what = f"the simplest strategy, {tuning.simplest}, wins"
    elif math.isnan(best.p):
        what = (
            f"on held-out queries, taking the best differs by the same amount for every query from {tuning.simplest}, "
            f"{best.difference:+.4f}; no test can judge that"
        )
    elif best.p <= tuning.alpha:
        sense = "significantly better" if better else "significantly WORSE"
        what = f"on held-out queries, taking the best is {sense} than {tuning.simplest}: {told}"
    else:
        what = f"on held-out queries, taking the best does not differ significantly from {tuning.simplest}: {told}"
    return Note("against-simplest", "", what)


def _razor(tuning: Tuning) -> Note:
    if tuning.chosen == tuning.winner:
        what = f"no simpler strategy is as good as the winner, {tuning.winner}, by a paired t test at {tuning.alpha:g}"
    else:
        what = (
            f"Occam's razor: {tuning.chosen} is simpler than the winner, {tuning.winner}, and the winner does not beat "
            f"it significantly (paired t test at {tuning.alpha:g})"
        )
    return Note("simpler-is-as-good", "", what)
