"""`germane FILE…`: no command, but files: what they are, and which commands take them."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from germane.api.files.file_types import CALLED, Recognised, UnrecognisedError, recognise, recognise_inside
from germane.api.files.suggestions import suggested
from germane.cli.shell.command_class import make_command
from germane.errors import GermaneError

MOST_NAMES = 5


@make_command("recognise", "germane qrels.txt system1.run", "germane .", hidden=True)
@click.argument("paths", nargs=-1, required=True, metavar="FILE...")
def command(paths: tuple[str, ...]) -> None:
    """Say what each FILE is and why it is thought so, and which commands take them.

    Nothing is computed: the exit status is 2, since no command was given and a script must notice.
    """
    found = [one for path in paths for one in _look_at(path)]
    width = max(len(one.path) for one in found)
    for one in found:
        click.echo(f"{one.path:<{width}}  {CALLED[one.thing]}: {one.why}")
    commands = suggested(found)
    if commands:
        click.echo("\nWhat to do with them:" if len(found) > 1 else "\nWhat to do with it:")
        for each in commands:
            click.echo(f"  {each.command}\n      {each.answers}")
    click.echo("note: no command was given, and nothing was computed", err=True)
    sys.exit(2)


def _look_at(path: str) -> list[Recognised]:
    try:
        return [recognise(path)]
    except UnrecognisedError:
        if not Path(path).is_dir():
            raise
    known, unknown = recognise_inside(path)
    if not known:
        raise GermaneError(
            f"{path}: nothing in this folder looks like what germane reads",
            hint="germane --help says what it does; germane demo makes files to try it on",
        )
    if unknown:
        more = ", …" if len(unknown) > MOST_NAMES else ""
        click.echo(f"note: {path}: not recognised: {', '.join(unknown[:MOST_NAMES])}{more}", err=True)
    return known
