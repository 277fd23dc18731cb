"""Notes on runs and judgments: missing queries, ties, unjudged documents, and their counts."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from germane.measures.definition import MEASURES
from germane.measures.rankings.counts import unjudged_share
from germane.tables.columns.ids import Ids, IntArray
from germane.tables.notes.counts import EXAMPLES, counted, notes_on_ids
from germane.tables.notes.note import Note
from germane.tables.rankings.judged_run import JudgedRun
from germane.tables.rankings.measure import Measure
from germane.tables.rankings.qrels import Qrels

TIES_IN_WORDS = {
    "docno": "broken by docno",
    "order": "broken by input order",
    "rank": "broken by rank",
    "best": "in the best possible order",
    "worst": "in the worst possible order",
    "expected": "averaged over all orders",
}
"""How ties were handled, by the value of `ties`."""


def notes_on(run: JudgedRun, measures: Sequence[Measure], topics: str) -> list[Note]:
    """Return the notes on one run."""
    notes = notes_on_ids(
        "unjudged-queries", run.unknown_queries, "query", f"not in {run.qrels.name}; ignored", run.name
    )
    missing = np.flatnonzero(~run.in_run)
    if len(missing):
        what = f"missing from the run; {'scored as empty rankings' if topics == 'qrels' else 'skipped'}"
        examples = _some(run.qrels.queries, missing)
        notes.insert(0, _note("missing-queries", len(missing), "judged query", what, run.name, examples))
    if run.interleaved:
        what = "lines are not grouped by query, so reading is slower"
        notes.append(Note("interleaved", "", what, run.name))
    # Rising scores can be right, but seldom are.
    rows = int(np.count_nonzero(run.num_retrieved > 1))
    if rows and run.rising_queries >= rows:
        what = "scores increase down the file; are they ranks or distances? Higher must mean better"
        notes.append(Note("rising-scores", "", what, run.name))
    if not len(run.doc):
        what = "no retrieved document is in the qrels; check that document ids match"
        notes.append(Note("no-judged-document", "", what, run.name))
    for cut in _cutoffs(run, measures):
        notes += [*_unjudged(run, cut, measures), *_ties(run, cut)]
    return notes


def notes_on_qrels(qrels: Qrels, measures: Sequence[Measure]) -> list[Note]:
    """Return the notes on the judgments."""
    notes = []
    for level in sorted({float(str(dict(m.parameters).get("rel", 1))) for m in measures}):
        none = np.flatnonzero(qrels.num_relevant(level) == 0)
        if len(none):
            what = f"without a relevant document (grade ≥ {level:g}); most measures score them 0"
            notes.append(_note("no-relevant", len(none), "query", what, examples=_some(qrels.queries, none)))
    if qrels.sampling is None and any(m.name == "XinfAP" for m in measures) and (qrels.grade < 0).any():
        what = "pooled but unjudged, without strata; XinfAP treats the pool as one stratum, as InfAP does"
        notes.append(_note("no-strata", int((qrels.grade < 0).sum()), "document", what))
    groups = qrels.groups
    if groups is not None and any("groups" not in MEASURES[m].needs for m in measures):
        several = len(np.unique(groups.doc[1:][np.diff(groups.doc) == 0]))
        what = "judged in several groups; measures that ignore groups use the highest grade"
        notes += [_note("grouped-judgments", several, "document", what)] if several else []
    return notes


def _note(code: str, count: int, noun: str, what: str, run: str | None = None, examples: tuple[str, ...] = ()) -> Note:
    return Note(code, counted(count, noun), what, run, count, examples)


def _some(ids: Ids, indices: IntArray) -> tuple[str, ...]:
    return tuple(ids[int(i)] for i in indices[:EXAMPLES])


def _cutoffs(run: JudgedRun, measures: Sequence[Measure]) -> list[int | None]:
    """Return the cutoffs of the measures; None is the whole ranking, as is a cutoff that no ranking reaches."""
    cuts = {m.at if MEASURES[m].at == "cut" and isinstance(m.at, int) else None for m in measures}
    found = {None if cut is None or cut >= run.num_retrieved.max() else cut for cut in cuts}
    return sorted(found, key=lambda cut: (cut is None, cut or 0))


def _unjudged(run: JudgedRun, cut: int | None, measures: Sequence[Measure]) -> list[Note]:
    unjudged = round(float(unjudged_share.work(run, cut=cut).numerator.sum()), 6)
    if not unjudged:
        return []
    share = unjudged / int(run.depth(cut).sum())
    what = "unjudged among retrieved documents" if cut is None else f"unjudged in the top {cut}"
    if not any(MEASURES[m].family == "incomplete" or dict(m.parameters).get("judged_only") for m in measures):
        what += " (counted as non-relevant)"
    code = "unjudged" if cut is None else f"unjudged@{cut}"
    return [Note(code, f"{share:.1%}", what, run.name, round(unjudged), share=share)]


def _ties(run: JudgedRun, cut: int | None) -> list[Note]:
    """Return a note on the queries whose value may depend on how ties are broken.

    A judged document is tied there, across the cutoff if there is one.
    """
    tied = (run.first < run.last) if cut is None else (run.first <= cut) & (run.last > cut)
    queries = np.flatnonzero(np.bincount(run.query[tied], minlength=run.num_queries))
    if not len(queries):
        return []
    where = "with a tied judged document, ties" if cut is None else f"with ties across rank {cut},"
    how = TIES_IN_WORDS[run.ties]
    code, examples = "ties" if cut is None else f"ties@{cut}", _some(run.qrels.queries, queries)
    return [_note(code, len(queries), "query", f"{where} {how}", run.name, examples)]
