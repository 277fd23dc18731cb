"""Check the arguments of public functions against their annotations before the work begins.

The error for a wrong argument names the function, the argument, what was expected and what was found; without the check
Python would raise an exception from deep inside. Data (`germane.types`) are checked by the code that reads them.
"""

from __future__ import annotations

import builtins
import collections.abc
import inspect
import sys
import types
import typing
from collections.abc import Callable, Iterable, Iterator, Mapping, Set
from functools import partial, update_wrapper
from numbers import Integral, Real
from pathlib import Path
from typing import Any, Literal, NamedTuple, TypeVar, Union, cast, overload

import germane.types as data_types
from germane.errors import GermaneError, did_you_mean

Function = TypeVar("Function", bound=Callable[..., Any])
Class = TypeVar("Class")


class Expected(NamedTuple):
    """One kind of value that an argument accepts: how to test it, and its name in an error."""

    fits: Callable[[Any], bool]
    name: str
    is_list: Literal["", "ordered", "any order"] = ""
    """For a list of values of known kinds, which may be a column of any library: whether its order counts."""
    by_type: bool = False
    """Whether the type alone decides; of a long list, one value per type is then checked."""


@overload
def checked(function: Function, /) -> Function: ...
@overload
def checked(**hints: str) -> Callable[[Function], Function]: ...
def checked(function: Callable[..., Any] | None = None, /, **hints: str) -> Any:
    """Check the arguments of a public function against their annotations; `hints` are added to errors, by parameter.

    Options that are declared together (`**options: Unpack[SomeOptions]`) are parameters like any other.

    >>> @checked
    ... def first(k: int = 10) -> int:
    ...     return k
    >>> first(k="many")
    Traceback (most recent call last):
    germane.errors.GermaneError: first: expected an integer as k, found 'many' (str)
    """
    return partial(_checked, hints) if function is None else _checked(hints, function)


def _checked(hints: Mapping[str, str], function: Callable[..., Any]) -> Callable[..., Any]:
    declared = declared_options(function)
    signature = _with_options(inspect.signature(function), declared)
    expected: dict[str, list[Expected]] = {}
    find, refuse = partial(_find_expected, declared), partial(_refuse_others, hints, declared is not None)

    def call(*args: Any, **kwargs: Any) -> Any:
        if not expected:
            expected.update(find(function, signature))
        given = refuse(function, signature, expected, args, kwargs)
        return function(*given.args, **given.kwargs)

    # Use the globals of the function itself: doctest infers from them which module a function belongs to.
    same_home = types.FunctionType(call.__code__, _globals(function), function.__name__, None, call.__closure__)
    update_wrapper(same_home, function).__signature__ = signature  # type: ignore[attr-defined]
    return same_home


class _NotGiven:
    """Default of an option in a signature; the function itself defines the real default."""

    def __repr__(self) -> str:
        return "…"


def declared_options(function: Callable[..., Any]) -> type | None:
    """Return the typed dict that declares the options of a function, None if it has none."""
    for parameter in inspect.signature(function).parameters.values():
        if parameter.kind is parameter.VAR_KEYWORD and str(parameter.annotation).startswith("Unpack["):
            return cast("type", _globals(function)[str(parameter.annotation)[len("Unpack[") : -1]])
    return None


def _with_options(signature: inspect.Signature, declared: type | None) -> inspect.Signature:
    """Return the signature with each declared option as a parameter."""
    if declared is None:
        return signature
    named = [each for each in signature.parameters.values() if each.kind is not each.VAR_KEYWORD]
    for name, hint in declared.__annotations__.items():
        text = getattr(hint, "__forward_arg__", hint)
        named.append(inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=_NotGiven(), annotation=text))
    return signature.replace(parameters=named)


def refuse_unknown(function: str, given: Iterable[str], known: Iterable[str]) -> None:
    """Refuse options that a function does not have, suggesting the most similar one.

    >>> refuse_unknown("report", ["tiess"], ["ties", "topics"])
    Traceback (most recent call last):
    germane.errors.GermaneError: report: unknown option 'tiess'; did you mean ties?
    Hint: choose from ties, topics
    """
    names = sorted(known)
    for name in given:
        if name not in names:
            problem = f"{function}: unknown option {name!r}{did_you_mean(name, names)}"
            raise GermaneError(problem, hint=f"choose from {', '.join(names)}")


