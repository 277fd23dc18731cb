"""Parameters: inferred from type hints, converted and checked by one rule."""

from __future__ import annotations

import inspect
import math
import re
import typing
from collections.abc import Callable, Mapping, Sequence
from dataclasses import MISSING, dataclass, fields, is_dataclass
from numbers import Integral, Real
from types import UnionType
from typing import Annotated, Any, ClassVar, Literal, Union

from germane.catalogue.spelling import fold, known_name, spell, written
from germane.errors import GermaneError, did_you_mean

REQUIRED: Any = type("Required", (), {})()
"""Default of a parameter that must be given."""
_KNOWN: dict[Callable[..., Any], Mapping[str, Parameter]] = {}
KINDS: Mapping[type, str] = {int: "an integer", float: "a number", bool: "true or false", str: "text"}


@dataclass(frozen=True)
class Range:
    """Range of a parameter, declared in its type: ``Annotated[float, Range(0, 1, without=(0,))]``."""

    least: float = -math.inf
    greatest: float = math.inf
    without: tuple[float, ...] = ()
    """Ends that are excluded."""

    def __contains__(self, value: float) -> bool:
        return self.least <= value <= self.greatest and value not in self.without and abs(value) != math.inf

    def __str__(self) -> str:
        low, high = written(self.least), written(self.greatest)
        least = f" above {low}" if self.least in self.without else f" of {low} or more"
        if self.greatest >= 10**9:  # an upper limit that nobody reaches is not worth printing
            return "" if self.least == -math.inf else least
        if not self.without:
            return f" between {low} and {high}"
        return f"{least} and {'below' if self.greatest in self.without else 'up to'} {high}"


Count = Annotated[int, Range(1)]
Weight = Annotated[float, Range(0)]
Positive = Annotated[float, Range(0, without=(0,))]
Share = Annotated[float, Range(0, 1)]
Probability = Annotated[float, Range(0, 1, without=(0, 1))]
"""A share strictly between 0 and 1."""


@dataclass(frozen=True)
class Parameter:
    """A parameter, inferred from a signature or from a field of a data class."""

    name: str
    """Name as a person writes it: ``lambda`` for the field ``lambda_``, since Python reserves the word."""
    kind: type
    default: Any = REQUIRED
    """Default value; `REQUIRED` if the parameter must be given."""
    choices: tuple[str, ...] = ()
    range: Range = Range()
    optional: bool = False
    reader: Callable[[str], str] | None = None
    """Checks a text with its own syntax, and returns it in its printed form."""
    field: str = ""
    """Name of the field or parameter in Python."""

    @property
    def expected(self) -> str:
        """Description of the values it accepts, for an error."""
        return f"one of {', '.join(map(written, self.choices))}" if self.choices else f"{KINDS[self.kind]}{self.range}"

    def __str__(self) -> str:
        """Describe it for documentation: ``k1 = 1.2 (a number of 0 or more)``."""
        expected = ", ".join(map(written, self.choices)) or self.expected
        if self.default is REQUIRED:
            return f"{self.name} ({expected}; required)"
        default = "all" if self.default is None and self.kind is int else written(self.default) or "none"
        return f"{self.name} = {default} ({expected})"

    def read(self, text: str) -> Any:
        """Convert a text to the type of the parameter."""
        if self.reader is not None:
            return self.reader(text)
        if self.optional and fold(text) in ("none", "all"):
            return None
        if self.choices:
            return known_name(text, self.choices) or text
        if self.kind is bool:
            return {"true": True, "false": False}[text.casefold()]
        if self.kind is int:
            return int(text) if re.fullmatch(r"[+-]?\d+", text) else text
        if self.kind is float:
            return float(text.removesuffix("%")) / (100 if text.endswith("%") else 1)
        return text

    def fits(self, value: Any) -> bool:
        """Whether it accepts this value."""
        if value is None:
            return self.optional
        if self.choices:
            return value in self.choices
        if self.kind in (bool, str):
            return isinstance(value, self.kind)
        if isinstance(value, bool) or not isinstance(value, Integral if self.kind is int else Real):
            return False
        return float(value) in self.range

    def convert(self, given: Any, where: str, error: type[GermaneError] = GermaneError) -> Any:
        """Convert and check a text or a Python value."""
        try:
            value = self.read(given) if isinstance(given, str) else given
            if not self.fits(value):
                raise ValueError
        except GermaneError:  # raised by a `reader`
            raise
        except (ValueError, KeyError):
            raise error(f"{where}, found {str(given)!r}{did_you_mean(str(given), self.choices)}") from None
        if self.kind is float and value is not None:
            return int(value) if isinstance(self.default, int) and float(value).is_integer() else float(value)
        return value


def parameters_of(target: Callable[..., Any]) -> Mapping[str, Parameter]:
    """Return parameters by name: the fields of a data class, or the parameters of a function that have a default."""
    if target not in _KNOWN:
        hints = typing.get_type_hints(target, include_extras=True)
        read = (_parameter(name, default, hints.get(name, type(default))) for name, default in _defaults(target))
        _KNOWN[target] = {parameter.name: parameter for parameter in read if parameter is not None}
    return _KNOWN[target]


def _defaults(target: Callable[..., Any]) -> list[tuple[str, Any]]:
    if is_dataclass(target):
        return [(each.name, REQUIRED if each.default is MISSING else each.default) for each in fields(target)]
    return [
        (each.name, REQUIRED if each.default is each.empty else each.default)
        for each in inspect.signature(target).parameters.values()
        if each.kind is each.KEYWORD_ONLY or each.default is not each.empty
    ]


def _parameter(name: str, default: Any, hint: Any) -> Parameter | None:
    """Return a parameter that people can type; None for one that takes a table or a column."""
    notes: Sequence[Any] = ()
    if typing.get_origin(hint) is Annotated:
        hint, *notes = typing.get_args(hint)
    kinds = typing.get_args(hint) if typing.get_origin(hint) in (Union, UnionType) else (hint,)
    kind = next((kind for kind in kinds if kind is not type(None)), str)
    choices = typing.get_args(kind) if typing.get_origin(kind) is Literal else ()
    if not choices and kind not in KINDS:
        return None
    limits = next((note for note in notes if isinstance(note, Range)), Range())
    kind, optional = str if choices else kind, type(None) in kinds
    reader = next((note for note in notes if callable(note)), None)
    return Parameter(name.rstrip("_"), kind, default, choices, limits, optional, reader, field=name)


class Choice:
    """A value whose class is in a catalogue: its fields are its parameters, checked against their types on creation.

    It prints as a person writes it, without spaces, since it is used in names of runs.
    """

    name: ClassVar[str]

    def __post_init__(self) -> None:
        for parameter in parameters_of(type(self)).values():
            value = getattr(self, parameter.field)
            if parameter.reader is not None and isinstance(value, str):
                object.__setattr__(self, parameter.field, parameter.reader(value))
            elif not parameter.fits(value):
                raise GermaneError(f"{self.name}: expected {parameter.expected} for {parameter.name}, found {value!r}")

    @property
    def settings(self) -> dict[str, Any]:
        """Value of every parameter."""
        return {name: getattr(self, each.field) for name, each in parameters_of(type(self)).items()}

    @property
    def changed(self) -> dict[str, Any]:
        """Parameters that differ from their defaults."""
        known = parameters_of(type(self))
        return {name: value for name, value in self.settings.items() if value != known[name].default}

    def __str__(self) -> str:
        return spell(self.name, self.changed.items(), between=",")

    __repr__ = __str__
