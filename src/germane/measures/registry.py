"""The registry: every measure is one function with one decorator, and all else follows from its entry here.

>>> from germane.measures.ranking.precision import precision
>>> from germane.tables.judged_run import judged
>>> precision(judged("1 0 1"), cut=2)
array([0.5])
"""

from __future__ import annotations

import inspect
import math
import typing
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from functools import cached_property
from typing import Any, Literal

from germane.arguments import checked, refuse_unknown
from germane.docstrings import sections_of, summary_of
from germane.errors import MeasureError, did_you_mean
from germane.tables.judged_run import JudgedRun, PerQuery, Worked
from germane.tables.measure import Measure, ParameterValue

Better = Literal["higher", "lower", "neither"]
Needs = Literal["collection size", "groups"]
UnjudgedBounds = Literal["monotone", "recount"]

_REGISTRY: dict[str, Definition] = {}


@dataclass(frozen=True)
class Parameter:
    """One parameter of a measure, read off the function's signature."""

    name: str
    default: ParameterValue
    kind: type
    choices: tuple[str, ...] = ()
    least: float = -math.inf
    greatest: float = math.inf
    read: Callable[[str], str] | None = None
    """Checks a text that has a form of its own, and gives it as it is printed."""


@dataclass(frozen=True, eq=False)
class Definition:
    """A measure's entry: the function, what is declared about it, and what its docstring says."""

    name: str
    function: Callable[..., Worked]
    bounds: tuple[float, float]
    better: Better = "higher"
    total: bool = False
    """Summed over queries, not averaged (counts)."""
    names: tuple[str, ...] = ()
    """What other tools call it."""
    needs: tuple[Needs, ...] = ()
    expected_ties: bool = False
    """Exact for ``ties="expected"``."""
    unjudged: UnjudgedBounds | None = None
    """How its bounds under unjudged documents are found, where they are tight."""
    at: str = "cut"
    """The parameter written after the @."""
    ranges: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    """The least and the greatest value of parameters that cannot take any."""
    reads: Mapping[str, Callable[[str], str]] = field(default_factory=dict)
    """How texts are read that have a form of their own: a wrong one is an error where it is typed."""
    refuse: Callable[[Mapping[str, Any]], None] | None = None
    """Raises an error for parameters that exclude each other."""
    table: Callable[[Worked, int, Mapping[str, Any]], Mapping[str, list[Any]]] | None = None
    """A worked table of its own, in place of one row per hit."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "__doc__", self.function.__doc__)
        object.__setattr__(self, "__module__", self.function.__module__)
        object.__setattr__(self, "__name__", self.function.__name__)
        object.__setattr__(self, "__wrapped__", self.function)

    def __call__(self, run: JudgedRun, **parameters: Any) -> PerQuery:
        """The value for each query."""
        return self.work(run, **parameters).value

    def work(self, run: JudgedRun, *, judged_only: bool = False, **parameters: Any) -> Worked:
        """The measure worked out: value, parts and table are read from the result."""
        if "collection size" in self.needs and run.qrels.collection_size is None:
            raise MeasureError(
                f"{self.name} needs the number of documents in the collection",
                hint="give it: `collection_size=…`",
            )
        if "groups" in self.needs and run.qrels.groups is None:
            raise MeasureError(
                f"{self.name} needs judgments by subtopic",
                hint="diversity qrels name the subtopic in their second column",
            )
        if run.ties == "expected" and not self.expected_ties:
            able = ", ".join(d.name for d in all_definitions() if d.expected_ties)
            raise MeasureError(
                f"{self.name} has no exact expected value over ties",
                hint=f"these have: {able}; or choose another tie rule",
            )
        self.check(parameters)
        worked = self.function(run.condensed if judged_only else run, **parameters)
        if not isinstance(worked, Worked):
            raise MeasureError(
                f"expected {self.name} to return a Worked, found {type(worked).__name__}",
                hint="return ge.Worked(hits, term=…, over=…): value, micro average and explanation follow from it",
            )
        return worked

    def check(self, given: Mapping[str, Any]) -> None:
        """Refuse parameters that exclude each other."""
        if self.refuse is not None:
            self.refuse(given)

    @cached_property
    def parameters(self) -> Mapping[str, Parameter]:
        """What can be chosen, read off the function's signature (when first asked: start-up counts)."""
        ranges = {"cut": (1, 10**9), "rel": (0.000001, math.inf), **self.ranges}
        return _parameters(self.function, ranges, self.reads)

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


