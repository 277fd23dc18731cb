"""What public functions take: each argument is held against its annotation before the work begins.

A wrong one is an error that names the function, the argument, what was expected and what was found, where Python would
raise an exception from somewhere inside. Data that annotations leave open (`Any`) are refused by what reads them.
"""

from __future__ import annotations

import collections.abc
import inspect
import types
import typing
from collections.abc import Callable, Iterable, Mapping
from functools import update_wrapper
from numbers import Integral, Real
from pathlib import Path
from typing import Any, Literal, NamedTuple, TypeVar, Union

from germane.errors import GermaneError, did_you_mean

Function = TypeVar("Function", bound=Callable[..., Any])


class Expected(NamedTuple):
    """One kind of value that an argument may be: how to tell, and how it is called in an error."""

    fits: Callable[[Any], bool]
    name: str


def checked(function: Function) -> Function:
    """Hold the arguments of a public function against their annotations.

    >>> @checked
    ... def first(k: int = 10) -> int:
    ...     return k
    >>> first(k="many")
    Traceback (most recent call last):
    germane.errors.GermaneError: first: expected a whole number as k, found 'many' (str)
    """
    signature = inspect.signature(function)
    expected: dict[str, list[Expected]] = {}
    find, refuse = _find_expected, _refuse_others

    def call(*args: Any, **kwargs: Any) -> Any:
        if not expected:
            expected.update(find(function, signature))
        refuse(function, signature, expected, args, kwargs)
        return function(*args, **kwargs)

    # With the globals of the function itself: doctest tells by them which module a function belongs to.
    same_home = types.FunctionType(call.__code__, _globals(function), function.__name__, None, call.__closure__)
    return typing.cast("Function", update_wrapper(same_home, function))


def refuse_unknown(function: str, given: Iterable[str], known: Iterable[str]) -> None:
    """Refuse options that a function does not have, naming the nearest one it has.

    >>> refuse_unknown("report", ["tiess"], ["ties", "topics"])
    Traceback (most recent call last):
    germane.errors.GermaneError: report: unknown option 'tiess'; did you mean ties?
    Hint: choose from ties, topics
    """
    names = sorted(known)
    for name in given:
        if name not in names:
            raise GermaneError(
                f"{function}: unknown option {name!r}{did_you_mean(name, names)}",
                hint=f"choose from {', '.join(names)}",
            )


def option_names(*functions: Callable[..., Any]) -> list[str]:
    """Return the names of the keyword-only parameters of functions, each once."""
    parameters = [one for each in functions for one in inspect.signature(each).parameters.values()]
    return list(dict.fromkeys(one.name for one in parameters if one.kind is inspect.Parameter.KEYWORD_ONLY))


def _globals(function: Callable[..., Any]) -> dict[str, Any]:
    found: dict[str, Any] = inspect.unwrap(function).__globals__  # type: ignore[attr-defined]
    return found


def _refuse_others(
    function: Callable[..., Any],
    signature: inspect.Signature,
    expected: Mapping[str, list[Expected]],
    args: tuple[Any, ...],
    kwargs: Mapping[str, Any],
) -> None:
    try:
        given = signature.bind(*args, **kwargs).arguments
    except TypeError as error:  # Python's own words, with the name of the function, which `bind` leaves out
        raise TypeError(f"{function.__qualname__}() {error}") from None
    for name, value in given.items():
        kinds = expected.get(name)
        if kinds is not None and not any(kind.fits(value) for kind in kinds):
            wanted = " or ".join(dict.fromkeys(kind.name for kind in kinds))
            raise GermaneError(f"{function.__qualname__}: expected {wanted} as {name}, found {_shown(value)}")


def _find_expected(function: Callable[..., Any], signature: inspect.Signature) -> dict[str, list[Expected]]:
    """What each parameter may be; one that may be anything is not there."""
    found: dict[str, list[Expected]] = {}
    for name, parameter in signature.parameters.items():
        annotation = parameter.annotation
        if isinstance(annotation, str):
            try:
                annotation = eval(annotation, _globals(function))
            except NameError:  # a type that only the type checker imports
                continue
        kinds = _kinds(annotation)
        if kinds is not None and parameter.kind not in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
            found[name] = kinds
    return found or {"": []}


def _kinds(annotation: Any) -> list[Expected] | None:
    """The kinds of values of an annotation; None if it takes anything, or says what cannot be told from outside."""
    origin, inner = typing.get_origin(annotation), typing.get_args(annotation)
    if origin in (Union, types.UnionType):
        parts = [_kinds(part) for part in inner]
        return None if any(part is None for part in parts) else [kind for part in parts for kind in part or ()]
    if annotation in PLAIN:
        return [PLAIN[annotation]]
    if origin is Literal:
        return [Expected(lambda value: isinstance(value, str), f"one of {', '.join(map(repr, inner))}")]
    if origin is collections.abc.Callable:
        return [Expected(callable, "a function")]
    if origin in MAPPINGS:
        return [Expected(lambda value: isinstance(value, Mapping), "a dict")]
    if origin in LISTS:
        return [_list_of(_kinds(inner[0]) if inner else None)]
    if isinstance(annotation, type) and annotation.__module__.startswith("germane."):
        return [Expected(lambda value: isinstance(value, annotation), annotation.__name__)]
    return None


def _list_of(kinds: list[Expected] | None) -> Expected:
    """A list whose elements are of some kinds; what is read only once is left alone."""

    def fits(value: Any) -> bool:
        if isinstance(value, str | bytes | Mapping) or not isinstance(value, Iterable):
            return False
        if kinds is None or not isinstance(value, list | tuple | set | frozenset):
            return True
        return all(any(kind.fits(one) for kind in kinds) for one in value)

    inside = "" if kinds is None else f" of {' or '.join(dict.fromkeys(kind.name for kind in kinds))}"
    return Expected(fits, f"a list{inside}")


def _is_number(kind: type) -> Callable[[Any], bool]:
    return lambda value: isinstance(value, kind) and not isinstance(value, bool)


def _is_truth_value(value: Any) -> bool:
    return isinstance(value, bool) or type(value).__name__ == "bool" or (isinstance(value, int) and value in (0, 1))


def _shown(value: Any) -> str:
    import reprlib

    try:
        text = reprlib.repr(value)
    except Exception:
        text = "an object"
    return f"{text} ({type(value).__name__})"


PLAIN: Mapping[Any, Expected] = {
    int: Expected(_is_number(Integral), "a whole number"),
    float: Expected(_is_number(Real), "a number"),
    bool: Expected(_is_truth_value, "True or False"),
    str: Expected(lambda value: isinstance(value, str), "text"),
    Path: Expected(lambda value: isinstance(value, Path), "a path"),
    type(None): Expected(lambda value: value is None, "None"),
    object: Expected(lambda value: True, "anything"),
}
MAPPINGS = (dict, Mapping, collections.abc.MutableMapping)
LISTS = (
    list,
    tuple,
    set,
    frozenset,
    collections.abc.Sequence,
    collections.abc.Iterable,
    collections.abc.Collection,
)
