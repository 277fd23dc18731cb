"""Checked answers as text, Markdown, CSV or JSON: one student's, or a class's with who made which mistake."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from typing import Any

from germane.exercises.checking import Checked, CheckedFiles, Verdict
from germane.report.grids import render_grid
from germane.report.notes import note_as_dict

STYLES = ("table", "markdown", "csv", "json")
COLUMNS = ("student", "task", "topic", "answer", "verdict", "mistake", "why")
NOT_RIGHT: tuple[Verdict, ...] = ("too few digits", "wrong", "not a number", "no answer")


def render_checked(found: CheckedFiles, style: str) -> str:
    """What was right and wrong. Nothing here gives a value away: a student may try again."""
    checked = found.answers
    if style == "json":
        from germane import __version__

        return json.dumps({"germane": __version__, **checked_as_dict(found)}, indent=1, ensure_ascii=False) + "\n"
    if style == "csv":
        rows = [[str(getattr(one, name)) for name in COLUMNS] for one in checked]
        return render_grid(COLUMNS, rows, "csv")
    return _of_a_class(checked, style) if len(_students(checked)) > 1 else _of_one(checked, style)


def checked_as_dict(found: CheckedFiles) -> dict[str, Any]:
    """The same for programs."""
    checked = found.answers
    return {
        "answers": [{name: getattr(one, name) for name in COLUMNS} for one in checked],
        "students": [
            {"student": student, "right": _right(own), "tasks": len(own)} for student, own in _students(checked).items()
        ],
        "tasks": [
            {"task": task, "topics": sorted({one.topic for one in own}), "right": _right(own), "answers": len(own)}
            for task, own in _tasks(checked).items()
        ],
        "mistakes": [
            {"task": task, "topic": topic, "mistake": mistake, "students": students}
            for (task, topic, mistake), students in _mistakes(checked).items()
        ],
        "notes": [note_as_dict(note) for note in found.notes],
    }


def _of_one(checked: Sequence[Checked], style: str) -> str:
    rows = [[str(one.task), one.topic, one.answer or "–", one.verdict] for one in checked]
    told = {one.task: f"you seem to have {one.mistake}" if one.mistake else one.why for one in checked}
    hints = [f"{task}: {why}\n" for task, why in told.items() if why]
    whose = next((f"{one.student}: " for one in checked if one.student), "")
    total = f"{whose}{_right(checked)} of {len(checked)} right\n"
    bullets = [f"- {hint}" for hint in hints] if style == "markdown" else hints
    parts = [render_grid(["task", "topic", "answer", "verdict"], rows, style), "".join(bullets), total]
    return "\n".join(filter(None, parts))


def _of_a_class(checked: Sequence[Checked], style: str) -> str:
    students = [
        [student, str(_right(own)), str(len(own)), " ".join(str(one.task) for one in own if one.verdict != "right")]
        for student, own in _students(checked).items()
    ]
    tasks = [
        [str(task), own[0].topic, str(_right(own)), *map(str, _counts(own))] for task, own in _tasks(checked).items()
    ]
    mistakes = [
        [str(task), topic, str(len(names)), ", ".join(names), mistake]
        for (task, topic, mistake), names in _mistakes(checked).items()
    ]
    parts = [
        ("Students", ["student", "right", "of", "not right"], students),
        ("Tasks", ["task", "topic", "right", *NOT_RIGHT, "explained"], tasks),
        ("Mistakes", ["task", "topic", "count", "students", "seem to have"], mistakes),
    ]
    heading = "## {}" if style == "markdown" else "{}"
    return "\n".join(
        f"{heading.format(title)}\n\n{render_grid(header, rows, style)}" for title, header, rows in parts if rows
    )


def _counts(own: Sequence[Checked]) -> list[int]:
    """How many are not right, by verdict, and of how many of the wrong ones the mistake is known."""
    verdicts = Counter(one.verdict for one in own)
    return [*(verdicts[verdict] for verdict in NOT_RIGHT), sum(bool(one.mistake) for one in own)]


def _right(checked: Sequence[Checked]) -> int:
    return sum(one.verdict == "right" for one in checked)


def _students(checked: Sequence[Checked]) -> dict[str, list[Checked]]:
    found: dict[str, list[Checked]] = {}
    for one in checked:
        found.setdefault(one.student, []).append(one)
    return found


def _tasks(checked: Sequence[Checked]) -> dict[int, list[Checked]]:
    found: dict[int, list[Checked]] = {}
    for one in sorted(checked, key=lambda one: one.task):
        found.setdefault(one.task, []).append(one)
    return found


def _mistakes(checked: Sequence[Checked]) -> dict[tuple[int, str, str], list[str]]:
    """Who made each mistake, the commonest first within a task."""
    found: dict[tuple[int, str, str], list[str]] = {}
    for one in checked:
        if one.mistake:
            found.setdefault((one.task, one.topic, one.mistake), []).append(one.student)
    return dict(sorted(found.items(), key=lambda entry: (entry[0][0], -len(entry[1]), entry[0][2])))
