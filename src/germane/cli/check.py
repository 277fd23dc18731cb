"""``germane check``: everything that is wrong with a file or, where nothing is, what is in it."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from germane.cli.commanding import make_command
from germane.cli.vocabulary import folders_option, shared
from germane.tables.counted import counted

if TYPE_CHECKING:
    from germane.formats.checking import Checked
    from germane.formats.column_names import Kind


@make_command("check", examples=["germane check qrels.txt system1.run", "germane check system1.run --kind run"])
@click.argument("files", nargs=-1, required=True, type=click.Path(allow_dash=True))
@shared("--kind", type=click.Choice(["run", "qrels"]), otherwise="told from their content")
@shared("--from", "format_name", otherwise="told from its content")
@folders_option
@shared("--show", "most", default=5)
def command(files: tuple[str, ...], kind: Kind | None, format_name: str | None, most: int) -> None:
    """List everything that is wrong with FILES, with line numbers: runs and judgments.

    A folder stands for the run files in it. `germane FILE` says what any other file is, and which commands take it.

    A file with nothing wrong gets a summary: its format and how that was told, queries, documents, grades or scores.
    The exit status is 2 if something is wrong with any of them. A row of a Parquet or Arrow file counts as a line.
    """
    from germane.formats.checking import check
    from germane.formats.run_folders import files_of, hidden_files

    num_wrong = 0
    for path in (inside for file in files for inside in files_of(file)):
        checked = check(path, kind, format_name, max_examples=most)
        num_wrong += bool(checked.num_problems)
        _print(checked, guessed_kind=kind is None)
    for folder in files:
        if hidden := hidden_files(folder):
            what = "hidden file" if len(hidden) == 1 else "hidden files"
            click.echo(f"note: {len(hidden)} {what} in {folder}, left out ({', '.join(hidden[:most])})", err=True)
    if num_wrong:
        sys.exit(2)


def _print(checked: Checked, *, guessed_kind: bool) -> None:
    found = checked.detected
    if found is not None:
        what = f"{'a run' if found.kind == 'run' else 'judgments'} in {found.format} format ({found.why})"
        what += "; a guess: --kind overrules it" if guessed_kind and found.format not in ("trec", "msmarco") else ""
        click.echo(f"{checked.source}: {what}")
    for problem in checked.examples:
        click.echo(f"  {problem}".replace("\n", "\n  "))
    for kind, count in checked.counts.items():
        shown = sum(_kind(problem) == kind for problem in checked.examples)
        if count > shown:
            click.echo(f"  … and {count - shown} more of the kind '{kind}'")
    if checked.num_problems:
        click.echo(f"  {counted(checked.num_problems, 'problem')}")
    for line in checked.summary:
        click.echo(f"  {line}")
    for note in checked.notes:
        click.echo(f"  note: {note}")


def _kind(problem: Exception) -> str:
    return getattr(problem, "kind", "file")
