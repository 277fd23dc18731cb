"""Schemas of exercises: sheets of tasks, and answers that were checked."""

from __future__ import annotations

from docs.schemas.building import Schema, document, listed, record, text, whole

STUDENT, TASK, TOPIC = text("the student; empty for one sheet for all"), whole("the task's number"), text("its topic")
MISTAKE = text("the mistake that leads to this value, if recognised")
CHECKED = document(
    "output of `germane exercise check --format json`",
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
                    "answer": text("the answer as written"),
                    "verdict": text("the mark: right, wrong, …"),
                    "mistake": MISTAKE,
                    "reason": text("why the answer is not a number; empty if it is one"),
                },
            ),
        ),
        "students": listed(
            "every student",
            record(
                "a student",
                {"student": STUDENT, "right": whole("number of correct answers"), "tasks": whole("number of tasks")},
            ),
        ),
        "tasks": listed(
            "every task",
            record(
                "a task",
                {
                    "task": TASK,
                    "topics": listed("the topics that it covers", TOPIC),
                    "right": whole("number of correct answers"),
                    "answers": whole("number of answers"),
                },
            ),
        ),
        "mistakes": listed(
            "recognised mistakes",
            record(
                "a mistake",
                {
                    "task": TASK,
                    "topic": TOPIC,
                    "mistake": MISTAKE,
                    "students": listed("the students who made it", STUDENT),
                },
            ),
        ),
    },
)

SCHEMAS: dict[str, Schema] = {"exercise-check": CHECKED}
