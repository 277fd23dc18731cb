"""No public name and no module without a docstring, and no public name that the reference lacks."""

from __future__ import annotations

import ast
import inspect
from pathlib import Path
from types import ModuleType

import germane
from tests.conftest import ROOT
from tests.docs.pages import text_of


def undocumented_names(module: ModuleType, page: str) -> list[str]:
    """Public names without a docstring of their own, or without a section on the page."""
    names = {name: getattr(module, name) for name in module.__all__}
    silent = [name for name, value in names.items() if callable(value) and not inspect.cleandoc(value.__doc__ or "")]
    return silent + [name for name in names if f"\n### {name}\n" not in page]


def test_every_public_name_has_a_docstring_and_is_in_the_reference() -> None:
    assert undocumented_names(germane, text_of(ROOT / "docs" / "reference" / "python.md")) == []


def test_a_name_without_a_docstring_or_a_section_is_caught() -> None:
    broken = ModuleType("broken")
    broken.__all__ = ["silent", "absent"]  # type: ignore[attr-defined]
    broken.silent = lambda: None  # type: ignore[attr-defined]
    broken.absent = int  # type: ignore[attr-defined]
    assert undocumented_names(broken, "\n### silent\n") == ["silent", "absent"]


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
