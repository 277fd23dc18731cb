"""Grades given under an earlier version of the rubric, as the last version has them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from germane.errors import InputError
from germane.judging.rubric import Rubric, grade_now
from germane.tables.judgments import JudgmentEvent


def under_last_rubric(events: Iterable[JudgmentEvent], versions: Sequence[Rubric]) -> list[JudgmentEvent]:
    """The same events with the grades of the last version. A grade to which nothing corresponds is taken away.

    What is left without a grade stands as "cannot judge": under the last version, nobody has judged it.

    >>> from germane.judging.rubric import binary, graded
    >>> second = binary().next_version(graded(["no", "a bit", "yes"]).grades, 2, {0: 0, 1: 2})
    >>> said = JudgmentEvent("e1", "grade", "ann", "q1", "d1", 1.0, rubric="1")
    >>> under_last_rubric([said], [binary(), second])[0].grade
    2
    """
    return [_regraded(event, versions) for event in events] if len(versions) > 1 else list(events)


def _regraded(event: JudgmentEvent, versions: Sequence[Rubric]) -> JudgmentEvent:
    if event.grade is None or not event.rubric:
        return event
    if event.rubric not in {rubric.version for rubric in versions}:
        known = ", ".join(rubric.version for rubric in versions)
        problem = f"expected a version of the rubric ({known}), found {event.rubric!r} in event {event.event!r}"
        raise InputError("events", None, problem)
    grade = grade_now(event.grade, event.rubric, versions)
    if grade is None and event.kind == "grade":
        return replace(event, grade=None, kind="cannot")
    return replace(event, grade=grade)
