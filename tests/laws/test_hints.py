"""A hint names something that the reader can type: an option of the command at hand, or a parameter in Python.

What commands print while the tests run is looked at by `tests/hints_that_run.py`; here are the hints in the source, the
advice on notes, and specimens of hints that cannot be followed.
"""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Iterator
from pathlib import Path
from typing import TypeGuard

import click
import pytest
from click.testing import CliRunner

import germane as ge
from germane.cli.shell.command_class import Command, make_command
from germane.cli.shell.spoken_options import PARAMETER as TRANSLATED
from germane.errors import GermaneError
from germane.tables.notes.explanations import NoteEntry, note_entries
from tests.commands import all_commands
from tests.hints_that_run import ELSEWHERE, NAMED_COMMAND, PARAMETER, faults
from tests.laws.public_calls import doors

SOURCE = Path(ge.__path__[0])
SPEAKS_TO_COMMANDS = ("cli", "web", "exercises")
"""What is reached from the command line alone may name its options."""


def hints(folder: Path) -> Iterator[tuple[str, str]]:
    """Every text that the library passes as a hint, with its place; what is filled in is left out."""
    for path in sorted(folder.rglob("*.py")):
        name = path.relative_to(folder)
        if name.parts[0] in SPEAKS_TO_COMMANDS:
            continue
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if _is_hint(node):
                texts = (
                    each.value
                    for each in ast.walk(node.value)
                    if isinstance(each, ast.Constant) and isinstance(each.value, str)
                )
                yield f"{name}:{node.value.lineno}", "…".join(texts)


def _is_hint(node: ast.AST) -> TypeGuard[ast.keyword | ast.Assign]:
    """What is passed as a hint, and what a variable or constant of that name holds."""
    if isinstance(node, ast.Assign):
        names = [target.id for target in node.targets if isinstance(target, ast.Name)]
        return any(name.casefold().endswith("hint") for name in names)
    return isinstance(node, ast.keyword) and node.arg == "hint"


def library_faults(hint: str, known: set[str]) -> Iterator[str]:
    """What a caller in Python could not follow, or what the command line could not translate."""
    own = ELSEWHERE.sub(" ", NAMED_COMMAND.sub(" ", hint))
    yield from (f"{option}: write the parameter, `name=value`" for option in re.findall(r"(?<![\w-])--[a-z-]+", own))
    bare = re.sub(r"`[^`]*`", " ", own)
    yield from (f"{name}=: put it in backticks" for name in PARAMETER.findall(bare))
    yield from (f"{name}: no such parameter" for name, _ in TRANSLATED.findall(own) if name not in known)


def known_parameters() -> set[str]:
    found = {name for _, door in doors() for name in inspect.signature(door).parameters}
    return found | {str(param.name) for _, command in all_commands() for param in command.params} | {"…"}


def test_hints_of_the_library_name_parameters_that_exist() -> None:
    known = known_parameters()
    found = {place: wrong for place, hint in hints(SOURCE) if (wrong := list(library_faults(hint, known)))}
    assert sorted(found.items()) == []


@pytest.mark.parametrize("hint", ["use --score COLUMN", "with topics=qrels it counts", "use `topisc='qrels'`"])
def test_the_law_catches_a_hint_for_the_wrong_reader(hint: str) -> None:
    assert list(library_faults(hint, known_parameters())) != []


def advice_faults(entry: NoteEntry) -> list[str]:
    """Options of an advice that none of the commands has which give the note."""
    commands = dict(all_commands())
    found = [list(faults(entry.advice, commands[name])) for name in entry.given_by]
    return [] if any(not wrong for wrong in found) else found[0]


@pytest.mark.parametrize("entry", note_entries().values(), ids=lambda entry: str(entry.code))
def test_advice_on_a_note_can_be_followed(entry: NoteEntry) -> None:
    assert advice_faults(entry) == []


def test_the_law_catches_advice_that_a_command_refuses() -> None:
    assert advice_faults(NoteEntry("rising-scores", "", "Evaluate with `--score-type distance`.", ("eval",))) != []


@make_command("specimen")
@click.option("--topics", type=click.Choice(["qrels", "both"]))
@click.argument("hint")
def specimen(topics: str | None, hint: str) -> None:
    raise GermaneError("wrong", hint=hint)


@pytest.mark.parametrize(
    "hint", ["use --subjects both", "use --topics all", "use `subjects=1`", "with topics=both", "`germane eval --nope`"]
)
def test_what_a_command_prints_is_looked_at(hint: str) -> None:
    assert isinstance(CliRunner().invoke(specimen, [hint]).exception, AssertionError)


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        ("use `topics='both'`", "use --topics both"),
        ("use `topics=…`", "use --topics qrels|both"),
        ("remove `topics=`", "remove --topics"),
        ("AP(empty=skip) leaves them out", "AP(empty=skip) leaves them out"),
    ],
)
def test_a_parameter_becomes_the_option_of_the_command(written: str, shown: str) -> None:
    found = CliRunner().invoke(specimen, [written]).exception
    assert isinstance(found, GermaneError)
    assert found.hint == shown


def test_all_commands_are_of_the_class_that_translates() -> None:
    assert all(isinstance(command, Command) for _, command in all_commands())
