"""Measures of decisions that are not a rate of four cells: each is one function, and its docstring is its page."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

from germane.docstrings import sections_of, summary_of
from germane.errors import MeasureError, did_you_mean
from germane.measures.registry import Better, is_same_function

Input = Literal["matrix", "scores", "probabilities", "numbers", "clusters", "densities", "label sets"]
"""What a measure reads: a `Confusion`; `Decisions`; `Decisions` whose scores are probabilities, or a table of
probabilities; two columns of numbers; the contingency table of two clusterings; a column of log-likelihoods;
two tables of items × labels."""

_REGISTRY: dict[str, Deciding] = {}


@dataclass(frozen=True, eq=False)
class Deciding:
    """A measure's entry: the function, and what is declared about it."""

    name: str
    function: Callable[..., float]
    of: Input
    bounds: tuple[float, float]
    better: Better = "higher"
    names: tuple[str, ...] = ()
    """What else people call it."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "__doc__", self.function.__doc__)
        object.__setattr__(self, "__module__", self.function.__module__)
        object.__setattr__(self, "__name__", self.function.__name__)
        object.__setattr__(self, "__wrapped__", self.function)

    def __call__(self, *inputs: Any, **parameters: Any) -> float:
        return self.function(*inputs, **parameters)

    @property
    def family(self) -> str:
        """The room it lives in: the name of its file."""
        return self.function.__module__.rpartition(".")[2]

    @cached_property
    def summary(self) -> str:
        """The first line of the docstring."""
        return summary_of(self.function)

    @cached_property
    def sections(self) -> Mapping[str, str]:
        """Formula, reference and edge cases, from the docstring."""
        return sections_of(self.function)


def deciding(
    name: str, *, of: Input, bounds: tuple[float, float], **declared: Any
) -> Callable[[Callable[..., float]], Deciding]:
    """Register a measure of decisions: a function that returns one number."""

    def register(function: Callable[..., float]) -> Deciding:
        entry = Deciding(name, function, of, bounds, **declared)
        others = [d for d in _REGISTRY.values() if not is_same_function(d.function, function)]
        taken = {n.casefold() for d in others for n in (d.name, *d.names)}
        clash = [n for n in (name, *entry.names) if n.casefold() in taken]
        if clash:
            raise MeasureError(f"a measure of decisions called {clash[0]!r} is registered already")
        _REGISTRY[name] = entry
        return entry

    return register


def all_deciding() -> list[Deciding]:
    """Every registered measure of decisions, by file."""
    import germane.measures.deciding  # noqa: F401 - fills the registry on first use

    return list(_REGISTRY.values())


def deciding_of(name: str) -> Deciding:
    """The entry behind a name or one of its other names."""
    known = {alias.casefold(): entry for entry in all_deciding() for alias in (entry.name, *entry.names)}
    if name.casefold() not in known:
        raise MeasureError(
            f"no measure of decisions is called {name!r}{did_you_mean(name, known)}",
            hint="`germane measures` lists them",
        )
    return known[name.casefold()]
