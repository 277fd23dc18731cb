"""What a reader of an agreement report must know besides the numbers."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator

import numpy as np

from germane.tables.agreement_report import AgreementReport
from germane.tables.judgments import ADJUDICATED, Judgments, Ratings
from germane.tables.scores import Note

FEW_TOPICS = 10


def notes_on_agreement(
    report: AgreementReport, said: Judgments, shared: Ratings, *, scale_known: bool
) -> Iterator[Note]:
    """Everything that was counted, left out, or limits what the numbers can say."""
    yield from _on_items(report, said, shared)
    yield from _on_controls(report, said)
    yield from _on_numbers(report, scale_known)


def _on_items(report: AgreementReport, said: Judgments, shared: Ratings) -> Iterator[Note]:
    alone = report.num_items - report.num_shared
    if alone:
        yield _note("judged-by-one", alone, "documents have no two grades and say nothing about agreement")
    cannot = sum(judge.cannot for judge in report.judges)
    if cannot:
        examples = tuple(judge.assessor for judge in report.judges if judge.cannot)[:3]
        yield _note("cannot-judge", cannot, 'judgments are "cannot judge" and have no grade', examples)
    unjudged = len(said.listed - set(zip(said.topic, said.doc, strict=True)))
    if unjudged:
        yield _note("not-judged", unjudged, "documents are listed and were judged by nobody")
    for what, count in said.left_behind.items():
        yield _note("left-behind", count, f"answers do not stand: {what}")
    if report.num_shared and not (np.isnan(shared.grade) | (shared.grade < report.rel)).all(axis=1).any():
        what = "shared document is not relevant to all its judges: if such documents were left out, chance-corrected"
        yield Note("no-common-negatives", "no", f"{what} values are too low, and overlap is what to look at")


def _on_controls(report: AgreementReport, said: Judgments) -> Iterator[Note]:
    failed = [judge for judge in report.judges if judge.distractors_failed]
    if failed:
        count = sum(judge.distractors_failed for judge in failed)
        examples = tuple(f"{judge.assessor} {judge.distractors_failed} of {judge.distractors}" for judge in failed[:3])
        yield _note(
            "distractors-failed", count, "distractors, known not to be relevant, were called relevant", examples
        )
    kinds: Counter[str] = Counter(said.kind)
    for kind, what in (
        ("distractor", "judgments of distractors test the assessors and are left out"),
        ("calibration", "judgments of calibration items are left out, unless asked for"),
        ("repeat", "judgments of repeated items tell self-consistency only"),
        (ADJUDICATED, "adjudications were made knowing the other grades and are left out"),
    ):
        if kinds[kind]:
            yield _note(f"{kind}-items", kinds[kind], what)


def _on_numbers(report: AgreementReport, scale_known: bool) -> Iterator[Note]:
    apart = [pair for pair in report.pairs if not pair.items]
    if apart:
        examples = tuple(f"{pair.first} and {pair.second}" for pair in apart[:3])
        yield _note("pairs-without-items", len(apart), "pairs of judges share no document; means skip them", examples)
    without = [pair for pair in report.pairs if pair.items and math.isnan(pair.values["kappa"])]
    if without:
        examples = tuple(f"{pair.first} and {pair.second}" for pair in without[:3])
        yield _note("undefined-pairs", len(without), "pairs of judges have no kappa; means skip them", examples)
    undefined = [entry for entry in report.overall if math.isnan(entry.value)]
    for reason in dict.fromkeys(entry.reason for entry in undefined):
        names = tuple(entry.name for entry in undefined if entry.reason == reason)
        yield Note("undefined", str(len(names)), f"measures are undefined: {reason}", None, len(names), names)
    if 0 < len(report.topics) < FEW_TOPICS:
        what = "topics only: intervals know little of how topics differ"
        yield _note(
            "few-topics", len(report.topics), what if len(report.topics) > 1 else "topic: intervals are over items"
        )
    if not scale_known:
        scale = ", ".join(f"{grade:g}" for grade in report.grades)
        gap = bool(len(report.grades) > 1 and np.ptp(np.diff(report.grades)) > 0)
        doubt = "; are there grades between them?" if gap else ""
        what = f"grades were given ({scale}) and are taken for the whole scale, on which AC1 and PABAK depend{doubt}"
        yield _note("scale", len(report.grades), what)


def _note(code: str, count: int, what: str, examples: tuple[str, ...] = ()) -> Note:
    return Note(code, f"{count:,}", what, None, count, examples)
