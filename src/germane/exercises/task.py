"""A task: its data and question, the right value, the worked solution, and the values that mistakes lead to."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeVar

import numpy as np

from germane.errors import GermaneError

APART = 0.004
"""Minimum difference, absolute or relative, between the value of a mistake and the right value."""
SAME = 1e-12
"""Tolerance between two ways to compute the same value."""
OR = ", or "
TRIES = 400
"""Maximum number of attempts to generate data for a topic."""
ENOUGH = 4
Found = TypeVar("Found")


@dataclass(frozen=True)
class Table:
    """A table of data in a task."""

    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


@dataclass(frozen=True)
class Mistake:
    """A mistake, phrased to follow "you seem to have …", and the value it leads to."""

    done: str
    value: float
    general: bool = False
    """Whether it applies to any measure; a specific mistake with the same value takes precedence."""

    def or_else(self, other: Mistake) -> Mistake:
        """Combine this mistake with another that leads to the same value."""
        return self if other.done in self.done.split(OR) else Mistake(f"{self.done}{OR}{other.done}", self.value)


@dataclass(frozen=True)
class Task:
    """One task. `definition` comes from the catalogue; `solution` is text that ends with the value."""

    topic: str
    question: str
    given: tuple[Table, ...]
    definition: tuple[str, ...]
    value: float
    solution: str
    mistakes: Sequence[Mistake] = ()


@dataclass(frozen=True)
class Kind:
    """A kind of task: the names it knows, and how it generates a task."""

    name: str
    title: str
    topics: tuple[str, ...]
    """Topics of the course."""
    known_as: Callable[[str], str | None]
    """Returns the canonical name of a topic, or None if this kind does not know it."""
    candidate: Callable[[str, np.random.Generator], Task | None]
    """Generates a task with all its mistakes, or None if the data are degenerate."""

    def draw(self, topic: str, rng: np.random.Generator) -> Task:
        """Generate a task with as many distinct mistakes as possible.

        Of the first four suitable tasks, use the one with the most distinct mistakes, so that errors can be explained.
        """
        fitting: list[Task] = []
        for _ in range(TRIES):
            task = self.candidate(topic, rng)
            if task is not None:
                fitting.append(replace(task, mistakes=distinct_mistakes(task.value, task.mistakes)))
            if len(fitting) == ENOUGH:
                break
        if not fitting:
            problem = f"cannot make an exercise about {topic}: its value is always trivial"
            raise GermaneError(problem, hint="run `germane exercise make --list` for a list of topics")
        return max(fitting, key=lambda task: len(task.mistakes))


def distinct_mistakes(value: float, mistakes: Iterable[Mistake]) -> tuple[Mistake, ...]:
    """Return the mistakes with distinct values: different from the right value and from earlier mistakes.

    Two mistakes that lead to the same value are combined.

    >>> [m.done for m in distinct_mistakes(0.5, [Mistake("x", 0.5001), Mistake("a", 0.7), Mistake("b", 0.7)])]
    ['a, or b']
    """
    kept: list[Mistake] = []
    for mistake in mistakes:
        alike = [place for place, other in enumerate(kept) if near(mistake.value, other.value)]
        if not math.isfinite(mistake.value) or near(mistake.value, value):
            continue
        if not alike:
            kept.append(mistake)
        elif not mistake.general and math.isclose(kept[alike[0]].value, mistake.value, rel_tol=SAME, abs_tol=SAME):
            kept[alike[0]] = kept[alike[0]].or_else(mistake)
    return tuple(kept)


def near(value: float, other: float) -> bool:
    """Whether two values cannot be distinguished in an answer with three decimal places."""
    return abs(value - other) <= APART * max(1.0, abs(other))


def one_of(names: Iterable[str]) -> Callable[[str], str | None]:
    """Return a function that knows exactly these topics."""
    return {name: name for name in names}.get


def understood_by(
    parse: Callable[[str], Found], fits: Callable[[Found], bool] = lambda _: True
) -> Callable[[str], str | None]:
    """Return a function that knows every topic that can be parsed and that fits."""

    def known_as(topic: str) -> str | None:
        try:
            return topic if fits(parse(topic)) else None
        except GermaneError:
            return None

    return known_as


def definition(thing: Any) -> tuple[str, ...]:
    """Return the summary of a registered thing and its formula, if it has one."""
    return tuple(filter(None, (thing.summary, thing.sections.get("Formula", ""))))


def chosen(rng: np.random.Generator, things: Sequence[str], size: int) -> list[str]:
    """Choose `size` different things at random, in random order."""
    keys = rng.random(len(things))
    return [things[place] for place in np.argsort(keys, kind="stable")[:size].tolist()]
