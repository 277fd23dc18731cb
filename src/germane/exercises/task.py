"""A task: what is given, what is asked, the value, its worked solution, and the values that mistakes lead to."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeVar

import numpy as np

from germane.errors import GermaneError

APART = 0.004
"""A mistake whose value is nearer to the right one, as a share of it or as a number, cannot be told from it."""
SAME = 1e-12
"""How far two ways to compute one value may differ."""
OR = ", or "
TRIES = 400
"""How often data are drawn before a topic is given up."""
ENOUGH = 4
Found = TypeVar("Found")


@dataclass(frozen=True)
class Table:
    """A table that a task gives."""

    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


@dataclass(frozen=True)
class Mistake:
    """A way to go wrong, said so that "you seem to have …" comes before it, and the value that it leads to."""

    done: str
    value: float
    general: bool = False
    """Whether it goes wrong with any measure: then it gives way to one of this measure with the same value."""

    def or_else(self, other: Mistake) -> Mistake:
        """This one, or another that leads to the same value."""
        return self if other.done in self.done.split(OR) else Mistake(f"{self.done}{OR}{other.done}", self.value)


@dataclass(frozen=True)
class Task:
    """One task. `definition` comes from the registry; `solution` is text that ends in the value."""

    topic: str
    question: str
    given: tuple[Table, ...]
    definition: tuple[str, ...]
    value: float
    solution: str
    mistakes: Sequence[Mistake] = ()


@dataclass(frozen=True)
class Kind:
    """A kind of task: which names it knows, and how it draws one."""

    name: str
    title: str
    topics: tuple[str, ...]
    """What the course has of it."""
    known_as: Callable[[str], str | None]
    """The topic as it is written here, or None where this kind does not know it."""
    candidate: Callable[[str, np.random.Generator], Task | None]
    """Draw a task with everything that could go wrong; None where it is degenerate."""

    def draw(self, topic: str, rng: np.random.Generator) -> Task:
        """Draw until a task fits, if possible with at least two mistakes to tell.

        Of the first four that fit, the one with the most mistakes is taken: what could go wrong can then be told.
        """
        fitting: list[Task] = []
        for _ in range(TRIES):
            task = self.candidate(topic, rng)
            if task is not None:
                fitting.append(replace(task, mistakes=told_apart(task.value, task.mistakes)))
            if len(fitting) == ENOUGH:
                break
        if not fitting:
            problem = f"no exercise can be made of {topic}: whatever is drawn, its value is trivial"
            raise GermaneError(problem, hint="`germane exercise make --list` has those that can")
        return max(fitting, key=lambda task: len(task.mistakes))


def told_apart(value: float, mistakes: Iterable[Mistake]) -> tuple[Mistake, ...]:
    """The mistakes that can be told by their values: neither the right one nor near that of a mistake before.

    Two ways that lead to the same value are told together.

    >>> [m.done for m in told_apart(0.5, [Mistake("x", 0.5001), Mistake("a", 0.7), Mistake("b", 0.7)])]
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
    """Whether two values cannot be told apart in an answer with three decimals."""
    return abs(value - other) <= APART * max(1.0, abs(other))


def one_of(names: Iterable[str]) -> Callable[[str], str | None]:
    """Know these topics, as they are written here."""
    return {name: name for name in names}.get


def understood_by(
    parse: Callable[[str], Found], fits: Callable[[Found], bool] = lambda _: True
) -> Callable[[str], str | None]:
    """Know every topic that can be parsed, if what it means fits."""

    def known_as(topic: str) -> str | None:
        try:
            return topic if fits(parse(topic)) else None
        except GermaneError:
            return None

    return known_as


def definition(thing: Any) -> tuple[str, ...]:
    """Return what a registered thing is: its summary and, where it has one, its formula."""
    return tuple(filter(None, (thing.summary, thing.sections.get("Formula", ""))))


def chosen(rng: np.random.Generator, things: Sequence[str], size: int) -> list[str]:
    """So many different things, in the order drawn."""
    keys = rng.random(len(things))
    return [things[place] for place in np.argsort(keys, kind="stable")[:size].tolist()]
