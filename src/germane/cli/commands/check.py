"""``germane check``: list the problems of a file or, if it has none, summarise it."""

from __future__ import annotations

import sys
from itertools import chain
from typing import TYPE_CHECKING

import click

from germane.cli.options.printing import format_options, print_result
from germane.cli.options.vocabulary import folders_option, shared
from germane.cli.shell.command_class import make_command
from germane.tables.notes.counts import notes_on_ids

if TYPE_CHECKING:
    from germane.formats.rows.column_names import Kind


@make_command("check", "germane check qrels.txt system1.run", "germane check system1.run --kind run")
@click.argument("files", nargs=-1, required=True, type=click.Path(allow_dash=True))
@shared("--kind", type=click.Choice(["run", "qrels"]), otherwise="inferred from content")
@shared("--from", "format_name", otherwise="inferred from content")
@folders_option
@shared("--show", "most", default=5)
@format_options
def command(files: tuple[str, ...], kind: Kind | None, format_name: str | None, most: int) -> None:
    """List every problem in FILES, runs or qrels, with line numbers.

    A folder stands for the run files in it. To identify any other file, use `germane FILE`.

    A valid file gets a summary: its format and how it was detected, queries, documents, and grades or scores. The exit
    status is 2 if any file has a problem. A row of a Parquet or Arrow file counts as a line.
    """
    from germane.formats.files.part_folders import files_of, hidden_files
    from germane.formats.rows.validation import FileCheck, check

    checked = [check(path, kind, format_name, max_examples=most) for file in files for path in files_of(file)]
    hidden = [notes_on_ids("hidden-files", hidden_files(each), "hidden file", f"in {each}; skipped") for each in files]
    found = FileCheck(tuple(checked), tuple(chain(*hidden)))
    print_result(found)
    if found.num_wrong:
        sys.exit(2)
