"""The parameters after a measure's dot: cutoffs, levels, numbers or level=gain pairs, and the names they make."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from germane.trec_eval.c_numbers import atof, atol
from germane.trec_eval.exits import BAD_INPUT, EarlyExitError

Pairs = tuple[tuple[bytes, float], ...]


@dataclass(frozen=True)
class ParameterKind:
    """How a measure's parameters are read, and what each of its values is called."""

    parse: Callable[[bytes], tuple[Any, ...]]
    label: Callable[[bytes, tuple[Any, ...], bytes | None], list[bytes]]


def _no_parameters(_text: bytes) -> tuple[()]:
    return ()


def _cutoffs(text: bytes) -> tuple[int, ...]:
    """Ranks, sorted.

    >>> _cutoffs(b"10,5,23.4")
    (5, 10, 23)
    """
    cutoffs = sorted(atol(part) for part in text.split(b","))
    if cutoffs[0] <= 0 or len(set(cutoffs)) < len(cutoffs):
        raise _malformed(text)
    return tuple(cutoffs)


def _levels(text: bytes) -> tuple[float, ...]:
    """Levels of recall, or multiples of R, sorted."""
    levels = sorted(atof(part) for part in text.split(b","))
    if len(set(levels)) < len(levels):
        raise _malformed(text)
    return tuple(levels)


def _numbers(text: bytes) -> tuple[float, ...]:
    """Numbers in the order given."""
    return tuple(atof(part) for part in text.split(b","))


def _pairs(text: bytes) -> Pairs:
    """Names and numbers.

    >>> _pairs(b"1=3,p=.5")
    ((b'1', 3.0), (b'p', 0.5))
    """
    parts = text.split(b",")
    if any(part.count(b"=") != 1 for part in parts):
        raise _malformed(text)
    return tuple((name, atof(value)) for name, _, value in (part.partition(b"=") for part in parts))


def _malformed(text: bytes) -> EarlyExitError:
    shown = text.decode(errors="replace")
    return EarlyExitError(BAD_INPUT, f"trec_eval: malformed or repeated parameters in '{shown}'\n")


def _one_value(name: bytes, _values: tuple[Any, ...], text: bytes | None) -> list[bytes]:
    return [name if text is None else name + b"_" + text]


PLAIN = ParameterKind(_no_parameters, lambda name, _values, _text: [name])
CUTOFFS = ParameterKind(_cutoffs, lambda name, values, _text: [b"%s_%d" % (name, value) for value in values])
LEVELS = ParameterKind(_levels, lambda name, values, _text: [b"%s_%3.2f" % (name, value) for value in values])
NUMBERS = ParameterKind(_numbers, _one_value)
PAIRS = ParameterKind(_pairs, _one_value)
