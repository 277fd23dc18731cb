"""Checked answers as a result: of one student, or of a class with the mistakes of each student."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from operator import attrgetter
from typing import Any, ClassVar, Literal

from germane.tables.notes.note import Note
from germane.tables.results.columns import F, Table, table
from germane.tables.results.result import Result

Verdict = Literal["right", "wrong", "too few digits", "not a number", "no answer"]
NOT_RIGHT: tuple[Verdict, ...] = ("too few digits", "wrong", "not a number", "no answer")

ANSWERS = (
    F("student", "name", people="class"),
    F("task", "count"),
    F("topic", "name"),
    F("answer", "text", empty="–"),
    F("verdict", "text"),
    F("mistake", "text", people="class"),
    F("reason", "text", people="class"),
)
STUDENTS = (
    F("student", "name"),
    F("right", "count"),
    F("tasks", "count", "of"),
    F("not_right", "text", flat=False, nested=False),
)
TASKS = (
    F("task", "count"),
    F("topics", "list", people=False),
    F("topic", "name", flat=False, nested=False),
    F("right", "count"),
    F("answers", "count", people=False),
    *(F(verdict, "count", flat=False, nested=False) for verdict in NOT_RIGHT),
    F("explained", "count", flat=False, nested=False),
)
MISTAKES = (
    F("task", "count"),
    F("topic", "name"),
    F("count", "count", flat=False, nested=False),
    F("students", "list"),
    F("mistake", "text", "likely mistake"),
)


@dataclass(frozen=True)
class Checked:
    """One checked answer.

    `mistake` is the known mistake that leads to exactly this value; `reason` says why an answer is not a number.
    """

    student: str
    task: int
    topic: str
    answer: str
    verdict: Verdict
    mistake: str = ""
    reason: str = ""


@dataclass(frozen=True)
class CheckedFiles(Result):
    """The checked answers of files. Right values are not revealed, so that students can try again."""

    answers: list[Checked]
    notes: tuple[Note, ...] = ()

    schema: ClassVar[str] = "exercise-check/1"

    def tables(self) -> Iterator[Table]:
        """Yield the tables of answers, students, tasks and mistakes."""
        students = self._by("student")
        yield table("answers", ANSWERS, self.answers, when={"class": len(students) > 1})
        yield table("students", STUDENTS, [_student(*entry) for entry in students.items()], title="Students")
        tasks = [_task(*entry) for entry in sorted(self._by("task").items())]
        yield table("tasks", TASKS, tasks, title="Tasks")
        rows: list[dict[str, Any]] = [
            {"task": task, "topic": topic, "mistake": mistake, "count": len(own), "students": [o.student for o in own]}
            for (task, topic, mistake), own in self._by("task", "topic", "mistake").items()
            if mistake
        ]
        rows.sort(key=lambda row: (row["task"], -len(row["students"]), row["mistake"]))  # the most frequent first
        yield table("mistakes", MISTAKES, rows, title="Mistakes")

    def _by(self, *names: str) -> dict[Any, list[Checked]]:
        """Group the answers by one or several of their fields."""
        found: dict[Any, list[Checked]] = {}
        for one in self.answers:
            found.setdefault(attrgetter(*names)(one), []).append(one)
        return found

    def shown(self, *, digits: int = 4) -> Iterator[Table | str]:
        """Yield students, tasks and mistakes of a class; or every answer of one student."""
        answers, students, tasks, mistakes = self.tables()
        if len(students) > 1:
            yield from (each for each in (students, tasks, mistakes) if len(each))
            return
        yield answers
        remarks = {one.task: f"you seem to have {one.mistake}" if one.mistake else one.reason for one in self.answers}
        hints = "".join(f"{task}: {why}\n" for task, why in remarks.items() if why)
        if hints:
            yield hints
        whose = next((f"{one.student}: " for one in self.answers if one.student), "")
        yield f"{whose}{_right(self.answers)} of {len(self.answers)} right\n"


def _student(student: str, own: Sequence[Checked]) -> dict[str, Any]:
    wrong = " ".join(str(one.task) for one in own if one.verdict != "right")
    return {"student": student, "right": _right(own), "tasks": len(own), "not_right": wrong}


def _task(task: int, own: Sequence[Checked]) -> dict[str, Any]:
    verdicts = Counter(one.verdict for one in own)
    return {
        "task": task,
        "topics": sorted({one.topic for one in own}),
        "topic": own[0].topic,
        "right": _right(own),
        "answers": len(own),
        **{verdict: verdicts[verdict] for verdict in NOT_RIGHT},
        "explained": sum(bool(one.mistake) for one in own),
    }


def _right(checked: Sequence[Checked]) -> int:
    return sum(one.verdict == "right" for one in checked)
