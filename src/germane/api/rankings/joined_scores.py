"""Join scores of different queries."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from germane.tables.notes.counts import EXAMPLES, plural
from germane.tables.notes.note import Note
from germane.tables.results.scores import Scores


def join_scores(parts: Sequence[Scores]) -> Scores:
    """Join scores of the same runs and measures; the queries of the parts follow each other in byte order.

    Intervals and slices are added afterwards.
    """
    first = parts[0]
    if len(parts) == 1:
        return first
    return replace(
        first,
        inputs=None,
        queries=tuple(query for part in parts for query in part.queries),
        values=np.concatenate([part.values for part in parts], axis=2),
        numerator=np.concatenate([part.numerator for part in parts], axis=2),
        denominator=np.concatenate([part.denominator for part in parts], axis=2),
        scored=np.concatenate([part.scored for part in parts], axis=1),
        notes=join_notes([note for part in parts for note in part.notes], [None, *(run.name for run in first.runs)]),
    )


def join_notes(notes: Sequence[Note], runs: Sequence[str | None]) -> tuple[Note, ...]:
    """Join equal notes on different queries into one with the total count.

    >>> one, other = (Note("ties", "1 query", "tied", "a", 1, (query,)) for query in ("q1", "q2"))
    >>> join_notes([one, other], ["a"])
    (Note(code='ties', amount='2 queries', what='tied', run='a', count=2, examples=('q1', 'q2'), share=None),)
    """
    together: dict[tuple[str, str, str | None], list[Note]] = {}
    for note in notes:
        together.setdefault((note.code, note.what, note.run), []).append(note)
    joined = [_one(same) if len(same) > 1 else same[0] for same in together.values()]
    # The order of an undivided evaluation: by run, then by cutoff, whichever part had a note first.
    return tuple(sorted(joined, key=lambda note: (runs.index(note.run), _cutoff(note))))


def _cutoff(note: Note) -> float:
    """Return the cutoff in a note's code; infinity without one, which sorts last."""
    cutoff = note.code.partition("@")[2]
    return float(cutoff) if cutoff else float("inf")


def _one(same: Sequence[Note]) -> Note:
    count = sum(note.count or 0 for note in same)
    noun = same[0].amount.partition(" ")[2]
    examples = [example for note in same for example in note.examples]
    nouns = noun if noun.endswith("s") else plural(noun)
    return replace(same[0], amount=f"{count:,} {nouns}", count=count, examples=tuple(examples[:EXAMPLES]))
