"""Fail on an error, a note or an option that no test provokes: `exercised.py RECORD_FOLDER NOT_EXERCISED`.

The tests write the record when GERMANE_EXERCISED names its folder (tests/exercised_record.py). What is known not to be
exercised stands in a checked-in list, each entry below a comment that says why; an entry that a test exercises after
all, or that does not exist, must go.
"""

from __future__ import annotations

import ast
import json
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

import click

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from germane.tables.notes.explanations import entry_code, note_entries  # noqa: E402 - where it is must be said first


@dataclass
class Record:
    """What the tests made germane say."""

    errors: set[tuple[str, int]] = field(default_factory=set)
    notes: set[str] = field(default_factory=set)
    options: set[tuple[str, str]] = field(default_factory=set)


def read_record(folder: Path) -> Record:
    """Read the record that all processes of a test run, or of several, wrote into a folder."""
    record = Record()
    for file in sorted(folder.glob("*.jsonl")):
        for line in file.read_text(encoding="utf-8").splitlines():
            seen = json.loads(line)
            if "error" in seen:
                record.errors.add((seen["error"], seen["line"]))
            elif "note" in seen:
                record.notes.add(seen["note"])
            else:
                record.options.add((seen["command"], seen["option"]))
    return record


class Place(NamedTuple):
    """A call in the source that makes an error, itself or by a function that returns or raises one."""

    path: str
    lines: range
    call: str


def error_places(sources: dict[str, str]) -> Iterator[Place]:
    """Find all such calls in sources by their paths: of a class of errors, or of a function annotated with one.

    A name that some functions have which make errors, and others which do not, counts where it is defined.
    """
    nodes = {path: list(ast.walk(ast.parse(source))) for path, source in sources.items()}
    defined = [
        (path, node) for path in nodes for node in nodes[path] if isinstance(node, ast.ClassDef | ast.FunctionDef)
    ]
    makers: dict[str, set[str]] = {"GermaneError": set(), "NoReturn": set()}
    before = 0
    while len(makers) > before:  # a class may be found before the one that it inherits from
        before = len(makers)
        for path, node in defined:
            if _made_by(node) in makers:
                makers.setdefault(node.name, set()).add(path)
    ambiguous = {node.name for _, node in defined if _made_by(node) not in makers} - {"GermaneError"}
    for path, found in nodes.items():
        for call in (node for node in found if isinstance(node, ast.Call)):
            name = _last_name(call.func)
            if name in makers and (name not in ambiguous or path in makers[name]):
                yield Place(path, range(call.lineno, (call.end_lineno or call.lineno) + 1), ast.unparse(call))


def _made_by(node: ast.ClassDef | ast.FunctionDef) -> str:
    """What a class inherits from first, or a function returns."""
    return _last_name(node.returns if isinstance(node, ast.FunctionDef) else next(iter(node.bases), None))


def _last_name(node: ast.expr | None) -> str:
    return node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "")


def errors_never_made(places: Iterable[Place], record: Record) -> Iterator[str]:
    """Name the places at which no error was made."""
    for place in places:
        if not any((place.path, line) in record.errors for line in place.lines):
            yield f"error {place.path}: {place.call}"


def options_never_given(group: click.Command, record: Record, path: str = "") -> Iterator[str]:
    """Options of a command, and of those in it, that were never given; `--help` is click's."""
    for option in group.params:
        if isinstance(option, click.Option) and option.name != "help" and (path, option.name) not in record.options:
            yield f"option {' '.join(['germane', path]).strip()} {option.opts[-1]}"
    if isinstance(group, click.Group):
        context = click.Context(group)
        for name in group.list_commands(context):
            command = group.get_command(context, name)
            assert command is not None
            yield from options_never_given(command, record, f"{path} {name}".strip())


def notes_never_said(codes: Iterable[str], record: Record) -> Iterator[str]:
    """Codes of notes that were never made; any number does for a family such as ``ties@K``."""
    seen = set(map(entry_code, record.notes))
    yield from (f"note {code}" for code in codes if code not in seen)


def allowed(text: str) -> set[str]:
    """The entries of the checked-in list; every one must stand below a comment that says why."""
    found, why = set(), False
    for line in text.splitlines():
        if line.startswith("#"):
            why = True
        elif not line.strip():
            why = False
        elif not why:
            raise ValueError(f"expected a comment that says why above {line!r}")
        else:
            found.add(line.strip())
    return found


def judged(missing: Iterable[str], known: set[str]) -> tuple[list[str], list[str]]:
    """What is missing beyond the list, and what the list has that is not missing."""
    found = sorted(set(missing))
    return [what for what in found if what not in known], sorted(known - set(found))


def main(folder: str, list_path: str) -> int:
    """Print what no test exercises; the exit status is 1 if that differs from the list."""
    from germane.cli import group

    record = read_record(Path(folder))
    paths = sorted((ROOT / "src" / "germane").rglob("*.py"))
    sources = {path.relative_to(ROOT).as_posix(): path.read_text(encoding="utf-8") for path in paths}
    missing = [
        *errors_never_made(error_places(sources), record),
        *options_never_given(group, record),
        *notes_never_said(note_entries(), record),
    ]
    beyond, stale = judged(missing, allowed(Path(list_path).read_text(encoding="utf-8")))
    for what in beyond:
        print(f"NOT EXERCISED: {what}")
    for what in stale:
        print(f"EXERCISED AFTER ALL, OR GONE: {what}")
    print(f"not exercised: {len(missing)}, of which not in {list_path}: {len(beyond)}")
    return 1 if beyond or stale else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
