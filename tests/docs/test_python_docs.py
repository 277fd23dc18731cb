"""No public name and no module without a docstring, and no public name that the reference lacks."""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from docs.generate import forgotten_pages
from docs.reference_pages.python_names import page_of, public_objects
from docs.reference_pages.stubs import stub_paths
from germane.public import NAMESPACES, home_of
from tests.conftest import ROOT
from tests.docs.pages import text_of


def undocumented_names(names: Mapping[str, object], pages: Mapping[str, str]) -> list[str]:
    """Public names without a docstring of their own, or without a section on their page."""
    silent = [name for name, value in names.items() if callable(value) and not inspect.cleandoc(value.__doc__ or "")]
    return silent + [name for name in names if not section_of(pages, name)]


def reference() -> dict[str, str]:
    """The pages of public names, by file name."""
    return {page.name: text_of(page) for page in (ROOT / "docs" / "reference" / "python").glob("*.md")}


def section_of(pages: Mapping[str, str], name: str) -> str:
    """Return the section of a name on its page."""
    page = pages.get(page_of(name), "")
    found = re.search(rf"^(#+) {re.escape(name)}\n(.*?)(?=^\1 |\Z)", page, flags=re.M | re.S)
    return found[2] if found else ""


def test_every_public_name_has_a_docstring_and_is_in_the_reference() -> None:
    assert undocumented_names(public_objects(), reference()) == []


def test_a_name_without_a_docstring_or_a_section_is_caught() -> None:
    broken = {"silent": lambda: None, "absent": int}
    assert undocumented_names(broken, {"silent.md": "# silent\n\nNothing.\n"}) == ["silent", "absent"]


def test_the_index_links_every_name() -> None:
    index = text_of(ROOT / "docs" / "reference" / "python.md")
    assert [name for name in public_objects() if f"[`{name}`](python/{page_of(name)})" not in index] == []


def test_no_page_is_left_of_a_name_that_is_gone() -> None:
    assert {page_of(name) for name in public_objects()} | {"types.md"} == reference().keys()
    assert forgotten_pages({}) != []


def unexplained_parameters(names: Mapping[str, object], pages: Mapping[str, str]) -> list[str]:
    """Parameters of public functions whose row says nothing."""
    return [
        f"{name}({parameter})"
        for name, function in names.items()
        if inspect.isfunction(function)
        for parameter in inspect.signature(function).parameters
        if not re.search(rf"^\| `{parameter}` \| [^|\s]", section_of(pages, name), flags=re.M)
    ]


def test_every_parameter_is_explained() -> None:
    assert unexplained_parameters(public_objects(), reference()) == []


def test_a_parameter_that_nobody_explains_is_caught() -> None:
    def silent(told: int, untold: int) -> None: ...

    page = "# silent\n\n| `told` | A number. | `int` |  |\n| `untold` |  | `int` |  |\n"
    assert unexplained_parameters({"silent": silent}, {"silent.md": page}) == ["silent(untold)"]


def public_functions(names: Mapping[str, object]) -> Iterator[tuple[str, str, Callable[..., object]]]:
    """Every public function, and every method of a public class that a person may call: section, name, function."""
    for name, value in names.items():
        if inspect.isfunction(value):
            yield name, name, value
        elif isinstance(value, type) and not issubclass(value, Exception):
            for base in (each for each in value.__mro__ if each.__module__.startswith("germane.")):
                if base is not value and base in names.values():  # its methods are on a page of their own
                    continue
                for method, member in vars(base).items():
                    function = getattr(member, "__func__", member)
                    if not method.startswith("_") and inspect.isfunction(function) and function.__doc__:
                        yield name, method, getattr(value, method) if base is not value else function


def missing_types(names: Mapping[str, object], pages: Mapping[str, str]) -> list[str]:
    """Parameters and returns of public functions that have no type, or that the page does not list with theirs."""
    missing = []
    for section, name, function in public_functions(names):
        text, signature = section_of(pages, section), inspect.signature(function)
        for parameter in signature.parameters.values():
            if parameter.name in ("self", "cls"):
                continue
            if parameter.annotation is parameter.empty or f"{parameter.name}: {parameter.annotation}" not in text:
                missing.append(f"{section}: {name}({parameter.name})")
        if signature.return_annotation is signature.empty or f"-> {signature.return_annotation}" not in text:
            missing.append(f"{section}: {name} -> ?")
    return missing


def test_the_reference_lists_every_signature_with_its_types() -> None:
    assert missing_types(public_objects(), reference()) == []


def test_a_signature_that_the_reference_lacks_is_caught() -> None:
    def untyped(a, b: int = 0):  # type: ignore[no-untyped-def]
        """Do nothing."""

    page = "# untyped\n\nuntyped(a, b: int = 0)\n"
    assert missing_types({"untyped": untyped}, {"untyped.md": page}) == ["untyped: untyped(a)", "untyped: untyped -> ?"]
    wrong = {"untyped.md": page.replace("b: int", "b: str")}
    assert "untyped: untyped(b)" in missing_types({"untyped": untyped}, wrong)


def test_stubs_and_the_reference_have_the_same_names() -> None:
    listed = set(public_objects())
    stubs = {
        f"{module}.{name}".removeprefix("germane.")
        for module, path in stub_paths().items()
        for name in re.findall(r'^    "(\w+)",$', (ROOT / path).read_text(encoding="utf-8"), re.MULTILINE)
        if not (module == "germane" and name in NAMESPACES)
    }
    errors = {f"errors.{name}" for name in home_of("germane.errors") if name not in home_of("germane")}
    assert listed == stubs | errors


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
