"""The laws of public signatures: no bare `Any`, few names at the top, every result type public."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterator, Mapping
from importlib import import_module
from typing import Any, get_overloads

from germane.public import HOMES, home_of
from tests.laws.test_results import all_result_types

AT_MOST = 45
"""Functions and classes at the top, namespaces not counted."""
EACH_TYPE_SAYS = "with * and ** each type of result says which views it has"
EXCUSED: Mapping[str, str] = {
    "Result.tables": EACH_TYPE_SAYS,
    "Result.shown": EACH_TYPE_SAYS,
    "Result.at_terminal": EACH_TYPE_SAYS,
    "Result.document": EACH_TYPE_SAYS,
}


def is_bare(annotation: object) -> bool:
    """Whether an annotation is `Any`, or a choice of which `Any` is one; a dict of anything is a dict."""
    text, inner = str(annotation), ""
    while text != inner:
        text, inner = re.sub(r"\[[^\[\]]*\]", "", text), text
    return "Any" in re.split(r"\W+", text)


def loose(name: str, function: Callable[..., Any]) -> Iterator[str]:
    """What the signatures of a function leave open: all of its forms, where it has several."""
    for form in get_overloads(inspect.unwrap(function)) or [function]:
        signature = inspect.signature(form)
        yield from (f"{name}({each.name})" for each in signature.parameters.values() if is_bare(each.annotation))
        if is_bare(signature.return_annotation):
            yield f"{name} -> Any"


def public_functions() -> Iterator[tuple[str, Callable[..., Any]]]:
    for module in HOMES:
        for name, home in home_of(module).items():
            value = getattr(import_module(home), name)
            if inspect.isfunction(value):
                yield name, value
            elif isinstance(value, type):
                yield from methods_of(value)


def methods_of(cls: type) -> Iterator[tuple[str, Callable[..., Any]]]:
    for base in (each for each in cls.__mro__ if each.__module__.startswith("germane.")):
        for name, member in vars(base).items():
            found = (
                getattr(member, "fget", None) or getattr(member, "func", None) or getattr(member, "__func__", member)
            )
            if inspect.isfunction(found) and (not name.startswith("_") or name in ("__init__", "__getitem__")):
                yield f"{base.__name__}.{name}", found


def test_no_public_signature_has_a_bare_any() -> None:
    found = {slip for name, function in public_functions() for slip in loose(name, function) if name not in EXCUSED}
    assert sorted(found) == []


def test_the_law_of_signatures_catches_whatever_is_left_open() -> None:
    def open_to_all(a: Any, b: Any | None = None, *rest: Any, c: dict[str, Any], **more: Any) -> Any: ...

    assert list(loose("f", open_to_all)) == ["f(a)", "f(b)", "f(rest)", "f(more)", "f -> Any"]


def test_excuses_are_needed() -> None:
    named = dict(public_functions())
    assert [name for name in EXCUSED if not list(loose(name, named[name]))] == []


def test_few_names_are_at_the_top() -> None:
    assert len(home_of("germane")) <= AT_MOST


def private_results(kinds: set[type], homes: Mapping[str, Mapping[str, str]]) -> list[str]:
    """Types of results that no module offers."""
    offered = {
        f"{home}.{name}" for names in homes.values() for home, listed in names.items() for name in listed.split()
    }
    return sorted(
        f"{kind.__module__}.{kind.__name__}" for kind in kinds if f"{kind.__module__}.{kind.__name__}" not in offered
    )


def test_every_type_of_result_is_public() -> None:
    assert private_results(set(all_result_types()), HOMES) == []


def test_the_law_of_results_catches_one_that_is_kept_back() -> None:
    kept_back = {
        module: {home: names.replace("Scores", "") for home, names in homes.items()} for module, homes in HOMES.items()
    }
    assert private_results(set(all_result_types()), kept_back) == ["germane.tables.results.scores.Scores"]
