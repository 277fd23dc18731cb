"""How a deliberately broken measure is put before a law: registered for as long as the law looks at it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from germane.measures.definition import MEASURES, measure
from germane.tables.rankings.judged_run import JudgedRun, Worked
from germane.tables.rankings.measure import Measure

LIMITLESS = (-float("inf"), float("inf"))


@contextmanager
def registered(
    function: Callable[[JudgedRun], Worked], bounds: tuple[float, float] = LIMITLESS, **declared: Any
) -> Iterator[list[Measure]]:
    """A measure called Specimen, as the list of measures that a law goes through."""
    measure("Specimen", bounds=bounds, **declared)(function)
    try:
        yield [Measure("Specimen")]
    finally:
        MEASURES.unregister("Specimen")
