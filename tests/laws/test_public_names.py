"""The laws of public names: one table has them all, few are at the top, and no name is two things."""

from __future__ import annotations

import pkgutil
from collections.abc import Mapping
from importlib import import_module

import pytest

import germane as ge
from docs.reference_pages.stubs import stub_of, stub_paths
from germane.public import HOMES, NAMESPACES, home_of
from tests.conftest import ROOT


def clashes(homes: Mapping[str, Mapping[str, str]]) -> list[str]:
    """Public names that are also modules of the package that offers them: whichever is imported last would win."""
    found = []
    for module, names in homes.items():
        inside = {each.name for each in pkgutil.iter_modules(getattr(import_module(module), "__path__", []))}
        found += [f"{module}.{name}" for listed in names.values() for name in listed.split() if name in inside]
    return found


def test_no_public_name_is_also_a_module() -> None:
    assert clashes(HOMES) == []


def test_the_law_of_clashes_catches_a_function_named_as_a_module() -> None:
    assert clashes({"germane": {"germane.api": "evaluate stats"}}) == ["germane.stats"]


def strangers(homes: Mapping[str, Mapping[str, str]]) -> list[str]:
    """Names that are listed under a module that merely imports them, or that is not there."""
    found = []
    for names in homes.values():
        for home, listed in names.items():
            module = import_module(home)
            for name in listed.split():
                value = getattr(module, name, None)
                own = value.__module__ if hasattr(value, "__name__") else home
                if value is None or not (own == home or own.startswith(f"{home}.")):
                    found.append(f"{home}.{name}")
    return found


def test_every_name_is_listed_where_it_is_defined() -> None:
    assert strangers(HOMES) == []


def test_the_law_of_homes_catches_a_name_that_was_only_imported() -> None:
    broken = {"germane": {"germane.api.comparisons.comparison": "Scores nothing compare"}}
    assert strangers(broken) == [
        "germane.api.comparisons.comparison.Scores",
        "germane.api.comparisons.comparison.nothing",
    ]


@pytest.mark.parametrize("module", HOMES)
def test_a_module_offers_its_names_and_lists_them(module: str) -> None:
    offering = import_module(module)
    names = set(home_of(module))
    assert {name for name in names if getattr(getattr(offering, name), "__name__", name) == name} == names
    assert names <= set(dir(offering))
    assert not hasattr(offering, "no_such_name")


def test_namespaces_are_there_without_an_import_of_their_own() -> None:
    assert [getattr(ge, name).__name__ for name in NAMESPACES] == [f"germane.{name}" for name in NAMESPACES]


@pytest.mark.parametrize(("module", "path"), stub_paths().items())
def test_stubs_are_those_of_the_table(module: str, path: str) -> None:
    assert (ROOT / path).read_text(encoding="utf-8") == stub_of(module), "`make docs` writes them"


def test_every_module_that_offers_names_of_others_has_a_stub() -> None:
    defined_elsewhere = {module for module, names in HOMES.items() if set(names) != {module}}
    assert defined_elsewhere == set(stub_paths())
