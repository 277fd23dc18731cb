"""No public name and no module without a docstring, and no public name that the reference lacks."""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Callable, Iterator, Mapping
from importlib import import_module
from pathlib import Path

from docs.reference_pages.stubs import stub_paths
from germane.public import HOMES, NAMESPACES, home_of
from tests.conftest import ROOT
from tests.docs.pages import text_of


def undocumented_names(names: Mapping[str, object], page: str) -> list[str]:
    """Public names without a docstring of their own, or without a section on the page."""
    silent = [name for name, value in names.items() if callable(value) and not inspect.cleandoc(value.__doc__ or "")]
    return silent + [name for name in names if f"\n### {name}\n" not in page]


def public_names() -> dict[str, object]:
    """Every public name as it is called below `germane`; what the top has is not named again."""
    top = home_of("germane")
    return {
        f"{module}.{name}".removeprefix("germane."): getattr(import_module(module), name)
        for module in HOMES
        for name in home_of(module)
        if module == "germane" or name not in top
    }


def test_every_public_name_has_a_docstring_and_is_in_the_reference() -> None:
    assert undocumented_names(public_names(), text_of(ROOT / "docs" / "reference" / "python.md")) == []


def test_a_name_without_a_docstring_or_a_section_is_caught() -> None:
    broken = {"silent": lambda: None, "absent": int}
    assert undocumented_names(broken, "\n### silent\n") == ["silent", "absent"]


def public_functions(names: Mapping[str, object]) -> Iterator[tuple[str, str, Callable[..., object]]]:
    """Every public function, and every method of a public class that a person may call: section, name, function."""
    for name, value in names.items():
        if inspect.isfunction(value):
            yield name, name, value
        elif isinstance(value, type) and not issubclass(value, Exception):
            for base in (each for each in value.__mro__ if each.__module__.startswith("germane.")):
                for method, member in vars(base).items():
                    function = getattr(member, "__func__", member)
                    if not method.startswith("_") and inspect.isfunction(function) and function.__doc__:
                        yield name, method, getattr(value, method) if base is not value else function


def section_of(page: str, name: str) -> str:
    return page.partition(f"\n### {name}\n")[2].partition("\n### ")[0]


def missing_types(names: Mapping[str, object], page: str) -> list[str]:
    """Parameters and returns of public functions that have no type, or that the page does not list with theirs."""
    missing = []
    for section, name, function in public_functions(names):
        text, signature = section_of(page, section), inspect.signature(function)
        for parameter in signature.parameters.values():
            if parameter.name in ("self", "cls"):
                continue
            if parameter.annotation is parameter.empty or f"{parameter.name}: {parameter.annotation}" not in text:
                missing.append(f"{section}: {name}({parameter.name})")
        if signature.return_annotation is signature.empty or f"-> {signature.return_annotation}" not in text:
            missing.append(f"{section}: {name} -> ?")
    return missing


def test_the_reference_lists_every_signature_with_its_types() -> None:
    assert missing_types(public_names(), text_of(ROOT / "docs" / "reference" / "python.md")) == []


def test_a_signature_that_the_reference_lacks_is_caught() -> None:
    def untyped(a, b: int = 0):  # type: ignore[no-untyped-def]
        """Do nothing."""

    page = "\n### untyped\n\nuntyped(a, b: int = 0)\n\n### other\n"
    assert missing_types({"untyped": untyped}, page) == ["untyped: untyped(a)", "untyped: untyped -> ?"]
    assert "untyped: untyped(b)" in missing_types({"untyped": untyped}, page.replace("b: int", "b: str"))


def test_stubs_and_the_reference_have_the_same_names() -> None:
    page = text_of(ROOT / "docs" / "reference" / "python.md")
    listed = set(re.findall(r"^### (\S+)$", page, re.MULTILINE))
    stubs = {
        f"{module}.{name}".removeprefix("germane.")
        for module, path in stub_paths().items()
        for name in re.findall(r'^    "(\w+)",$', (ROOT / path).read_text(encoding="utf-8"), re.MULTILINE)
        if not (module == "germane" and name in NAMESPACES)
    }
    again = {name for name in stubs if "." in name and name.rpartition(".")[2] in home_of("germane")}
    errors = {f"errors.{name}" for name in home_of("germane.errors") if name not in home_of("germane")}
    assert listed == (stubs - again) | errors


def silent_modules(source: Path) -> list[str]:
    """Modules without a docstring; an empty file needs none."""
    return [
        path.relative_to(source).as_posix()
        for path in sorted(source.rglob("*.py"))
        if (text := path.read_text(encoding="utf-8")).strip() and not ast.get_docstring(ast.parse(text))
    ]


def test_every_module_has_a_docstring() -> None:
    assert silent_modules(ROOT / "src" / "germane") == []


def test_a_module_without_a_docstring_is_caught(tmp_path: Path) -> None:
    (tmp_path / "told.py").write_text('"""What it is."""\n', encoding="utf-8")
    (tmp_path / "silent.py").write_text("x = 1\n", encoding="utf-8")
    (tmp_path / "__init__.py").write_text("", encoding="utf-8")
    assert silent_modules(tmp_path) == ["silent.py"]
