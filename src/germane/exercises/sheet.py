"""A sheet of tasks: drawn from a seed, the same on every machine, so that whoever has the sheet can check answers."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from germane.errors import GermaneError, InputError
from germane.exercises.kinds import kinds_of
from germane.exercises.task import Task
from germane.formats.rows.text import said_by

RECIPE = re.compile(r"<!-- germane exercise (\{.*?\}) -->")
TASK = re.compile(r"^(?:## |<h2>)\d+\. ", re.M)
"""How the heading of a task begins, in Markdown and on a page."""


@dataclass(frozen=True)
class Sheet:
    """What a sheet is made of: topics in their order, a seed, and the student, if each has a variant."""

    topics: tuple[str, ...]
    seed: int = 0
    student: str = ""

    @cached_property
    def tasks(self) -> tuple[Task, ...]:
        """The tasks. One depends on the seed, the student and its own topic; others may come and go."""
        tasks: list[Task] = []
        for place, topic in enumerate(self.topics):
            kind, name = kinds_of(topic)[0]
            key = json.dumps([self.seed, self.student, kind.name, name, self.topics[:place].count(topic)]).encode()
            rng = np.random.default_rng(int.from_bytes(hashlib.sha256(key).digest()[:8], "big"))
            tasks.append(kind.draw(name, rng))
        return tuple(tasks)

    @property
    def fingerprint(self) -> str:
        """A short sum of what the tasks ask: it tells whether a sheet is still the one that would be made."""
        asked = [[task.question, [[*table.header, table.rows] for table in task.given]] for task in self.tasks]
        return hashlib.sha256(json.dumps(asked).encode()).hexdigest()[:8]

    @property
    def recipe(self) -> str:
        """What makes this sheet again, as a comment that no reader sees."""
        made_of = {"topics": self.topics, "seed": self.seed, "student": self.student, "tasks": self.fingerprint}
        inside = json.dumps(made_of).replace(">", "\\u003e")  # a name must not end the comment
        return f"<!-- germane exercise {inside} -->"


def has_recipe(text: str) -> bool:
    """Whether a text is a sheet."""
    return RECIPE.search(text) is not None


def require_recipe(text: str, source: str) -> None:
    """Refuse a text that has the tasks of a sheet and not its recipe."""
    if TASK.search(text) and not has_recipe(text):
        hint = "give it as it was made; answers can stand in a file of their own, a task and a value to a line"
        raise InputError(source, None, "this sheet has lost its last line, which holds its topics and seed", hint=hint)


def sheet_in(text: str, source: str) -> Sheet:
    """The sheet that a file holds, made again from its recipe."""
    found = RECIPE.search(text)
    assert found is not None
    line = text.count("\n", 0, found.start()) + 1
    try:
        made_of: dict[str, Any] = json.loads(found[1])
        sheet = Sheet(tuple(map(str, made_of["topics"])), int(made_of["seed"]), str(made_of["student"]))
        expected = str(made_of["tasks"])
    except (ValueError, KeyError, TypeError, OverflowError, RecursionError, AttributeError):
        raise InputError(source, line, "expected the recipe of a sheet, found another comment") from None
    try:
        tasks = sheet.fingerprint
    except GermaneError as problem:
        raise InputError(source, line, problem.message, hint=problem.hint) from None
    if tasks != expected:
        hint = "another version of germane made it, or its recipe was changed: make the sheets anew"
        raise InputError(source, line, "the tasks made again are not those of the sheet", hint=hint)
    return sheet


def sheets_for(topics: Sequence[str], seed: int, students: Sequence[str]) -> list[Sheet]:
    """One sheet for all, or one for each student."""
    return [Sheet(tuple(topics), seed, student) for student in students or ("",)]


def read_students(path: str | Path) -> list[str]:
    """The names of a class, one a line; empty lines count for nothing."""
    hint = "put the names into a file, one to a line"
    try:
        lines = Path(path).read_text(encoding="utf-8-sig").splitlines()
    except FileNotFoundError:
        raise InputError(path, None, "expected a file of names, found no such file", hint=hint) from None
    except (OSError, UnicodeDecodeError) as problem:
        raise InputError(path, None, f"expected names of students, one a line: {said_by(problem)}", hint=hint) from None
    names: dict[str, int] = {}
    for number, line in enumerate(lines, start=1):
        name = line.strip()
        if "," in name:
            hint = "one name to a line, and no other columns; a comma would part a name in the table of answers"
            raise InputError(path, number, f"expected a name without a comma, found {name!r}", hint=hint)
        if name in names:
            raise InputError(path, number, f"{name!r} is there twice", hint=f"first in line {names[name]}")
        if name:
            names[name] = number
    if not names:
        raise InputError(path, None, "expected names of students, one a line, found none")
    return list(names)