def options_for(verb: str, options: Mapping[str, Any], *functions: Callable[..., Any]) -> list[dict[str, Any]]:
    """Split options among functions by their parameters; refuse options that none of them has.

    Which functions do the work may depend on the data; without this check, options of the others would be ignored.

    >>> def draw(*, width: int = 3) -> None: ...
    >>> options_for("plot", {"width": 4}, draw, sorted)
    [{'width': 4}, {}]
    """
    signatures = [inspect.signature(function).parameters.values() for function in functions]
    names = [[one.name for one in parameters if one.default is not one.empty] for parameters in signatures]
    refuse_unknown(verb, options, {name for known in names for name in known})
    return [{name: options[name] for name in known if name in options} for known in names]


def checked_fields(cls: type[Class]) -> type[Class]:
    """Check the values of a new data class instance against the annotations of its fields."""
    cls.__init__ = checked(cls.__init__)  # type: ignore[method-assign]
    return cls


ALIASES = {"pos_label": "positive"}
"""Names of parameters in scikit-learn that differ from ours; both are accepted."""


class _Names(dict[str, Any]):
    """The names of a module. A name imported only for type checking becomes a data type, or a placeholder class."""

    def __missing__(self, name: str) -> Any:
        known = {**vars(builtins), **vars(data_types)}
        if name in known:
            found = known[name]
            return eval(found, {}, _Names()) if isinstance(found, str) else found
        return type(name, (), {"__module__": "germane.", "__class_getitem__": classmethod(lambda cls, _: cls)})


def _name_of(function: Callable[..., Any]) -> str:
    return function.__qualname__.removesuffix(".__init__")


def _globals(function: Callable[..., Any]) -> dict[str, Any]:
    return cast("dict[str, Any]", inspect.unwrap(function).__globals__)


def _refuse_others(
    hints: Mapping[str, str],
    has_options: bool,
    function: Callable[..., Any],
    signature: inspect.Signature,
    expected: Mapping[str, list[Expected]],
    args: tuple[Any, ...],
    kwargs: Mapping[str, Any],
) -> inspect.BoundArguments:
    """Check and return the bound arguments; a column of another library becomes a list where one is expected."""
    for alias, name in ALIASES.items():
        if alias in kwargs and name in signature.parameters:
            if name in kwargs:
                raise GermaneError(f"{_name_of(function)}: expected {name} or its alias {alias}, found both")
            kwargs = {name if key == alias else key: value for key, value in kwargs.items()}
    if has_options:
        refuse_unknown(_name_of(function), kwargs, signature.parameters)
    try:
        bound = signature.bind(*args, **kwargs)
    except TypeError as error:  # Python's own message, with the name of the function, which `bind` omits
        raise TypeError(f"{_name_of(function)}() {error}") from None
    for name, value in bound.arguments.items():
        if name in LEAST and isinstance(value, int) and value < LEAST[name]:
            raise GermaneError(f"{_name_of(function)}: expected {name} of {LEAST[name]} or more, found {value}")
        kinds = expected.get(name)
        if kinds is None:
            continue
        if any(kind.is_list for kind in kinds):
            value = bound.arguments[name] = _as_list(value, kinds)  # noqa: PLW2901 - it is the same column
        if not any(kind.fits(value) for kind in kinds):
            problem = f"{_name_of(function)}: expected {_wanted(kinds)} as {name}, found {_shown(value)}"
            raise GermaneError(problem, hint=hints.get(name))
    return bound


def _as_list(value: Any, kinds: list[Expected]) -> Any:
    """Convert a one-dimensional column of another library to a list, and an iterator where it is read twice."""
    if isinstance(value, Iterator) and {kind.is_list for kind in kinds} <= {"", "ordered"}:
        return list(value)  # where order does not count, it may be a stream larger than memory
    if type(value).__name__ == "MaskedArray":
        return value
    for method in ("tolist", "to_list", "to_pylist"):
        if getattr(value, "ndim", 1) == 1 and hasattr(value, method) and not hasattr(value, "columns"):
            return getattr(value, method)()
    return value


def _wanted(kinds: list[Expected]) -> str:
    """Describe the kinds for an error: "a number" includes integers, and None is not mentioned."""
    names = list(dict.fromkeys(kind.name for kind in kinds))
    covered = {"None"} | ({"an integer"} if "a number" in names else set())
    return " or ".join([name for name in names if name not in covered] or names)


def _find_expected(
    declared: type | None, function: Callable[..., Any], signature: inspect.Signature
) -> dict[str, list[Expected]]:
    """Return the kinds that each parameter accepts, without parameters that accept anything."""
    found: dict[str, list[Expected]] = {}
    known = _Names({} if declared is None else vars(sys.modules[declared.__module__]), **_globals(function))
    for name, parameter in signature.parameters.items():
        annotation = parameter.annotation
        kinds = _kinds(eval(annotation, {}, known) if isinstance(annotation, str) else annotation)
        if kinds is not None and parameter.kind not in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
            found[name] = kinds
    return found or {"": []}


