"""Schemas of exercises: sheets of tasks, and answers that were checked."""

from __future__ import annotations

from docs.schemas.building import Schema, document, listed, record, text, whole

STUDENT, TASK, TOPIC = text("the student; empty for one sheet for all"), whole("the task's number"), text("its topic")
MISTAKE = text("what leads to just that value, where it is known")
CHECKED = document(
    "what `germane exercise check --format json` prints",
    "exercise-check",
    {
        "answers": listed(
            "every answer",
            record(
                "an answer",
                {
                    "student": STUDENT,
                    "task": TASK,
                    "topic": TOPIC,
                    "answer": text("what was written"),
                    "verdict": text("what it is worth"),
                    "mistake": MISTAKE,
                    "reason": text("why it is not a number, where it is none"),
                },
            ),
        ),
        "students": listed(
            "every student",
            record("a student", {"student": STUDENT, "right": whole("right answers"), "tasks": whole("of how many")}),
        ),
        "tasks": listed(
            "every task",
            record(
                "a task",
                {
                    "task": TASK,
                    "topics": listed("what it asks for", TOPIC),
                    "right": whole("right answers"),
                    "answers": whole("of how many"),
                },
            ),
        ),
        "mistakes": listed(
            "mistakes that were made",
            record(
                "a mistake",
                {"task": TASK, "topic": TOPIC, "mistake": MISTAKE, "students": listed("by whom", STUDENT)},
            ),
        ),
    },
)

SCHEMAS: dict[str, Schema] = {"exercise-check": CHECKED}
