"""What the manifest of a release says about it, and what the person who makes it is told."""

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
    "distractor": "a document known not to be relevant: it tests the assessor",
    "calibration": "judged to learn the scale, before the work itself",
    "repeat": "shown again to see whether the assessor says the same",
    "taken back": "undone by the assessor",
    "changed": "replaced by a later answer",
    "put off": "left for later and not judged since",
    "not in the pool": "judged, and not listed by the pool that was given",
}


def policy_record(found: Consolidated) -> dict[str, Any]:
    """The policy in words, with what it does where it cannot decide."""
    undecided = "skip" if found.policy == "adjudicated" else found.undecided
    given = "no grade: pooled, not judged" if undecided == "skip" else f"the {undecided} grade given"
    return {
        "name": found.policy,
        "rule": POLICIES.parse(found.policy).summary,
        "adjudicated": "an adjudicated grade wins",
        "undecided": undecided,
        "undecided_description": given,
        "min_grades": found.min_grades,
    }


def counts_record(found: Consolidated, qrels: Qrels, own: Judgments, num_events: int) -> dict[str, Any]:
    """How many of what."""
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
    """The rubrics, or the pools, that events name, and how many do."""
    return dict(sorted(Counter(getattr(event, key) for event in history if getattr(event, key)).items()))


def notes_on_release(
    found: Consolidated,
    left_out: Mapping[str, int],
    history: Sequence[JudgmentEvent],
    pools: Sequence[Pool],
    rubrics: Sequence[Rubric],
) -> Iterable[Note]:
    """What was left out, left open, or put together though it may not belong together."""
    undecided = [decision for decision in found.decisions if decision.how.endswith("undecided")]
    if undecided:
        has_none = math.isnan(undecided[0].grade)
        got = f"got the {found.undecided} grade given"
        examples = tuple(f"{decision.topic} {decision.doc}" for decision in undecided[:3])
        one = f"document on which the policy cannot decide {'has no grade' if has_none else got}"
        many = f"documents on which the policy cannot decide {'have no grade' if has_none else got}"
        yield counted_note("undecided", len(undecided), one, many, examples)
    for code, how in (("unjudged", "not judged"), ("not-judgeable", "not judgeable"), ("too-few-grades", "too few")):
        if count := found.counts.get(how, 0):
            yield counted_note(code, count, f"document has no grade: {how}", f"documents have no grade: {how}")
    for what, count in left_out.items():
        why = f"left out, {what}: {WHY_LEFT_OUT[what]}"
        yield counted_note("excluded-judgments", count, f"judgment {why}", f"judgments {why}")
    if comments := sum(bool(event.text) for event in history):
        one = "comment is in events.jsonl as it was written: read it before you publish it"
        many = "comments are in events.jsonl as they were written: read them before you publish it"
        yield counted_note("comments", comments, one, many)
    values = values_named(history, "rubric")
    if len(values) > 1:
        fate = "put into those of the last version" if rubrics else "taken together as they are"
        message = f"versions of the rubric are in the events; their grades are {fate}"
        yield Note("several-rubrics", str(len(values)), message, count=len(values), examples=tuple(values)[:3])
    strange = set(values_named(history, "pool")) - {pool.hash for pool in pools}
    if pools and strange:
        one, many = (f"of the pools that events name {verb} not among those given" for verb in ("is", "are"))
        yield counted_note("missing-pools", len(strange), one, many, tuple(sorted(strange))[:3])
    if halves := sum(decision.grade % 1 > 0 for decision in found.decisions):
        one = "grade is no whole number, which trec_eval cuts"
        yield counted_note("fractional-grades", halves, one, "grades are no whole numbers, which trec_eval cuts")