def _kinds(annotation: Any) -> list[Expected] | None:
    """Return the kinds of values that an annotation accepts; None for anything, or if they cannot be checked here."""
    origin, inner = typing.get_origin(annotation), typing.get_args(annotation)
    if origin in (Union, types.UnionType):
        parts = [_kinds(part) for part in inner]
        return None if any(part is None for part in parts) else [kind for part in parts for kind in part or ()]
    if annotation in PLAIN:
        return [PLAIN[annotation]]
    if origin is Literal:
        types_of_choices = tuple({type(choice) for choice in inner})
        return [Expected(lambda value: isinstance(value, types_of_choices), f"one of {', '.join(map(repr, inner))}")]
    if origin is collections.abc.Callable:
        return [Expected(callable, "a function")]
    if origin in MAPPINGS:  # for nested dicts, the reader reports which entry is wrong
        return [_dict_of(None if typing.get_origin(inner[1]) in MAPPINGS else _kinds(inner[1]))]
    if origin is tuple and Ellipsis not in inner:
        several = _list_of(_kinds(inner[0]), ordered=True)
        name = f"{several.name} with {len(inner)} entries"
        return [Expected(lambda value: several.fits(value) and len(value) == len(inner), name)]
    if origin in LISTS or origin in ORDERED:
        return [_list_of(_kinds(inner[0]), ordered=origin in ORDERED)]
    if getattr(origin, "__name__", "") == "ndarray":
        return [Expected(lambda value: getattr(value, "ndim", 0) > 0, "an array")]
    if isinstance(annotation, type) and annotation.__module__.startswith("germane."):
        if getattr(annotation, "_is_protocol", False):
            return None
        name = annotation.__name__  # compare by name: the class may not be imported here
        return [Expected(lambda value: any(kind.__name__ == name for kind in type(value).__mro__), name, by_type=True)]
    return None


def _dict_of(kinds: list[Expected] | None) -> Expected:
    def fits(value: Any) -> bool:
        if not isinstance(value, Mapping):
            return False
        return kinds is None or all(any(kind.fits(one) for kind in kinds) for one in _some(value.values(), kinds))

    return Expected(fits, f"a dict{_inside(kinds)}")


def _some(values: Iterable[Any], kinds: list[Expected]) -> Iterable[Any]:
    """Return the values to check: one of each type if the type alone decides."""
    return {type(one): one for one in values}.values() if all(kind.by_type for kind in kinds) else values


def _inside(kinds: list[Expected] | None) -> str:
    return "" if kinds is None else f" of {_wanted(kinds)}"


def _list_of(kinds: list[Expected] | None, *, ordered: bool) -> Expected:
    """Describe a list with elements of some kinds; without kinds it is data, which its reader checks."""

    def fits(value: Any) -> bool:
        if isinstance(value, str | bytes | Mapping) or not isinstance(value, Iterable):
            return False
        if kinds is None:
            return getattr(value, "ndim", 1) > 0
        if (ordered and isinstance(value, Set)) or type(value).__module__.partition(".")[0] in LIBRARIES:
            return False
        if not isinstance(value, list | tuple | set | frozenset):
            return True
        return all(any(kind.fits(one) for kind in kinds) for one in _some(value, kinds))

    marked: Literal["", "ordered", "any order"] = "" if kinds is None else "ordered" if ordered else "any order"
    return Expected(fits, f"a list{_inside(kinds)}", marked)


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
    return text if value is None else f"{text} ({type(value).__name__})"


PLAIN: Mapping[Any, Expected] = {
    int: Expected(_is_number(Integral), "an integer", by_type=True),
    float: Expected(_is_number(Real), "a number", by_type=True),
    bool: Expected(_is_truth_value, "True or False"),
    str: Expected(lambda value: isinstance(value, str), "text", by_type=True),
    Path: Expected(lambda value: isinstance(value, Path), "a path", by_type=True),
    type(None): Expected(lambda value: value is None, "None", by_type=True),
}
MAPPINGS = (dict, Mapping, collections.abc.MutableMapping)
ORDERED = (list, tuple, collections.abc.Sequence)
LISTS = (set, frozenset, Iterable, collections.abc.Collection)
LIBRARIES = ("numpy", "pandas", "polars", "pyarrow", "scipy", "torch")
"""Libraries whose objects are not lists, unless they are one-dimensional columns."""
LEAST: Mapping[str, int] = {"seed": 0}
"""Minimum value of parameters that mean the same in all functions."""
