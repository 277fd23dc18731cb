"""The manifest of a release, and the notes for its maker."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from germane.formats.rows.number_text import whole_or_repr
from germane.judging.consolidate import POLICIES, Consolidated
from germane.judging.rubric import Rubric
from germane.tables.notes.counts import counted_note
from germane.tables.notes.note import Note
from germane.tables.rankings.qrels import Qrels
from germane.tables.truth.judgments import JudgmentEvent, Judgments
from germane.tables.truth.pool import Pool

WHY_LEFT_OUT = {
    "distractor": "a document known to be non-relevant, which tests the assessor",
    "calibration": "practice before the real work",
    "repeat": "shown again to measure self-consistency",
    "withdrawn": "withdrawn by the assessor",
    "changed": "replaced by a later judgment",
    "skipped": "skipped and never judged",
    "not in the pool": "judged but not in the given pool",
}
WITHOUT_GRADE = {
    "unjudged": ("unjudged", "unjudged"),
    "not judgeable": ("not-judgeable", "marked as impossible to judge"),
    "too few": ("too-few-grades", "fewer grades than --min-grades"),
}
"""Note code and reason for a document without a grade, by how it was decided."""


def policy_record(found: Consolidated) -> dict[str, Any]:
    """Describe the policy and how it handles undecided documents."""
    undecided = "skip" if found.policy == "adjudicated" else found.undecided
    given = "no grade (pooled, unjudged)" if undecided == "skip" else f"the {undecided} grade given"
    return {
        "name": found.policy,
        "rule": POLICIES.parse(found.policy).summary,
        "adjudicated": "an adjudicated grade wins",
        "undecided": undecided,
        "undecided_description": given,
        "min_grades": found.min_grades,
    }


def counts_record(found: Consolidated, qrels: Qrels, own: Judgments, num_events: int) -> dict[str, Any]:
    """Count topics, documents, grades and events for the manifest."""
    grades = Counter(whole_or_repr(grade) for grade in qrels.grade.tolist() if grade >= 0)
    return {
        "topics": qrels.num_queries,
        "documents": len(found.decisions),
        "graded": sum(grades.values()),
        "grades": dict(sorted(grades.items(), key=lambda entry: float(entry[0]))),
        "scale": found.scale,
        "decided": found.counts,
        "judgments": len(own),
        "cannot_judge": sum(map(math.isnan, own.grade.tolist())),
        "events": num_events,
        "assessors": len(own.assessors),
    }


def values_named(history: Sequence[JudgmentEvent], key: str) -> dict[str, int]:
    """Count events by rubric or by pool."""
    return dict(sorted(Counter(getattr(event, key) for event in history if getattr(event, key)).items()))


def notes_on_release(
    found: Consolidated,
    left_out: Mapping[str, int],
    history: Sequence[JudgmentEvent],
    pools: Sequence[Pool],
    rubrics: Sequence[Rubric],
) -> Iterable[Note]:
    """Return notes on excluded, undecided and mixed judgments."""
    undecided = [decision for decision in found.decisions if decision.how.endswith("undecided")]
    if undecided:
        has_none = math.isnan(undecided[0].grade)
        got = f"got the {found.undecided} grade given"
        examples = tuple(f"{decision.topic} {decision.doc}" for decision in undecided[:3])
        one = f"undecided document {'has no grade; adjudicate it' if has_none else got}"
        many = f"undecided documents {'have no grade; adjudicate them' if has_none else got}"
        yield counted_note("undecided", len(undecided), one, many, examples)
    for how, (code, why) in WITHOUT_GRADE.items():
        if count := found.counts.get(how, 0):
            yield counted_note(code, count, f"document has no grade: {why}", f"documents have no grade: {why}")
    for what, count in left_out.items():
        why = f"excluded ({what}): {WHY_LEFT_OUT[what]}"
        yield counted_note("excluded-judgments", count, f"judgment {why}", f"judgments {why}")
    if comments := sum(bool(event.text) for event in history):
        one = "comment is in events.jsonl verbatim; read it before publishing"
        many = "comments are in events.jsonl verbatim; read them before publishing"
        yield counted_note("comments", comments, one, many)
    values = values_named(history, "rubric")
    if len(values) > 1:
        fate = "converted to the last version" if rubrics else "merged without conversion"
        message = f"versions of the rubric are in the events; their grades are {fate}"
        yield Note("several-rubrics", str(len(values)), message, count=len(values), examples=tuple(values)[:3])
    strange = set(values_named(history, "pool")) - {pool.hash for pool in pools}
    if pools and strange:
        one, many = (f"of the pools named in events {verb} missing; pass all pools" for verb in ("is", "are"))
        yield counted_note("missing-pools", len(strange), one, many, tuple(sorted(strange))[:3])
    if halves := sum(decision.grade % 1 > 0 for decision in found.decisions):
        one = "grade is not an integer; trec_eval truncates it"
        yield counted_note("fractional-grades", halves, one, "grades are not integers; trec_eval truncates them")
