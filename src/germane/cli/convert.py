"""``germane convert``: from any format to any other, without losing anything in silence."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from germane.formats.column_names import Kind


@click.command("convert")
@click.argument("source", type=click.Path(allow_dash=True))
@click.argument("target", type=click.Path(allow_dash=True))
@click.option("--from", "from_format", metavar="FORMAT", help="The format of SOURCE; guessed by default.")
@click.option("--to", "to_format", metavar="FORMAT", help="The format of TARGET; by default what its name ends with.")
@click.option("--kind", type=click.Choice(["run", "qrels"]), help="What SOURCE is; guessed by default.")
@click.option("--tag", metavar="NAME", help="The tag of the run, in place of those it has.")
@click.option("--lossy", is_flag=True, help="Leave out what TARGET cannot hold, and say what that was.")
@click.option("--overwrite", is_flag=True, help="Replace TARGET if there is such a file already.")
def command(
    source: str,
    target: str,
    from_format: str | None,
    to_format: str | None,
    kind: Kind | None,
    tag: str | None,
    lossy: bool,
    overwrite: bool,
) -> None:
    """Write SOURCE, a run or judgments, to TARGET in another format.

    Formats: trec, msmarco (runs), beir (judgments), csv, tsv, json, jsonl, parquet, arrow. Either file may be
    compressed (.gz, .zst, .bz2, .xz) or - for standard input and output. What the other format has no place for is an
    error, unless --lossy.
    """
    from germane.formats.converting import convert

    left_out = convert(source, target, from_format, to_format, kind=kind, tag=tag, lossy=lossy, overwrite=overwrite)
    for thing in left_out:
        click.echo(f"left out: {thing}", err=True)
