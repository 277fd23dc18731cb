"""What a reader of the numbers must know, counted: missing topics, ties, unjudged documents."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from germane.measures.ranking.counts import unjudged_share
from germane.measures.registry import definition_of
from germane.tables.ids import Ids, IntArray
from germane.tables.judged_run import JudgedRun
from germane.tables.measure import Measure
from germane.tables.scores import Note

EXAMPLES = 5


def notes_on(run: JudgedRun, measures: Sequence[Measure], topics: str) -> list[Note]:
    """The notes that belong to one run."""
    return [
        *_missing_topics(run, topics),
        *_unknown_topics(run),
        *_interleaved(run),
        *(note for cut in _cutoffs(measures) for note in (*_unjudged(run, cut), *_ties(run, cut))),
    ]


def notes_on_qrels(run: JudgedRun, measures: Sequence[Measure]) -> list[Note]:
    """The notes that belong to the judgments."""
    notes = []
    levels = {float(str(dict(m.parameters).get("rel", 1))) for m in measures}
    for level in sorted(levels):
        none = np.flatnonzero(run.num_relevant(level) == 0)
        if len(none):
            message = f"{len(none)} topics have no document of grade {level:g} or more; they score as the measure says"
            notes.append(Note("no-relevant", message, count=len(none), examples=_some(run.qrels.queries, none)))
    if run.qrels.groups is not None and len(run.qrels.groups.doc) > len(run.qrels.docs):
        several = len(np.unique(run.qrels.groups.doc[1:][np.diff(run.qrels.groups.doc) == 0]))
        if any("groups" not in definition_of(m).needs for m in measures):
            message = f"{several} documents are judged in several groups; measures without groups take the highest grade"
            notes.append(Note("grouped-judgments", message, count=several))
    return notes


def _some(ids: Ids, indices: IntArray) -> tuple[str, ...]:
    return tuple(ids[int(i)] for i in indices[:EXAMPLES])


def _missing_topics(run: JudgedRun, topics: str) -> list[Note]:
    missing = np.flatnonzero(~run.in_run)
    if not len(missing):
        return []
    what = "count as empty rankings" if topics == "qrels" else "are left out"
    message = f"{len(missing)} of {run.num_queries} judged topics are not in the run; they {what}"
    return [Note("missing-topics", message, run.name, len(missing), _some(run.qrels.queries, missing))]


def _unknown_topics(run: JudgedRun) -> list[Note]:
    unknown = run.unknown_queries
    if not unknown:
        return []
    message = f"{len(unknown)} queries of the run are not in the judgments; they are ignored"
    return [Note("unknown-topics", message, run.name, len(unknown), unknown[:EXAMPLES])]


def _interleaved(run: JudgedRun) -> list[Note]:
    if not run.interleaved:
        return []
    message = "the queries of this file are interleaved; grouped by query it would be read several times faster"
    return [Note("interleaved", message, run.name)]


def _cutoffs(measures: Sequence[Measure]) -> list[int | None]:
    """The ranks down to which the measures look; None is all."""
    found = {m.at if definition_of(m).at == "cut" and isinstance(m.at, int) else None for m in measures}
    return sorted(found, key=lambda cut: (cut is None, cut or 0))


def _unjudged(run: JudgedRun, cut: int | None) -> list[Note]:
    worked = unjudged_share.work(run, cut=cut) if run.ties != "expected" else None
    if worked is None:
        return []
    unjudged, ranks = int(worked.numerator.sum()), int(run.depth(cut).sum())
    if not unjudged:
        return []
    where = "of the retrieved documents" if cut is None else f"of the top {cut}"
    share = unjudged / ranks
    message = f"{share:.1%} {where} are not judged"
    return [Note("unjudged" if cut is None else f"unjudged@{cut}", message, run.name, unjudged, share=share)]


def _ties(run: JudgedRun, cut: int | None) -> list[Note]:
    """Queries whose value may depend on how ties are broken: a judged document is tied, and across the cutoff."""
    tied = (run.first < run.last) if cut is None else (run.first <= cut) & (run.last > cut)
    queries = np.unique(run.query[tied])
    if not len(queries):
        return []
    where = "a judged document shares its score with another" if cut is None else f"a tie lies across rank {cut}"
    message = f"in {len(queries)} queries {where}; ordered by the rule ties={run.ties}"
    code = "ties" if cut is None else f"ties@{cut}"
    return [Note(code, message, run.name, len(queries), _some(run.qrels.queries, queries))]
