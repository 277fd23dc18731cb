"""The registries of fusion methods and of score normalisations: each entry is one function that says all about itself.

>>> method_of("rrf(k=10)")
rrf(k=10)
>>> method_of("rrf").sections["Formula"]
'sum over the runs that have it of w / (k + rank)'
>>> normalisation_of("max").sections["Formula"]
'score / highest'
"""

from __future__ import annotations

import inspect
import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Literal

from germane.docstrings import sections_of, summary_of
from germane.errors import GermaneError, did_you_mean
from germane.tables.ids import FloatArray
from germane.tables.spelling import given_once, known_name, written

if TYPE_CHECKING:
    from germane.retrieval.fusion.lists import Lists

SPELLED = re.compile(r"\s*([\w-]+)(?:\s*\((.*)\))?\s*", re.S)
Range = tuple[str, Callable[[float], bool]]
"""What a parameter may be, in words and as a check."""

FAMILIES = ("by_rank", "by_majority", "by_score")
"""The files of methods, in the order in which people should read of them."""

METHODS: dict[str, Method] = {}
NORMALISATIONS: dict[str, Normalisation] = {}
"""By name; `all_methods` and `all_normalisations` fill them."""


@dataclass(frozen=True)
class Entry:
    """What a docstring says: a first line, then the formula, the reference and what happens at the edges."""

    name: str
    function: Callable[..., FloatArray] = field(compare=False)

    @property
    def summary(self) -> str:
        """The first line of the docstring."""
        return summary_of(self.function)

    @cached_property
    def sections(self) -> Mapping[str, str]:
        """Formula, reference and edge cases."""
        return sections_of(self.function)


@dataclass(frozen=True)
class Normalisation(Entry):
    """How the scores of one run for one query are made comparable with those of the others.

    `equal_scores` says what becomes of a list whose scores are all the same; `never_negative` ones keep every document
    that a run has at or above the 0 of those it lacks.
    """

    equal_scores: str
    never_negative: bool

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True)
class Method(Entry):
    """A fusion method with its parameters: a value, printed and parsed as a person writes it.

    `weights` are refused, optional or needed. `unanimity` says when a document that no run puts below another, and some
    run puts above it, is sure not to score less: always (with normalised scores that are never negative), or where
    every run has both documents. `adds_zero` marks methods to which a document that a run lacks has the score 0 there.
    """

    uses: Literal["ranks", "scores"]
    weights: Literal["refused", "optional", "needed"]
    unanimity: Literal["always", "complete"]
    adds_zero: bool
    ranges: Mapping[str, Range] = field(compare=False, default_factory=dict)
    rest: tuple[tuple[str, float], ...] = ()
    """Parameters that are not at their defaults."""

    def fuse(self, lists: Lists) -> FloatArray:
        """The score of each candidate."""
        return self.function(lists, **dict(self.rest))

    def __repr__(self) -> str:
        inside = ", ".join(f"{name}={written(value)}" for name, value in self.rest)
        return f"{self.name}({inside})" if inside else self.name

    __str__ = __repr__

    @cached_property
    def defaults(self) -> Mapping[str, float]:
        """Each parameter and its default."""
        signature = inspect.signature(self.function)
        return {p.name: float(p.default) for p in signature.parameters.values() if p.kind is p.KEYWORD_ONLY}

    @property
    def parameters(self) -> dict[str, float]:
        """Every parameter with its value."""
        return {**self.defaults, **dict(self.rest)}

    def with_parameters(self, **values: object) -> Method:
        """The same method with other parameters, checked."""
        known = self.parameters
        for name, value in values.items():
            if name not in self.defaults:
                has = f"it has {', '.join(self.defaults)}" if self.defaults else "it has none"
                near = did_you_mean(name, self.defaults)
                raise GermaneError(f"{self.name} has no parameter {name!r}{near}", hint=has)
            words, holds = self.ranges[name]
            number = _number(value)
            if number is None or not holds(number):
                raise GermaneError(f"{self.name}: expected {name} to be {words}, found {value!r}")
            known[name] = number
        return replace(self, rest=tuple((name, value) for name, value in known.items() if value != self.defaults[name]))


def fusion(
    name: str,
    uses: Literal["ranks", "scores"],
    *,
    weights: Literal["refused", "optional", "needed"],
    unanimity: Literal["always", "complete"],
    adds_zero: bool = False,
    **ranges: Range,
) -> Callable[[Callable[..., FloatArray]], Callable[..., FloatArray]]:
    """Register a method: a function of `Lists` and keyword parameters, each with the range of its values."""

    def register(function: Callable[..., FloatArray]) -> Callable[..., FloatArray]:
        METHODS[name] = Method(name, function, uses, weights, unanimity, adds_zero, ranges)
        return function

    return register


def normalisation(
    name: str, *, equal_scores: str, never_negative: bool
) -> Callable[[Callable[[Lists], FloatArray]], Callable[[Lists], FloatArray]]:
    """Register a normalisation: a function of `Lists` that gives each row its new score."""

    def register(function: Callable[[Lists], FloatArray]) -> Callable[[Lists], FloatArray]:
        NORMALISATIONS[name] = Normalisation(name, function, equal_scores, never_negative)
        return function

    return register


def all_methods() -> list[Method]:
    """Every method there is, with its defaults."""
    import germane.retrieval.fusion  # noqa: F401 - fills the registry on first use

    return sorted(METHODS.values(), key=lambda method: FAMILIES.index(method.function.__module__.rpartition(".")[2]))


def all_normalisations() -> list[Normalisation]:
    """Every normalisation there is."""
    import germane.retrieval.fusion  # noqa: F401 - fills the registry on first use

    return list(NORMALISATIONS.values())


def method_of(text: str | Method) -> Method:
    """The method that somebody wrote down, such as ``rrf(k=10)``."""
    if isinstance(text, Method):
        return text
    known = {method.name: method for method in all_methods()}
    spelled = SPELLED.fullmatch(text)
    typed, inside = spelled.groups() if spelled else (text, None)
    name = known_name(typed, known)
    if name is None:
        near = did_you_mean(typed, known)
        raise GermaneError(f"no fusion method is called {typed!r}{near}", hint=f"there are: {', '.join(known)}")
    pairs = [part.partition("=") for part in (inside or "").split(",") if part.strip()]
    if any(not equals for _, equals, _ in pairs):
        raise GermaneError(f"expected {name}(parameter=value, …), found {text!r}")
    return known[name].with_parameters(**given_once(((key.strip(), value.strip()) for key, _, value in pairs), name))


def normalisation_of(text: str | Normalisation) -> Normalisation:
    """The normalisation of this name."""
    if isinstance(text, Normalisation):
        return text
    known = {entry.name: entry for entry in all_normalisations()}
    name = known_name(text, known)
    if name is None:
        near = did_you_mean(text, known)
        raise GermaneError(f"no normalisation is called {text!r}{near}", hint=f"there are: {', '.join(known)}")
    return known[name]


def _number(value: object) -> float | None:
    try:
        number = float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        return None
    return number if math.isfinite(number) else None
