"""The reference of notes explains the codes that the source gives, and no others."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

import pytest

from docs.reference_pages.notes import codes_table, notes_page
from germane.tables.notes.explanations import ENTRY, NoteEntry, entry_code, note_entries, read_entries
from germane.tables.notes.note import Note
from tests.commands import all_commands
from tests.conftest import ROOT
from tests.documented_notes import require_documented

NOTE_MAKERS = {"Note", "counted_note", "notes_on_ids"}
ENTRIES = note_entries().values()


def codes_given(source: str) -> Iterator[str]:
    """Codes that calls name; those that a call gets from elsewhere are looked at while the tests run."""
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.Call(func=ast.Name(id=maker), args=[ast.Constant(value=str(code)), *_]) if maker in NOTE_MAKERS:
                yield code


def code_texts(source: str) -> Iterator[str]:
    """Regular expressions of all texts that could be a code: constants, and f-strings with one hole."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield re.escape(node.value)
        elif isinstance(node, ast.JoinedStr) and len(node.values) == 2:
            parts = [part.value if isinstance(part, ast.Constant) else None for part in node.values]
            yield "".join(".+" if part is None else re.escape(str(part)) for part in parts)


def sources() -> list[str]:
    return [path.read_text(encoding="utf-8") for path in sorted((ROOT / "src" / "germane").rglob("*.py"))]


def unexplained(texts: list[str], codes: set[str]) -> list[str]:
    return sorted({code for text in texts for code in codes_given(text)} - codes)


def left_over(texts: list[str], codes: set[str]) -> list[str]:
    found = re.compile("|".join(sorted({pattern for text in texts for pattern in code_texts(text)})))
    return sorted(code for code in codes if not found.fullmatch(code))


def test_every_code_of_the_source_is_explained_and_no_other() -> None:
    assert unexplained(sources(), set(note_entries())) == []
    assert left_over(sources(), set(note_entries())) == []


SPECIMEN = """
def plain():
    return Note("plain", "1", "of these")

def family(cut):
    code = "all" if cut is None else f"top@{cut}"
    return notes_on_ids(code, ["q1"], "query", "of these")
"""


def test_the_law_catches_a_code_without_an_entry_and_an_entry_without_a_code() -> None:
    assert unexplained([SPECIMEN], {"all", "top@K"}) == ["plain"]
    assert left_over([SPECIMEN], {"plain", "all", "top@K", "plane", "top"}) == ["plane", "top"]


def test_a_note_that_a_test_meets_has_a_code_that_is_explained() -> None:
    assert Note("ties@10", "1 query", "tied").message == "1 query tied"
    for code in ("tie", "Ties", "ties@", "ties@ten", "ties@1@2", "family@3", ""):
        with pytest.raises(AssertionError, match="has no entry"):
            require_documented(code)


def test_the_page_is_read_in_full() -> None:
    page = notes_page()
    headings = re.findall(r"^### (\S+)", page, flags=re.M)
    assert [entry.code for entry in read_entries(page)] == headings
    assert len(set(headings)) == len(headings)
    assert ENTRY.sub("", page).count("- What to do:") == 0
    assert entry_code("ties@10") in headings


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: str(entry.code))
def test_an_entry_reads_as_one_of_many(entry: NoteEntry) -> None:
    assert entry.meaning.endswith(".")
    assert entry.advice.endswith(".")
    assert len(set(entry.given_by)) == len(entry.given_by) > 0


def test_every_note_is_given_by_commands_that_exist() -> None:
    commands = {name for name, _ in all_commands()}
    assert {command for entry in ENTRIES for command in entry.given_by} - commands == set()


def test_the_contract_of_json_lists_what_a_command_gives() -> None:
    assert "| [`tied-thresholds`](notes.md#tied-thresholds) |" in codes_table("threshold")
    assert "missing-queries" in codes_table("compare")
    assert "missing-queries" not in codes_table("compare", less_those_of="eval")


def test_options_that_advice_names_exist() -> None:
    options = {spelling for _, command in all_commands() for option in command.params for spelling in option.opts}
    texts = "".join(f"{entry.meaning} {entry.advice}\n" for entry in ENTRIES)
    assert set(re.findall(r"(?<![\w-])--[a-z][a-z-]*", texts)) - options == set()
