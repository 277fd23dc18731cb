"""An entry of a catalogue: the function or class behind a name, and its page, which is its docstring."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Mapping
from dataclasses import KW_ONLY, dataclass, field, replace
from functools import cached_property
from typing import Any, ClassVar

from germane.catalogue.parameters import REQUIRED, Choice, Parameter, parameters_of
from germane.catalogue.spelling import spell
from germane.errors import GermaneError, did_you_mean

_SECTION = re.compile(r"^(Formula|Reference|Edge cases|Ties|Undefined|Note):\s*(.+?)(?=^\S|\Z|\n\n)", flags=re.M | re.S)


def summary_of(thing: object) -> str:
    """The first line of a docstring.

    >>> summary_of(summary_of)
    'The first line of a docstring.'
    """
    return inspect.cleandoc(thing.__doc__ or "").partition("\n")[0]


def sections_of(thing: object) -> dict[str, str]:
    """What stands in a docstring under Formula, Reference, Edge cases and the like, each as one line.

    >>> from germane.measures.rankings.precision import precision
    >>> sections_of(precision)["Formula"]
    'P@k = (relevant in the top k) / k; without a cutoff, / retrieved'
    """
    text = inspect.cleandoc(thing.__doc__ or "").partition("\n\n")[2].partition(">>>")[0]
    return {title: " ".join(body.split()) for title, body in _SECTION.findall(text)}


@dataclass(frozen=True, eq=False, repr=False)
class Entry:
    """A thing of a catalogue: what makes it or computes it, and what is declared about it; its docstring is its page.

    With parameters that are not at their defaults (`rest`) it is the same thing, chosen otherwise.
    """

    name: str
    target: Callable[..., Any]
    _: KW_ONLY
    error: ClassVar[type[GermaneError]] = GermaneError
    bare: ClassVar[bool] = False
    """Whether the first parameter may be given without its name."""
    names: tuple[str, ...] = ()
    """What else people call it."""
    shorthands: Mapping[str, str] = field(default_factory=dict)
    """Names that stand for it with parameters, and these: ``{"BM25+": "variant=plus"}``."""
    rest: tuple[tuple[str, Any], ...] = ()
    at: str = ""
    """The parameter that is written after the @."""

    def __post_init__(self) -> None:
        # Where the entry stands in its function's place, it documents itself as that does.
        for name in ("__doc__", "__module__", "__name__"):
            object.__setattr__(self, name, getattr(self.target, name))
        object.__setattr__(self, "__wrapped__", self.target)

    @cached_property
    def parameters(self) -> Mapping[str, Parameter]:
        """What can be chosen (read when first asked: start-up counts)."""
        return parameters_of(self.target)

    @property
    def settings(self) -> dict[str, Any]:
        """Every parameter with its value."""
        return {**{name: each.default for name, each in self.parameters.items()}, **dict(self.rest)}

    def choose(self, **given: Any) -> Any:
        """The thing with these parameters, as typed or as values of Python."""
        known = self.parameters
        for key in given:
            if key not in known:
                there = f"choose from {', '.join(known)}" if known else "it takes no parameters"
                raise self.error(f"{self.name} has no parameter {key!r}{did_you_mean(key, known)}", hint=there)
        for key, parameter in known.items():
            if key not in given and parameter.default is REQUIRED:
                raise self.error(f"{self.name} needs {key}", hint=f"write {self.name}({key}=…)")
        return self.make({key: self._convert(known[key], given[key]) for key in known if key in given})

    def _convert(self, parameter: Parameter, given: Any) -> Any:
        place = "after the @" if parameter.name == self.at else f"for {parameter.name}"
        return parameter.convert(given, f"{self.name}: expected {parameter.expected} {place}", self.error)

    def make(self, values: Mapping[str, Any]) -> Any:
        """The thing with these values, all of which fit."""
        if isinstance(self.target, type) and issubclass(self.target, Choice):
            return self.target(**{self.parameters[key].field: value for key, value in values.items()})
        changed = self.changed(values)
        return self if changed == self.rest else replace(self, rest=changed)

    def changed(self, values: Mapping[str, Any]) -> tuple[tuple[str, Any], ...]:
        """Those of the values that are not defaults."""
        return tuple((key, value) for key, value in values.items() if value != self.parameters[key].default)

    def __str__(self) -> str:
        return spell(self.name, self.rest)

    __repr__ = __str__

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Entry) and (type(self), self.name, self.rest) == (type(other), other.name, other.rest)

    def __hash__(self) -> int:
        return hash((self.name, self.rest))

    @property
    def aliases(self) -> tuple[str, ...]:
        """Every name under which it is found."""
        return self.name, *self.names

    @property
    def home(self) -> tuple[str, str]:
        """The module that defines it, and what it is called there."""
        return self.target.__module__, self.target.__qualname__

    @property
    def family(self) -> str:
        """The room it lives in: the name of its file."""
        return self.home[0].rpartition(".")[2]

    @cached_property
    def summary(self) -> str:
        """The first line of the docstring."""
        return summary_of(self.target)

    @cached_property
    def sections(self) -> Mapping[str, str]:
        """Formula, reference, edge cases and the like, from the docstring."""
        return sections_of(self.target)

    @property
    def declared(self) -> Mapping[str, str]:
        """What is declared about it, for its page."""
        return {}

    @property
    def facts(self) -> dict[str, str]:
        """Its page: by title, what there is to say."""
        parameters = (f"{each}{', written after the @' * (name == self.at)}" for name, each in self.parameters.items())
        others = [*self.names, *(f"{name} for {text}" if text else name for name, text in self.shorthands.items())]
        own = {**self.sections, "Parameters": "; ".join(parameters), **self.declared, "Also called": ", ".join(others)}
        return {title: text for title, text in own.items() if text}
