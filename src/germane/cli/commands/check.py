"""``germane check``: list the problems of a file or, if it has none, summarise it."""

from __future__ import annotations

import sys
from itertools import chain
from typing import TYPE_CHECKING

import click

from germane.cli.options.printing import format_options, print_result
from germane.cli.options.spark_options import require_spark, runs_on, spark_options
from germane.cli.options.vocabulary import folders_option, shared
from germane.cli.shell.command_class import make_command
from germane.output.rendering.progress import progress
from germane.tables.notes.counts import notes_on_ids

if TYPE_CHECKING:
    from germane.formats.rows.column_names import Kind
    from germane.formats.rows.validation import FileCheck


@make_command("check", "germane check qrels.txt system1.run", "germane check system1.run --kind run")
@click.argument("files", nargs=-1, required=True, type=click.Path(allow_dash=True))
@shared("--kind", type=click.Choice(["run", "qrels"]), otherwise="inferred from content")
@shared("--from", "format_name", otherwise="inferred from content")
@folders_option
@shared("--show", "most", default=5)
@format_options
@spark_options
def command(
    files: tuple[str, ...], kind: Kind | None, format_name: str | None, most: int, engine: str, master: str | None
) -> None:
    """List every problem in FILES, runs or qrels, with line numbers.

    A folder stands for the run files in it. To identify any other file, use `germane FILE`.

    A valid file gets a summary: its format and how it was detected, queries, documents, and grades or scores. The exit
    status is 2 if any file has a problem. A row of a Parquet or Arrow file counts as a line.

    With --engine spark, FILES are paths, patterns or addresses of Parquet or ORC files that Spark reads; rows have no
    line numbers there.
    """
    from germane.formats.files.part_folders import files_of, hidden_files
    from germane.formats.rows.validation import FileCheck, check

    if require_spark(engine, master):
        from germane.distributed.checked_frames import check_on_spark, require_typed_rows

        for path in files:
            require_typed_rows(path, format_name)
        with runs_on(engine, master, files, format_name) as frames:
            there = [check_on_spark(frame, kind, format_name, max_examples=most) for frame in frames.values()]
        _print(FileCheck(tuple(there)))
        return
    checked = []
    for path in (path for file in files for path in files_of(file)):
        with progress(f"check {path}") as advance:
            checked.append(check(path, kind, format_name, max_examples=most, advance=advance))
    hidden = [notes_on_ids("hidden-files", hidden_files(each), "hidden file", f"in {each}; skipped") for each in files]
    _print(FileCheck(tuple(checked), tuple(chain(*hidden))))


def _print(found: FileCheck) -> None:
    print_result(found)
    if found.num_wrong:
        sys.exit(2)
