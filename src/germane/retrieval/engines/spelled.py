"""Small choices as people write them: a name and, in brackets, what is not the default: ``BII(prior_weight=2)``."""

from __future__ import annotations

import re
import typing
from dataclasses import fields
from typing import Any, TypeVar

from germane.errors import GermaneError, did_you_mean
from germane.tables.spelling import given_once, known_name, written

_WRITTEN = re.compile(r"\s*(?P<name>[^\s()=,]+)(?:\s*\((?P<inside>[^()]*)\))?\s*")

Choice = TypeVar("Choice")


def named(text: str) -> tuple[str, str]:
    """The name, and what stands in the brackets after it.

    >>> named("BII( prior_weight=2 )")
    ('BII', ' prior_weight=2 ')
    """
    found = _WRITTEN.fullmatch(text)
    if found is None:
        raise GermaneError(f"expected a name, or name(parameter=value, …), found {text!r}")
    return found["name"], found["inside"] or ""


def chosen(cls: type[Choice], name: str, inside: str, **given: Any) -> Choice:
    """The dataclass with the parameters that stand in the brackets; each is a number, or one of a few words."""
    hints = typing.get_type_hints(cls)
    known = [field.name for field in fields(cls) if field.name not in given]  # type: ignore[arg-type]
    pairs = []
    for piece in filter(None, map(str.strip, inside.split(","))):
        key, equals, value = (part.strip() for part in piece.partition("="))
        if key not in known:
            takes = f"it takes {', '.join(known)}" if known else "it takes none"
            raise GermaneError(f"{name} has no parameter {key!r}{did_you_mean(key, known)}", hint=takes)
        if not equals:
            raise GermaneError(f"{name}: expected {key}=value, found {piece!r}")
        pairs.append((key, value))
    typed = given_once(pairs, name)
    return cls(**given, **{key: _value(name, key, value, hints[key]) for key, value in typed.items()})


def spelled(choice: Any, name: str, without: tuple[str, ...] = ()) -> str:
    """As a person writes it, without blanks; `chosen` reads it back."""
    parts = [(field.name, getattr(choice, field.name), field.default) for field in fields(choice)]
    told = [f"{key}={_written(value)}" for key, value, default in parts if value != default and key not in without]
    return f"{name}({','.join(told)})" if told else name


def _value(name: str, key: str, text: str, hint: Any) -> Any:
    if typing.get_origin(hint) is typing.Literal:
        by_text = {_written(choice): choice for choice in typing.get_args(hint)}
        if (word := known_name(_written(text), by_text)) is None:
            near = did_you_mean(text, by_text)
            raise GermaneError(f"{name}: expected {key} to be {' or '.join(by_text)}, found {text!r}{near}")
        return by_text[word]
    try:
        return float(text)
    except ValueError:
        raise GermaneError(f"{name}: expected a number for {key}, found {text!r}") from None


def _written(value: Any) -> str:
    """``left out`` is written ``left-out``: the name of a run has no blanks."""
    return written(value).replace(" ", "-")
