"""``germane convert``: convert between file formats without silent loss."""

from __future__ import annotations

from typing import Any

import click

from germane.cli.options.vocabulary import folders_option, option, shared
from germane.cli.shell.command_class import make_command
from germane.formats.rankings.detect import FORMATS
from germane.output.rendering.messages import print_message
from germane.output.rendering.progress import progress


@make_command("convert", "germane convert system1.run system1.jsonl", "germane convert qrels.txt qrels.csv --overwrite")
@click.argument("source", type=click.Path(allow_dash=True))
@click.argument("target", type=click.Path(allow_dash=True))
@shared("--from", "from_format", otherwise="inferred from content")
@shared("--to", "to_format", metavar=f"[{'|'.join(FORMATS)}]", otherwise="inferred from the file name")
@shared("--kind", type=click.Choice(["run", "qrels"]), otherwise="inferred from content")
@folders_option
@option("--tag", "Tag of the run, replacing its own.", "NAME")
@shared("--lossy")
@shared("--overwrite")
def command(**choices: Any) -> None:
    """Convert SOURCE, a run or qrels, to another format and write it to TARGET.

    Either file may be compressed (.gz, .zst, .bz2, .xz), or - for standard input and output. Data that the target
    format cannot hold are an error unless you use --lossy.
    """
    from germane.formats.rankings.conversion import convert

    with progress(f"convert {choices['source']}") as advance:
        dropped = convert(**choices, advance=advance)
    for thing in dropped:
        print_message(f"dropped: {thing}")
