"""Notes on inter-assessor agreement."""

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
"""Minimum shared documents, and those with another grade than the most frequent one, for reliable intervals."""
MANY_UNDEFINED = 0.01
"""Share of resamples without an alpha above which a note says so."""
LEFT_OUT = (
    (
        "distractor",
        "judgment of a distractor excluded: it tests the assessor",
        "judgments of distractors excluded: they test the assessors",
    ),
    (
        "calibration",
        "judgment of a calibration item excluded by default",
        "judgments of calibration items excluded by default",
    ),
    (
        "repeat",
        "judgment of a repeated item used only for self-consistency",
        "judgments of repeated items used only for self-consistency",
    ),
    (
        ADJUDICATED,
        "adjudication excluded: it was made knowing the other grades",
        "adjudications excluded: they were made knowing the other grades",
    ),
)
"""Kinds of judgments that are excluded, with the text for one and for several."""
SUPERSEDED = {
    "withdrawn": ("judgment superseded: withdrawn by the assessor", "judgments superseded: withdrawn by the assessor"),
    "changed": ("judgment superseded: replaced by a later one", "judgments superseded: replaced by later ones"),
    "skipped": ("document skipped by the assessor, so unjudged", "documents skipped by assessors, so unjudged"),
}
"""Reasons why judgments do not count, with the text for one and for several."""


def notes_on_agreement(
    report: Agreement, said: Judgments, shared: Ratings, *, scale_known: bool, calibration: bool = False
) -> Iterator[Note]:
    """Yield notes on what was counted, excluded, or limits the numbers; `calibration`: those items count."""
    yield from _on_items(report, said, shared)
    yield from _on_controls(report, said, calibration)
    if report.num_shared:  # without a shared document there are no numbers
        yield from _on_numbers(report, shared, scale_known)


def _on_items(report: Agreement, said: Judgments, shared: Ratings) -> Iterator[Note]:
    alone = report.num_items - report.num_shared
    if alone:
        one = "document with fewer than two grades, excluded from agreement"
        many = "documents with fewer than two grades, excluded from agreement"
        yield counted_note("judged-by-one", alone, one, many)
    cannot = sum(judge.cannot_judge for judge in report.judges)
    if cannot:
        examples = tuple(judge.assessor for judge in report.judges if judge.cannot_judge)[:3]
        one = '"cannot judge" response; it has no grade and is excluded from agreement'
        many = '"cannot judge" responses; they have no grade and are excluded from agreement'
        yield counted_note("cannot-judge", cannot, one, many, examples)
    unjudged = len(said.listed - set(zip(said.topic, said.doc, strict=True)))
    if unjudged:
        one = "listed document is unjudged; excluded from agreement"
        many = "listed documents are unjudged; excluded from agreement"
        yield counted_note("unjudged", unjudged, one, many)
    for what, count in said.left_behind.items():
        yield counted_note("superseded", count, *SUPERSEDED[what])
    if report.num_shared and not (np.isnan(shared.grade) | (shared.grade < report.rel)).all(axis=1).any():
        what = "shared document was judged non-relevant by everyone; if such documents were omitted, chance-corrected"
        yield Note("no-common-negatives", "no", f"{what} values are too low (use overlap)")


def _on_controls(report: Agreement, said: Judgments, calibration: bool) -> Iterator[Note]:
    failed = [judge for judge in report.judges if judge.distractors_failed]
    if failed:
        count = sum(judge.distractors_failed for judge in failed)
        examples = tuple(f"{judge.assessor} {judge.distractors_failed} of {judge.distractors}" for judge in failed[:3])
        one = "distractor, known to be non-relevant, was judged relevant; check this assessor's judgments"
        many = "distractors, known to be non-relevant, were judged relevant; check these assessors' judgments"
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
        one = "pair of assessors shares no document, so its agreement is unknown"
        many = "pairs of assessors share no document, so their agreement is unknown"
        yield counted_note("pairs-without-items", len(apart), one, many, examples)
    undefined = [entry for entry in report.overall if math.isnan(entry.value)]
    for reason in dict.fromkeys(entry.undefined for entry in undefined):
        names = tuple(entry.name for entry in undefined if entry.undefined == reason)
        one, many = f"measure is undefined: {reason}", f"measures are undefined: {reason}"
        yield counted_note("undefined", len(names), one, many, names)
    yield from _on_alpha(report, shared)
    if len(report.topics) < FEW_TOPICS:
        what = "intervals resample documents, not topics, so they hold for these topics only"
        yield counted_note("few-topics", len(report.topics), f"topic: {what}", f"topics only: {what}")
    if not scale_known:
        scale = ", ".join(f"{grade:g}" for grade in report.grades)
        gap = bool(len(report.grades) > 1 and np.ptp(np.diff(report.grades)) > 0)
        doubt = "; add the grades between them if the scale has any" if gap else ""
        ending = f"treated as the whole scale, on which AC1 and PABAK depend (change with --grades{doubt})"
        one, many = f"grade was given ({scale}) and is {ending}", f"grades were given ({scale}) and are {ending}"
        yield counted_note("inferred-scale", len(report.grades), one, many)


def _on_alpha(report: Agreement, shared: Ratings) -> Iterator[Note]:
    """Yield notes on what makes the interval of alpha unreliable, and on an assessor who dominates it."""
    if report.num_shared < FEW_DOCUMENTS:
        ending = f"below {FEW_DOCUMENTS}, the interval of alpha has less than {report.level:.0%} coverage"
        one, many = f"document has at least two grades; {ending}", f"documents have at least two grades; {ending}"
        yield counted_note("few-shared", report.num_shared, one, many)
    most = max(report.by_grade, key=lambda entry: entry.given).grade
    others = int((~np.isnan(shared.grade) & (shared.grade != most)).any(axis=1).sum())
    if others < FEW_OTHERS:
        ending = f"a grade other than {most:g}; below {FEW_OTHERS}, alpha depends on a few documents"
        yield counted_note("rare-grade", others, f"shared document got {ending}", f"shared documents got {ending}")
    if report.undefined_resamples > MANY_UNDEFINED * report.resamples:
        ending = f"of {report.resamples} had only one grade and no alpha; its interval excludes them"
        one, many = f"resample {ending}", f"resamples {ending}"
        yield counted_note("undefined-resamples", report.undefined_resamples, one, many)
    if leads_alone({judge.assessor: judge.pair_share for judge in report.judges}):
        lead = max(report.judges, key=lambda judge: judge.pair_share)
        without = "alpha is undefined" if math.isnan(lead.alpha_without) else f"alpha is {lead.alpha_without:.2f}"
        share = f"is in {lead.pair_share:.0%} of all pairs of grades"
        yield Note("dominant-assessor", lead.assessor, f"{share}; without them {without}")
