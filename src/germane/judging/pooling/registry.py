"""The registry of pooling methods: each is one function with one decorator, and says all about itself.

>>> method_of("rrf(c=10)")
rrf(c=10)
>>> method_of("rrf").sections["Formula"]
'sum over the runs that rank it of 1 / (c + rank)'
"""

from __future__ import annotations

import inspect
import re
import typing
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Literal

from germane.docstrings import sections_of, summary_of
from germane.errors import GermaneError, did_you_mean
from germane.judging.pooling.lists import Draws, TopicLists
from germane.judging.pooling.queue import Queue
from germane.tables.spelling import given_once, known_name, written

Kind = Literal["fixed", "adaptive", "sample"]
SPELLED = re.compile(r"\s*([\w+-]+)(?:\s*\((.*)\))?\s*", re.S)

FAMILIES = ("depth", "fused", "move_to_front", "hedge", "bandits", "base_and_top", "sampling")
"""The files, in the order in which people should read of them."""

POOLING: dict[str, Method] = {}
"""By name; `all_methods` fills it."""


@dataclass(frozen=True)
class Method:
    """A pooling method with its parameters: a value, printed and parsed as a person writes it.

    `fixed` methods need no judgments, `adaptive` ones choose each document by the judgments so far, and a `sample`
    leaves documents of the pool out by chance. `random` ones ask for other documents with another seed. `rest` are the
    parameters that are not at their defaults.
    """

    name: str
    function: Callable[..., Queue] = field(compare=False)
    kind: Kind
    random: bool
    needs_collection: bool = False
    rest: tuple[tuple[str, Any], ...] = ()

    def start(self, lists: TopicLists, draws: Draws) -> Queue:
        """The queue of one topic, with nothing judged yet."""
        if self.needs_collection and not lists.collection:
            raise GermaneError(f"{self.name} draws from the collection", hint="give it: `collection=…`")
        return self.function(lists, draws, **dict(self.rest))

    def __repr__(self) -> str:
        inside = ", ".join(f"{key}={written(value)}" for key, value in self.rest)
        return f"{self.name}({inside})" if inside else self.name

    __str__ = __repr__

    @cached_property
    def defaults(self) -> Mapping[str, Any]:
        """Each parameter and its default."""
        signature = inspect.signature(self.function)
        return {p.name: p.default for p in signature.parameters.values() if p.kind is p.KEYWORD_ONLY}

    @property
    def parameters(self) -> dict[str, Any]:
        """Every parameter with its value: what a pool records."""
        return {**self.defaults, **dict(self.rest)}

    def with_parameters(self, **values: Any) -> Method:
        """The same method with other parameters, checked."""
        hints = typing.get_type_hints(self.function)
        known = self.parameters
        for name, value in values.items():
            if name not in self.defaults:
                has = f"it has {', '.join(self.defaults)}" if self.defaults else "it has none"
                raise GermaneError(
                    f"{self.name} has no parameter {name!r}{did_you_mean(name, self.defaults)}", hint=has
                )
            known[name] = _checked(self.name, name, value, hints[name])
        rest = tuple((name, value) for name, value in known.items() if value != self.defaults[name])
        # Started on a topic of one document, so that a value out of range is an error where it is typed.
        self.function(TopicLists.of(["d"], collection=["d"]), Draws(0, "q1"), **dict(rest))
        return replace(self, rest=rest)

    @property
    def summary(self) -> str:
        """The first line of the docstring."""
        return summary_of(self.function)

    @cached_property
    def sections(self) -> Mapping[str, str]:
        """Formula, reference and note, from the docstring."""
        return sections_of(self.function)


def pooling(
    name: str, kind: Kind, *, random: bool, needs_collection: bool = False
) -> Callable[[Callable[..., Queue]], Callable[..., Queue]]:
    """Register a method: a function of a topic's lists, its random numbers and keyword parameters."""

    def register(function: Callable[..., Queue]) -> Callable[..., Queue]:
        POOLING[name] = Method(name, function, kind, random, needs_collection)
        return function

    return register


def all_methods() -> list[Method]:
    """Every method there is, with its defaults."""
    import germane.judging.pooling  # noqa: F401 - fills the registry on first use

    return sorted(POOLING.values(), key=lambda method: FAMILIES.index(method.function.__module__.rpartition(".")[2]))


def method_of(text: str | Method) -> Method:
    """The method that somebody wrote down, such as ``maxmean(credit=pulled)``."""
    if isinstance(text, Method):
        return text
    known = {method.name: method for method in all_methods()}
    spelled = SPELLED.fullmatch(text)
    typed, inside = spelled.groups() if spelled else (text, None)
    name = known_name(typed, known)
    if name is None:
        raise GermaneError(
            f"no pooling method is called {typed!r}{did_you_mean(typed, known)}", hint=f"there are: {', '.join(known)}"
        )
    pairs = [part.partition("=") for part in (inside or "").split(",") if part.strip()]
    if any(not equals for _, equals, _ in pairs):
        raise GermaneError(f"expected {name}(parameter=value, …), found {text!r}")
    return known[name].with_parameters(**given_once(((key.strip(), value.strip()) for key, _, value in pairs), name))


def _checked(method: str, name: str, value: Any, hint: Any) -> Any:
    """A parameter's value in its own type."""
    choices = typing.get_args(hint)
    if choices:
        chosen = known_name(str(value), choices)
        if chosen is None:
            near = did_you_mean(str(value), choices)
            raise GermaneError(f"{method}: expected {name} to be one of {', '.join(choices)}, found {value!r}{near}")
        return chosen
    try:
        return hint(value)
    except ValueError:
        kind = "a whole number" if hint is int else "a number"
        raise GermaneError(f"{method}: expected {kind} as {name}, found {value!r}") from None


def require(method: str, holds: bool, expected: str, found: object) -> None:
    """Refuse a parameter that makes no sense."""
    if not holds:
        raise GermaneError(f"{method}: expected {expected}, found {found}")
