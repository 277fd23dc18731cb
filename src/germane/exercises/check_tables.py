"""Checked answers as text, Markdown, CSV or JSON: one student's, or a class's with who made which mistake."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from germane.exercises.checking import Checked
from germane.report.grids import render_grid

STYLES = ("table", "markdown", "csv", "json")
COLUMNS = ("student", "task", "topic", "answer", "verdict", "mistake")


def render_checked(checked: Sequence[Checked], style: str) -> str:
    """What was right and wrong. Nothing here gives a value away: a student may try again."""
    if style == "json":
        from germane import __version__

        return json.dumps({"germane": __version__, **checked_as_dict(checked)}, indent=1, ensure_ascii=False) + "\n"
    if style == "csv":
        rows = [[c.student, str(c.task), c.topic, c.answer, c.verdict, c.mistake] for c in checked]
        return render_grid(COLUMNS, rows, "csv")
    return _of_a_class(checked, style) if len(_students(checked)) > 1 else _of_one(checked, style)


def checked_as_dict(checked: Sequence[Checked]) -> dict[str, Any]:
    """The same for programs."""
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
    }


def _of_one(checked: Sequence[Checked], style: str) -> str:
    rows = [[str(one.task), one.topic, one.answer or "–", one.verdict] for one in checked]
    hints = [f"{one.task}: you seem to have {one.mistake}\n" for one in checked if one.mistake]
    total = f"{_right(checked)} of {len(checked)} right\n"
    bullets = [f"- {hint}" for hint in hints] if style == "markdown" else hints
    parts = [render_grid(["task", "topic", "answer", "verdict"], rows, style), "".join(bullets), total]
    return "\n".join(filter(None, parts))


def _of_a_class(checked: Sequence[Checked], style: str) -> str:
    students = [
        [student, str(_right(own)), str(len(own)), " ".join(str(one.task) for one in own if one.verdict != "right")]
        for student, own in _students(checked).items()
    ]
    tasks = [
        [str(task), own[0].topic, *(str(count) for count in _counts(own))] for task, own in _tasks(checked).items()
    ]
    mistakes = [
        [str(task), topic, str(len(names)), ", ".join(names), mistake]
        for (task, topic, mistake), names in _mistakes(checked).items()
    ]
    parts = [
        ("Students", ["student", "right", "of", "not right"], students),
        ("Tasks", ["task", "topic", "right", "wrong", "explained", "no answer"], tasks),
        ("Mistakes", ["task", "topic", "count", "students", "seem to have"], mistakes),
    ]
    heading = "## {}" if style == "markdown" else "{}"
    return "\n".join(
        f"{heading.format(title)}\n\n{render_grid(header, rows, style)}" for title, header, rows in parts if rows
    )


def _counts(own: Sequence[Checked]) -> tuple[int, int, int, int]:
    silent = sum(one.verdict == "no answer" for one in own)
    return _right(own), len(own) - _right(own) - silent, sum(bool(one.mistake) for one in own), silent


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
