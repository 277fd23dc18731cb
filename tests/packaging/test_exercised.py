"""The check of what tests exercise, .ci/exercised.py, sees an error, an option or a note that none does."""

from __future__ import annotations

import importlib.util
import json
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import click
import pytest

from docs.reference_pages.error_places import Message, Place
from tests import exercised_record
from tests.conftest import ROOT


@pytest.fixture(scope="module")
def exercised() -> ModuleType:
    path = ROOT / ".ci" / "exercised.py"
    if not path.exists():
        pytest.skip("a source distribution has no .ci")
    spec = importlib.util.spec_from_file_location("exercised", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["exercised"] = module  # its dataclass looks there for the names of types
    spec.loader.exec_module(module)
    return module


def recorded(folder: Path, *seen: dict[str, Any]) -> Path:
    """A record as a test process writes it."""
    (folder / "1.jsonl").write_text("".join(json.dumps(each) + "\n" for each in seen), encoding="utf-8")
    return folder


def place(lines: tuple[int, int], *messages: str, told: bool = False, path: str = "src/germane/a.py") -> Place:
    found = tuple(Message(text, "", "GermaneError") for text in messages)
    return Place("germane.a", "function", ROOT / path, *lines, "GermaneError", found, told_by_another=told)


SAID = {"error": "src/germane/a.py", "line": 12, "says": "file:3: expected rows, found none"}


@pytest.mark.parametrize(
    ("where", "missing"),
    [
        (place((11, 13), "expected rows, found …"), []),
        (place((12, 12), "expected rows, found …"), []),
        (place((13, 15), "expected rows, found …"), ["error src/germane/a.py: expected rows, found …"]),
        (place((11, 13), "expected …", "other words"), ["error src/germane/a.py: other words"]),
        (place((11, 13)), []),
        (place((20, 20)), ["error src/germane/a.py: what another error said, in function"]),
        (place((1, 1), "expected rows, found none", told=True), []),
        (place((12, 12), "found", path="src/germane/b.py"), ["error src/germane/b.py: found"]),
    ],
)
def test_an_error_is_exercised_by_its_words_at_its_place(
    exercised: ModuleType, tmp_path: Path, where: Place, missing: list[str]
) -> None:
    record = exercised.read_record(recorded(tmp_path, SAID))
    assert list(exercised.errors_never_made([where], record, ROOT)) == missing


def test_an_option_is_exercised_with_its_own_command(exercised: ModuleType, tmp_path: Path) -> None:
    option = click.Option(["-k", "--depth"])
    inner = click.Group("pool", commands={"make": click.Command("make", params=[option])})
    group = click.Group("germane", commands={"eval": click.Command("eval", params=[option]), "pool": inner})
    record = exercised.read_record(recorded(tmp_path, {"option": "depth", "command": "eval"}))
    assert list(exercised.options_never_given(group, record)) == ["option germane pool make --depth"]
    record = exercised.read_record(recorded(tmp_path, {"option": "depth", "command": "pool make"}))
    assert list(exercised.options_never_given(group, record)) == ["option germane eval --depth"]


def test_a_note_is_exercised_by_one_of_its_family(exercised: ModuleType, tmp_path: Path) -> None:
    record = exercised.read_record(recorded(tmp_path, {"note": "ties@10", "command": ""}))
    assert list(exercised.notes_never_said(["ties", "ties@K"], record)) == ["note ties"]


def test_the_list_of_exceptions_needs_reasons(exercised: ModuleType) -> None:
    assert exercised.allowed("# only on Windows\nnote a\noption germane eval --b\n\n") == {
        "note a",
        "option germane eval --b",
    }
    with pytest.raises(ValueError, match="says why above 'note b'"):
        exercised.allowed("# only on Windows\nnote a\n\nnote b\n")


def test_what_is_missing_and_what_is_not_any_more_are_both_told(exercised: ModuleType) -> None:
    assert exercised.judged(["note b", "note a"], {"note a", "note c"}) == (["note b"], ["note c"])


def test_the_checked_in_list_has_reasons(exercised: ModuleType) -> None:
    exercised.allowed((ROOT / ".ci" / "not-exercised.txt").read_text(encoding="utf-8"))


def test_a_record_is_written_once_and_only_of_germane_itself(tmp_path: Path, exercised: ModuleType) -> None:
    record = exercised_record.Record(tmp_path)
    assert record.add({"note": "ties", "command": "eval"})
    assert not record.add({"note": "ties", "command": "eval"})
    record.add_error("an error of a test")  # made here, which is not germane's source
    record.file.close()
    assert exercised.read_record(tmp_path).notes == {"ties"}
    assert not exercised.read_record(tmp_path).errors


def test_a_command_is_named_as_a_person_calls_it() -> None:
    from germane.cli import group

    outer = click.Context(group, info_name="whatever")
    inner = click.Context(click.Group("pool"), info_name="pool", parent=outer)
    assert exercised_record.command_path(click.Context(click.Command("make"), parent=inner)) == "pool make"
    assert exercised_record.command_path(None) == ""
