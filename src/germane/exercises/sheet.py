"""A sheet of tasks, generated from a seed and the same on every machine, so that answers can be checked from it."""

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
"""Start of the heading of a task, in Markdown and in HTML."""
ORIGINAL = "use the original sheet, and write answers to another file, one `task value` per line"
"""Hint where the last line of a sheet, with its topics and seed, is missing or damaged."""


@dataclass(frozen=True)
class Sheet:
    """The recipe of a sheet: topics in order, a seed, and the student if each has a variant."""

    topics: tuple[str, ...]
    seed: int = 0
    student: str = ""

    @cached_property
    def tasks(self) -> tuple[Task, ...]:
        """Tasks of the sheet; each depends only on the seed, the student and its own topic, not on other tasks."""
        tasks: list[Task] = []
        for place, topic in enumerate(self.topics):
            kind, name = kinds_of(topic)[0]
            key = json.dumps([self.seed, self.student, kind.name, name, self.topics[:place].count(topic)]).encode()
            rng = np.random.default_rng(int.from_bytes(hashlib.sha256(key).digest()[:8], "big"))
            tasks.append(kind.draw(name, rng))
        return tuple(tasks)

    @property
    def fingerprint(self) -> str:
        """Short checksum of the questions, which shows whether this version of germane makes the same sheet."""
        asked = [[task.question, [[*table.header, table.rows] for table in task.given]] for task in self.tasks]
        return hashlib.sha256(json.dumps(asked).encode()).hexdigest()[:8]

    @property
    def recipe(self) -> str:
        """Recipe to make this sheet again, as an invisible comment."""
        made_of = {"topics": self.topics, "seed": self.seed, "student": self.student, "tasks": self.fingerprint}
        inside = json.dumps(made_of).replace(">", "\\u003e")  # a name must not end the comment
        return f"<!-- germane exercise {inside} -->"


def has_recipe(text: str) -> bool:
    """Whether a text is a sheet with its recipe."""
    return RECIPE.search(text) is not None


def require_recipe(text: str, source: str) -> None:
    """Refuse a sheet that has lost its recipe."""
    if TASK.search(text) and not has_recipe(text):
        raise InputError(source, None, "missing last line of the sheet, which holds its topics and seed", hint=ORIGINAL)


def sheet_in(text: str, source: str) -> Sheet:
    """Make the sheet of a file again from its recipe."""
    found = RECIPE.search(text)
    assert found is not None
    line = text.count("\n", 0, found.start()) + 1
    try:
        made_of: dict[str, Any] = json.loads(found[1])
        sheet = Sheet(tuple(map(str, made_of["topics"])), int(made_of["seed"]), str(made_of["student"]))
        expected = str(made_of["tasks"])
    except (ValueError, KeyError, TypeError, OverflowError, RecursionError, AttributeError):
        problem = "cannot read the topics and seed of the sheet"
        raise InputError(source, line, problem, hint=ORIGINAL) from None
    try:
        tasks = sheet.fingerprint
    except GermaneError as problem:
        raise InputError(source, line, problem.message, hint=problem.hint) from None
    if tasks != expected:
        hint = "make the sheet again; this line was changed, or another version of germane made it"
        raise InputError(source, line, "cannot reproduce the tasks of the sheet from its topics and seed", hint=hint)
    return sheet


def sheets_for(topics: Sequence[str], seed: int, students: Sequence[str]) -> list[Sheet]:
    """Return one sheet for all, or one per student."""
    return [Sheet(tuple(topics), seed, student) for student in students or ("",)]


def read_students(path: str | Path) -> list[str]:
    """Read the names of a class, one per line; empty lines are ignored."""
    hint = "write the names to a file, one per line"
    try:
        lines = Path(path).read_text(encoding="utf-8-sig").splitlines()
    except FileNotFoundError:
        raise InputError(path, None, "no such file", hint=hint) from None
    except (OSError, UnicodeDecodeError) as problem:
        raise InputError(
            path, None, f"expected names of students, one per line: {said_by(problem)}", hint=hint
        ) from None
    names: dict[str, int] = {}
    for number, line in enumerate(lines, start=1):
        name = line.strip()
        if "," in name:
            hint = "write one name per line, without other columns; a comma would split it in the table of answers"
            raise InputError(path, number, f"expected a name without a comma, found {name!r}", hint=hint)
        if name in names:
            raise InputError(path, number, f"duplicate student {name!r}", hint=f"first seen on line {names[name]}")
        if name:
            names[name] = number
    if not names:
        raise InputError(path, None, "expected names of students, one per line, found none")
    return list(names)