@checked
def measure(
    name: str, *, bounds: tuple[float, float], **declared: Any
) -> Callable[[Callable[..., Worked]], Definition]:
    """Register a measure: a function of a `JudgedRun` that returns it `Worked` out.

    >>> from germane.tables.judged_run import Worked, judged
    >>> @measure("Late", bounds=(0, float("inf")))
    ... def late(run, *, rel: float = 1) -> Worked:
    ...     '''Sum of the ranks of relevant documents.'''
    ...     hits = run.relevant(rel)
    ...     return Worked(hits, hits.rank * 1.0)
    >>> late(judged("0 1 1"))
    array([5.])
    >>> unregister("Late")
    """

    known = [each.name for each in fields(Definition) if each.name not in ("name", "function", "bounds")]
    refuse_unknown("measure", declared, known)

    def register(function: Callable[..., Worked]) -> Definition:
        definition = Definition(name, function, bounds, **declared)
        others = [d for d in _REGISTRY.values() if not is_same_function(d.function, function)]
        taken = {n.casefold() for d in others for n in (d.name, *d.names)}
        clash = [n for n in (name, *definition.names) if n.casefold() in taken]
        if clash:
            raise MeasureError(f"a measure called {clash[0]!r} is registered already")
        _REGISTRY[name] = definition
        return definition

    return register


def is_same_function(one: Callable[..., Any], other: Callable[..., Any]) -> bool:
    """Whether one is the other defined again: a module loaded anew, or a notebook's cell run twice."""
    return (one.__module__, one.__qualname__) == (other.__module__, other.__qualname__)


def unregister(name: str) -> None:
    """Take a measure out again."""
    del _REGISTRY[name]


def all_definitions() -> list[Definition]:
    """Every registered measure, by family and in the order of its file."""
    import germane.measures.ranking  # noqa: F401 - fills the registry on first use

    return list(_REGISTRY.values())


def definition_of(measure: Measure | str) -> Definition:
    """The entry behind a measure."""
    name = measure.name if isinstance(measure, Measure) else measure
    known = {d.name: d for d in all_definitions()}
    if name not in known:
        raise MeasureError(
            f"no measure is called {name!r}{did_you_mean(name, known)}", hint="`germane measures` lists them"
        )
    return known[name]


def work(measure: Measure, run: JudgedRun) -> Worked:
    """Work out one measure on one run."""
    definition = definition_of(measure)
    parameters: dict[str, Any] = dict(measure.parameters)
    if measure.at is not None:
        parameters[definition.at] = measure.at
    return definition.work(run, **parameters)


def _parameters(
    function: Callable[..., Worked],
    ranges: Mapping[str, tuple[float, float]],
    reads: Mapping[str, Callable[[str], str]],
) -> dict[str, Parameter]:
    hints = typing.get_type_hints(function)
    found = {}
    for parameter in list(inspect.signature(function).parameters.values())[1:]:
        hint = hints.get(parameter.name, type(parameter.default))
        choices = typing.get_args(hint) if typing.get_origin(hint) is Literal else ()
        kinds = [kind for kind in typing.get_args(hint) or (hint,) if kind is not type(None)]
        kind = str if choices else kinds[0]
        default = None if parameter.default is inspect.Parameter.empty else parameter.default
        limits = ranges.get(parameter.name, (-math.inf, math.inf))
        found[parameter.name] = Parameter(
            parameter.name, default, kind, choices, *limits, read=reads.get(parameter.name)
        )
    return found
