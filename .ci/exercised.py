"""Fail on an error, a note or an option that no test provokes: `exercised.py RECORD_FOLDER NOT_EXERCISED`.

The tests write the record when GERMANE_EXERCISED names its folder (tests/exercised_record.py). What is known not to be
exercised stands in a checked-in list, each entry below a comment that says why; an entry that a test exercises after
all, or that does not exist, must go.
"""

from __future__ import annotations

import json
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import click

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from docs.reference_pages.error_places import ErrorPlaces, Place  # noqa: E402 - where they are must be said first
from docs.reference_pages.source_tree import SourceTree  # noqa: E402 - the same


@dataclass
class Record:
    """What the tests made germane say."""

    errors: dict[str, list[tuple[int, str]]] = field(default_factory=lambda: defaultdict(list))
    notes: set[str] = field(default_factory=set)
    options: set[tuple[str, str]] = field(default_factory=set)


def read_record(folder: Path) -> Record:
    """The record that all processes of a test run, or of several, wrote into a folder."""
    record = Record()
    for file in sorted(folder.glob("*.jsonl")):
        for line in file.read_text(encoding="utf-8").splitlines():
            seen = json.loads(line)
            if "error" in seen:
                record.errors[seen["error"]].append((seen["line"], seen["says"]))
            elif "note" in seen:
                record.notes.add(seen["note"])
            else:
                record.options.add((seen["command"], seen["option"]))
    return record


def errors_never_made(places: Iterable[Place], record: Record, root: Path) -> Iterator[str]:
    """Messages that were never said at their place; one that a cluster's worker says, never anywhere in the package."""
    for place in places:
        path = place.path.relative_to(root).as_posix()
        said = [says for line, says in record.errors[path] if place.first_line <= line <= place.last_line]
        if place.told_by_another:
            package = path.rpartition("/")[0]
            said = [says for other, made in record.errors.items() if other.startswith(package) for _, says in made]
        for message in place.messages:
            if not any(message.matches(says) for says in said):
                yield f"error {path}: {message.text}"
        if not place.messages and not said and not place.told_by_another:
            yield f"error {path}: what another error said, in {place.function}"


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
    seen = {f"{code.partition('@')[0]}@K" if "@" in code else code for code in record.notes}
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
    from germane.tables.note_codes import all_note_codes

    record = read_record(Path(folder))
    places = ErrorPlaces(SourceTree(ROOT / "src" / "germane")).places
    missing = [
        *errors_never_made(places, record, ROOT),
        *options_never_given(group, record),
        *notes_never_said(all_note_codes(), record),
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
