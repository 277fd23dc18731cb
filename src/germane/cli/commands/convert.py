"""``germane convert``: from any format to any other, without losing anything in silence."""

from __future__ import annotations

from typing import Any

import click

from germane.cli.options.vocabulary import folders_option, option, shared
from germane.cli.shell.command_class import make_command
from germane.formats.rankings.detect import FORMATS


@make_command("convert", "germane convert system1.run system1.jsonl", "germane convert qrels.txt qrels.csv --overwrite")
@click.argument("source", type=click.Path(allow_dash=True))
@click.argument("target", type=click.Path(allow_dash=True))
@shared("--from", "from_format", otherwise="told from its content")
@shared("--to", "to_format", metavar=f"[{'|'.join(FORMATS)}]", otherwise="told from the file's name")
@shared("--kind", type=click.Choice(["run", "qrels"]), otherwise="told from their content")
@folders_option
@option("--tag", "The tag of the run, in place of those it has.", "NAME")
@shared("--lossy")
@shared("--overwrite")
def command(**choices: Any) -> None:
    """Write SOURCE, a run or judgments, to TARGET in another format.

    Either file may be compressed (.gz, .zst, .bz2, .xz) or - for standard input and output. What the other format has
    no place for is an error, unless --lossy.
    """
    from germane.formats.rankings.ranking_files import convert

    for thing in convert(**choices):
        click.echo(f"left out: {thing}", err=True)
