"""`germane FILE…`: files without a command: what they are, and which commands take them."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from germane.api.files.file_types import CALLED, Recognised, UnrecognisedError, recognise, recognise_inside
from germane.api.files.suggestions import suggested
from germane.cli.shell.command_class import make_command
from germane.errors import GermaneError
from germane.formats.files.addresses import Address, place
from germane.formats.files.patterns import is_pattern, matches
from germane.output.rendering.messages import print_message

MOST_NAMES = 5


@make_command("recognise", "germane qrels.txt system1.run", "germane .", hidden=True)
@click.argument("paths", nargs=-1, required=True, metavar="FILE...")
def command(paths: tuple[str, ...]) -> None:
    """Identify each FILE, with the reason, and suggest commands.

    Nothing is computed, so the exit status is 2: a script must notice that the command is missing.
    """
    given = [each for path in paths for each in (matches(path) if is_pattern(path) else [path])]
    found = [one for each in given for one in _look_at(each)]
    width = max(len(one.path) for one in found)
    for one in found:
        click.echo(f"{one.path:<{width}}  {CALLED[one.thing]}: {one.why}")
    commands = suggested(found)
    if commands:
        click.echo("\nWhat you can do with them:" if len(found) > 1 else "\nWhat you can do with it:")
        for each in commands:
            click.echo(f"  {each.command}\n      {each.answers}")
    print_message("no command given, so nothing was computed", label="note: ")
    sys.exit(2)


def _look_at(path: str | Path | Address) -> list[Recognised]:
    try:
        return [recognise(path)]
    except UnrecognisedError:
        if not place(path).is_dir():
            raise
    known, unknown = recognise_inside(path)
    if not known:
        raise GermaneError(
            f"{path}: no file in this folder has a format that germane reads",
            hint="run `germane demo` for files to try",
        )
    if unknown:
        more = ", …" if len(unknown) > MOST_NAMES else ""
        print_message(f"{path}: unrecognised files: {', '.join(unknown[:MOST_NAMES])}{more}", label="note: ")
    return known
