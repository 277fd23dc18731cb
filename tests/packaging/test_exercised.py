"""The check of what tests exercise, .ci/exercised.py, sees an error, an option or a note that none does."""

from __future__ import annotations

import importlib.util
import json
import resource
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import click
import pytest

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


SOURCES = {
    "src/germane/errors.py": "class GermaneError(Exception): ...\nclass InputError(GermaneError, ValueError): ...\n",
    "src/germane/a.py": """\
def check(text):
    if not text:
        raise GermaneError("expected text, found none")
    if text.isspace():
        raise _wrong(text, "blanks")
    raise _wrong(
        text,
        "words",
    )

def _wrong(text, found) -> InputError:
    return InputError(text, None, f"expected a number, found {found}")
""",
    "src/germane/b.py": "def _wrong(text) -> bool: ...\nassert _wrong('no error')\nraise errors.MeasureError('x')\n",
    "src/germane/measures.py": "class MeasureError(InputError): ...\n",
}
ALL = {
    3: "error src/germane/a.py: GermaneError('expected text, found none')",
    5: "error src/germane/a.py: _wrong(text, 'blanks')",
    8: "error src/germane/a.py: _wrong(text, 'words')",
    12: "error src/germane/a.py: InputError(text, None, f'expected a number, found {found}')",
    103: "error src/germane/b.py: errors.MeasureError('x')",
}
"""By the line at which an error is made, 100 added for those of another file, its place."""


@pytest.mark.parametrize("made", [[], [3], [5, 12], [8, 12, 103], [3, 5, 8, 12, 103]], ids=str)
def test_an_error_is_exercised_at_its_place_and_where_it_is_asked_for(
    exercised: ModuleType, tmp_path: Path, made: list[int]
) -> None:
    seen = [{"error": f"src/germane/{'b' if line > 100 else 'a'}.py", "line": line % 100} for line in made]
    record = exercised.read_record(recorded(tmp_path, *seen))
    missing = list(exercised.errors_never_made(exercised.error_places(SOURCES), record))
    assert sorted(missing) == sorted(place for line, place in ALL.items() if line not in made)


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
    for _ in range(2):
        record.add({"note": "ties", "command": "eval"})
    record.add_error()  # made here, which is not germane's source
    record.file.close()
    assert (tmp_path / f"{record.process}.jsonl").read_text(encoding="utf-8").count("\n") == 1
    assert exercised.read_record(tmp_path).notes == {"ties"}
    assert not exercised.read_record(tmp_path).errors


def test_a_full_disk_loses_nothing(tmp_path: Path) -> None:
    record, limits = exercised_record.Record(tmp_path), resource.getrlimit(resource.RLIMIT_FSIZE)
    seen = [{"note": f"note-{number}", "command": "eval"} for number in range(3)]
    record.add(seen[0])
    resource.setrlimit(resource.RLIMIT_FSIZE, (Path(record.file.name).stat().st_size + 5, limits[1]))
    record.add(seen[1])
    resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    record.add(seen[2])
    record.file.close()
    assert [json.loads(line) for line in Path(record.file.name).read_text().splitlines()] == seen


def test_a_command_is_named_as_a_person_calls_it() -> None:
    from germane.cli import group

    outer = click.Context(group, info_name="whatever")
    inner = click.Context(click.Group("pool"), info_name="pool", parent=outer)
    assert exercised_record.command_path(click.Context(click.Command("make"), parent=inner)) == "pool make"
    assert exercised_record.command_path(None) == ""
