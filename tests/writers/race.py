"""What a race is: a file, two processes that write to it at once, and what must be there afterwards."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

Ready = Callable[[], None]
"""A writer calls it once, before it writes: it waits there for the other one."""

RACES: dict[str, Race] = {}


@dataclass(frozen=True)
class Race:
    """A file that may be written by two processes at once.

    `write` is writer number n: it returns what it was promised to keep, or raises an error that says why nothing was
    written. `there` returns all that the file keeps, and fails where the file is damaged. So nothing is lost if all
    that was promised is there. A refusal must match `refusal`; with `retries` a refused writer tries again, as the
    error's hint says. A race with `kills` is also run with one writer that is killed at random.
    """

    name: str
    begin: Callable[[Path], None]
    write: Callable[[Path, int, Ready], str]
    there: Callable[[Path], set[str]]
    refusal: str | None = None
    retries: bool = False
    kills: bool = False


def add(race: Race) -> Race:
    """Put a race into the registry."""
    assert race.name not in RACES, race.name
    RACES[race.name] = race
    return race


def begin_with_nothing(folder: Path) -> None:
    """The writers make the file themselves."""
