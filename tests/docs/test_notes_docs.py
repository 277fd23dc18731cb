"""Every code of a note is made somewhere, stands in the reference, and in the contract of JSON where it is said."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from docs.reference_pages.errors import germane_source
from docs.reference_pages.note_places import codes_made, is_made
from docs.reference_pages.notes import codes_table, notes_page
from docs.reference_pages.source_tree import SourceTree
from germane.tables.note_codes import all_note_codes
from tests.commands import all_commands


def never_made(codes: list[str], source: SourceTree) -> list[str]:
    """Codes that no note in the source has."""
    made = codes_made(source)
    return [code for code in codes if not is_made(code, made)]


def test_every_code_of_the_registry_is_made_somewhere() -> None:
    assert never_made(list(all_note_codes()), germane_source()) == []


SPECIMEN = """
FATES = ("not judged", "too few")

def plain():
    return Note("plain", "1", "of these")

def family(cut):
    code = "all" if cut is None else f"top@{cut}"
    return Note(code, "1", "of these")

def helped():
    return _note("by-a-helper", 3)

def _note(code, count):
    return Note(code, str(count), "of these")

def looped():
    found = (("first", 1), ("second", 2))
    return [Note(code, str(count), "of these") for code, count in found]

def renamed():
    for how in FATES:
        yield Note(how.replace(" ", "-"), "1", "of these")

class Ranker:
    subject = "by-a-class"

def of_a_class(ranker):
    return _note(ranker.subject, 1)
"""


def test_codes_are_found_however_they_are_given(tmp_path: Path) -> None:
    (tmp_path / "specimen.py").write_text(SPECIMEN, encoding="utf-8")
    codes = ["plain", "all", "top@K", "by-a-helper", "first", "second", "not-judged", "too-few", "by-a-class"]
    assert never_made(codes, SourceTree(tmp_path)) == []
    assert never_made(["plane", "top", "helper", "third"], SourceTree(tmp_path)) == ["plane", "top", "helper", "third"]


def test_every_note_is_said_by_commands_that_exist() -> None:
    commands = {name for name, _ in all_commands()}
    assert {command for entry in all_note_codes().values() for command in entry.said_by} - commands == set()
    assert [code for code, entry in all_note_codes().items() if not entry.said_by] == []


@pytest.mark.parametrize("code", all_note_codes())
def test_every_code_is_on_the_page_with_what_to_do(code: str) -> None:
    sections = dict(re.findall(r"^### (\S+)\n(.*?)(?=^##|\Z)", notes_page(), flags=re.M | re.S))
    assert "\n- What to do: " in sections[code]


def test_the_contract_of_json_lists_what_a_command_says() -> None:
    assert "| [`tied`](notes.md#tied) |" in codes_table("threshold")
    assert "missing-topics" in codes_table("compare")
    assert "missing-topics" not in codes_table("compare", less_those_of="eval")


def test_options_that_advice_names_exist() -> None:
    options = {spelling for _, command in all_commands() for option in command.params for spelling in option.opts}
    said = "".join(f"{entry.meaning} {entry.advice}\n" for entry in all_note_codes().values())
    assert set(re.findall(r"(?<![\w-])--[a-z][a-z-]*", said)) - options == set()
