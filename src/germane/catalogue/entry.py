"""An entry of a catalogue: the function or class of a name, and its documentation, which is its docstring."""

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
    """Return the first line of a docstring.

    >>> summary_of(summary_of)
    'Return the first line of a docstring.'
    """
    return inspect.cleandoc(thing.__doc__ or "").partition("\n")[0]


def sections_of(thing: object) -> dict[str, str]:
    """Return the sections of a docstring, such as Formula, Reference and Edge cases, each as one line.

    >>> from germane.measures.rankings.precision import precision
    >>> sections_of(precision)["Formula"]
    'P@k = (relevant in the top k) / k; without a cutoff, / retrieved'
    """
    text = inspect.cleandoc(thing.__doc__ or "").partition("\n\n")[2].partition(">>>")[0]
    return {title: " ".join(body.split()) for title, body in _SECTION.findall(text)}


@dataclass(frozen=True, eq=False, repr=False)
class Entry:
    """A named thing of a catalogue: its function or class, and what is declared about it; its docstring documents it.

    `rest` holds the parameters that differ from their defaults.
    """

    name: str
    target: Callable[..., Any]
    _: KW_ONLY
    error: ClassVar[type[GermaneError]] = GermaneError
    bare: ClassVar[bool] = False
    """Whether the first parameter may be given without its name."""
    names: tuple[str, ...] = ()
    """Other names."""
    shorthands: Mapping[str, str] = field(default_factory=dict)
    """Names that imply parameters: ``{"BM25+": "variant=plus"}``."""
    rest: tuple[tuple[str, Any], ...] = ()
    at: str = ""
    """Parameter that is written after the @."""

    def __post_init__(self) -> None:
        # An entry that replaces its function has the documentation of the function.
        for name in ("__doc__", "__module__", "__name__"):
            object.__setattr__(self, name, getattr(self.target, name))
        object.__setattr__(self, "__wrapped__", self.target)

    @cached_property
    def parameters(self) -> Mapping[str, Parameter]:
        """Parameters by name, read on first use so that start-up is fast."""
        return parameters_of(self.target)

    @property
    def settings(self) -> dict[str, Any]:
        """Value of every parameter."""
        return {**{name: each.default for name, each in self.parameters.items()}, **dict(self.rest)}

    def choose(self, **given: Any) -> Any:
        """Return the thing with these parameters, given as text or as Python values."""
        known = self.parameters
        for key in given:
            if key not in known:
                choices = f"choose from {', '.join(known)}" if known else f"remove it; {self.name} takes no parameters"
                raise self.error(f"{self.name} has no parameter {key!r}{did_you_mean(key, known)}", hint=choices)
        for key, parameter in known.items():
            if key not in given and parameter.default is REQUIRED:
                raise self.error(f"{self.name} requires {key}", hint=f"write {self.name}({key}=…)")
        return self.make({key: self._convert(known[key], given[key]) for key in known if key in given})

    def _convert(self, parameter: Parameter, given: Any) -> Any:
        place = "after the @" if parameter.name == self.at else f"for {parameter.name}"
        return parameter.convert(given, f"{self.name}: expected {parameter.expected} {place}", self.error)

    def make(self, values: Mapping[str, Any]) -> Any:
        """Create the thing from checked values."""
        if isinstance(self.target, type) and issubclass(self.target, Choice):
            return self.target(**{self.parameters[key].field: value for key, value in values.items()})
        changed = self.changed(values)
        return self if changed == self.rest else replace(self, rest=changed)

    def changed(self, values: Mapping[str, Any]) -> tuple[tuple[str, Any], ...]:
        """Return the values that differ from the defaults."""
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
        """All names of the entry."""
        return self.name, *self.names

    @property
    def home(self) -> tuple[str, str]:
        """Module that defines it, and its qualified name there."""
        return self.target.__module__, self.target.__qualname__

    @property
    def family(self) -> str:
        """Name of the module that defines it, without packages."""
        return self.home[0].rpartition(".")[2]

    @cached_property
    def summary(self) -> str:
        """First line of the docstring."""
        return summary_of(self.target)

    @cached_property
    def sections(self) -> Mapping[str, str]:
        """Sections of the docstring: formula, reference, edge cases and the like."""
        return sections_of(self.target)

    @property
    def declared(self) -> Mapping[str, str]:
        """Declared properties, for its documentation."""
        return {}

    @property
    def facts(self) -> dict[str, str]:
        """Documentation by title."""
        parameters = (f"{each}{', written after the @' * (name == self.at)}" for name, each in self.parameters.items())
        others = [*self.names, *(f"{name} for {text}" if text else name for name, text in self.shorthands.items())]
        own = {**self.sections, "Parameters": "; ".join(parameters), **self.declared, "Also called": ", ".join(others)}
        return {title: text for title, text in own.items() if text}
