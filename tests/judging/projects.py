"""Small judging projects for the tests, and a clock that only moves when told to."""

import uuid
from dataclasses import dataclass
from typing import Any

from germane.judging.rubric import graded
from germane.judging.store.answers import Answer, Receipt
from germane.judging.store.connection import Database
from germane.judging.store.events import record
from germane.judging.store.project import Settings, load_pool, save_rubric, save_settings
from germane.judging.store.queues import BlindTask, next_tasks
from germane.tables.truth.pool import Pool, PoolItem


@dataclass
class Clock:
    """Seconds since 1970, as long as nobody says otherwise: some morning in 2026."""

    now: float = 1.77e9

    def __call__(self) -> float:
        return self.now

    def advance(self, seconds: float) -> None:
        self.now += seconds


def pool_of(spec: str) -> Pool:
    """``"q1: d1 d2 d3*distractor; q2: d1"``: topics and documents, with the kind of those that are not ordinary."""
    items = []
    for part in spec.split(";"):
        topic, _, docs = part.partition(":")
        for word in docs.split():
            doc, _, kind = word.partition("*")
            items.append(PoolItem(topic.strip(), doc, kind=kind or "ordinary"))  # type: ignore[arg-type]
    return Pool.of(items, method="by hand")


def project(database: Database, spec: str, judgments_per_document: int = 1, **settings: Any) -> Database:
    """A project with these documents, the grades 0, 1 and 2 and, unless asked for, no repeats."""
    load_pool(database, pool_of(spec))
    save_rubric(database, graded(["not", "partly", "fully"]))
    save_settings(database, Settings(judgments_per_document, **{"repeat_share": 0.0, **settings}))
    return database


def answer(task: BlindTask | str, grade: float | None = 1, kind: str = "grade", **more: Any) -> Answer:
    """An answer with an id of its own."""
    name = task if isinstance(task, str) else task.task
    grade = grade if kind in ("grade", "adjudicate") else None
    more = {"event": str(uuid.uuid4()), "rubric": "1"} | more
    return Answer(task=name, kind=kind, grade=grade, **more)  # type: ignore[arg-type]


def say(database: Database, assessor: str, task: BlindTask | str, grade: float | None = 1, **more: Any) -> Receipt:
    """Record one answer."""
    return record(database, assessor, [answer(task, grade, **more)])[0]


def judge_all(database: Database, assessor: str, grade: float = 1, most: int = 1000) -> list[BlindTask]:
    """Judge whatever comes, one after the other, and give the tasks in the order in which they came."""
    seen: list[BlindTask] = []
    while len(seen) < most and (tasks := next_tasks(database, assessor, 1)):
        assert say(database, assessor, tasks[0], grade).status == "stored"
        seen += tasks
    return seen


def docs(tasks: list[BlindTask]) -> list[str]:
    """The labels, for comparing with what was expected."""
    return [task.label for task in tasks]
