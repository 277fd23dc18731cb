"""What a reader of an agreement report must know besides the numbers."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator

import numpy as np

from germane.api.truth.agreement_by_pair import leads_alone
from germane.stats.intervals.agreement import FEW_TOPICS
from germane.tables.notes.counts import counted_note
from germane.tables.notes.note import Note
from germane.tables.results.agreement import Agreement
from germane.tables.truth.judgments import ADJUDICATED, MIN_READING_SECONDS, Judgments, Ratings

FEW_DOCUMENTS, FEW_OTHERS = 30, 10
"""Shared documents, and those with another grade than the most frequent one, below which intervals cover too little."""
MANY_UNDEFINED = 0.01
"""Share of resamples without an alpha above which the interval of alpha speaks of the others only."""
LEFT_OUT = (
    (
        "distractor",
        "judgment of a distractor tests the assessor and is left out",
        "judgments of distractors test the assessors and are left out",
    ),
    (
        "calibration",
        "judgment of a calibration item is left out, unless asked for",
        "judgments of calibration items are left out, unless asked for",
    ),
    (
        "repeat",
        "judgment of a repeated item tells self-consistency only",
        "judgments of repeated items tell self-consistency only",
    ),
    (
        ADJUDICATED,
        "adjudication was made knowing the other grades and is left out",
        "adjudications were made knowing the other grades and are left out",
    ),
)
"""Kinds of judgments that are no part of the numbers, with what is said of one and of many."""


def notes_on_agreement(
    report: Agreement, said: Judgments, shared: Ratings, *, scale_known: bool, calibration: bool = False
) -> Iterator[Note]:
    """Everything that was counted, left out, or limits what the numbers can say; `calibration`: those items count."""
    yield from _on_items(report, said, shared)
    yield from _on_controls(report, said, calibration)
    if report.num_shared:  # without a shared document there are no numbers
        yield from _on_numbers(report, shared, scale_known)


def _on_items(report: Agreement, said: Judgments, shared: Ratings) -> Iterator[Note]:
    alone = report.num_items - report.num_shared
    if alone:
        one = "document has no two grades and says nothing about agreement"
        many = "documents have no two grades and say nothing about agreement"
        yield counted_note("judged-by-one", alone, one, many)
    cannot = sum(judge.cannot_judge for judge in report.judges)
    if cannot:
        examples = tuple(judge.assessor for judge in report.judges if judge.cannot_judge)[:3]
        one, many = 'judgment is "cannot judge" and has no grade', 'judgments are "cannot judge" and have no grade'
        yield counted_note("cannot-judge", cannot, one, many, examples)
    unjudged = len(said.listed - set(zip(said.topic, said.doc, strict=True)))
    if unjudged:
        one, many = "document is listed and was judged by nobody", "documents are listed and were judged by nobody"
        yield counted_note("unjudged", unjudged, one, many)
    for what, count in said.left_behind.items():
        yield counted_note("superseded", count, f"answer does not stand: {what}", f"answers do not stand: {what}")
    if report.num_shared and not (np.isnan(shared.grade) | (shared.grade < report.rel)).all(axis=1).any():
        what = "shared document is not relevant to all its assessors: if such documents were left out, chance-corrected"
        yield Note("no-common-negatives", "no", f"{what} values are too low, and overlap is what to look at")


def _on_controls(report: Agreement, said: Judgments, calibration: bool) -> Iterator[Note]:
    failed = [judge for judge in report.judges if judge.distractors_failed]
    if failed:
        count = sum(judge.distractors_failed for judge in failed)
        examples = tuple(f"{judge.assessor} {judge.distractors_failed} of {judge.distractors}" for judge in failed[:3])
        one = "distractor, known not to be relevant, was called relevant"
        many = "distractors, known not to be relevant, were called relevant"
        yield counted_note("distractors-failed", count, one, many, examples)
    fast = [judge for judge in report.judges if judge.too_fast]
    if fast:
        examples = tuple(f"{judge.assessor} {judge.too_fast}" for judge in fast[:3])
        ending = f"given in under {MIN_READING_SECONDS:g} s, too fast to read a line; counted like any other"
        count = sum(judge.too_fast for judge in fast)
        yield counted_note("too-fast", count, f"judgment {ending}", f"judgments {ending}", examples)
    kinds: Counter[str] = Counter(said.kind)
    if calibration:
        del kinds["calibration"]
    for kind, one, many in LEFT_OUT:
        if kinds[kind]:
            yield counted_note(f"{kind}-items", kinds[kind], one, many)


def _on_numbers(report: Agreement, shared: Ratings, scale_known: bool) -> Iterator[Note]:
    apart = [pair for pair in report.pairs if not pair.num_docs]
    if apart:
        examples = tuple(f"{pair.first} and {pair.second}" for pair in apart[:3])
        one, many = "pair of assessors shares no document", "pairs of assessors share no document"
        yield counted_note("pairs-without-items", len(apart), one, many, examples)
    undefined = [entry for entry in report.overall if math.isnan(entry.value)]
    for reason in dict.fromkeys(entry.undefined for entry in undefined):
        names = tuple(entry.name for entry in undefined if entry.undefined == reason)
        one, many = f"measure is undefined: {reason}", f"measures are undefined: {reason}"
        yield counted_note("undefined", len(names), one, many, names)
    yield from _on_alpha(report, shared)
    if len(report.topics) < FEW_TOPICS:
        what = "intervals resample documents, not topics, so they do not cover other topics"
        yield counted_note("few-topics", len(report.topics), f"topic: {what}", f"topics only: {what}")
    if not scale_known:
        scale = ", ".join(f"{grade:g}" for grade in report.grades)
        gap = bool(len(report.grades) > 1 and np.ptp(np.diff(report.grades)) > 0)
        doubt = "; are there grades between them?" if gap else ""
        ending = f"taken for the whole scale, on which AC1 and PABAK depend{doubt}"
        one, many = f"grade was given ({scale}) and is {ending}", f"grades were given ({scale}) and are {ending}"
        yield counted_note("inferred-scale", len(report.grades), one, many)


def _on_alpha(report: Agreement, shared: Ratings) -> Iterator[Note]:
    """What makes the interval of alpha cover less often than it says, and the assessor on whom all hangs."""
    if report.num_shared < FEW_DOCUMENTS:
        ending = f"below {FEW_DOCUMENTS} the interval of alpha covers less often than {report.level:.0%}"
        one, many = f"document has two grades or more; {ending}", f"documents have two grades or more; {ending}"
        yield counted_note("few-shared", report.num_shared, one, many)
    most = max(report.by_grade, key=lambda entry: entry.given).grade
    others = int((~np.isnan(shared.grade) & (shared.grade != most)).any(axis=1).sum())
    if others < FEW_OTHERS:
        ending = f"another grade than {most:g}; below {FEW_OTHERS} alpha hangs on a few documents"
        yield counted_note("rare-grade", others, f"shared document got {ending}", f"shared documents got {ending}")
    if report.undefined_resamples > MANY_UNDEFINED * report.resamples:
        ending = f"of {report.resamples} gave one grade only and no alpha; its interval is without them"
        one, many = f"resample {ending}", f"resamples {ending}"
        yield counted_note("undefined-resamples", report.undefined_resamples, one, many)
    if leads_alone({judge.assessor: judge.pair_share for judge in report.judges}):
        lead = max(report.judges, key=lambda judge: judge.pair_share)
        without = "there is no alpha" if math.isnan(lead.alpha_without) else f"alpha is {lead.alpha_without:.2f}"
        share = f"is in {lead.pair_share:.0%} of all pairs of grades"
        yield Note("dominant-assessor", lead.assessor, f"{share}; without them {without}")
