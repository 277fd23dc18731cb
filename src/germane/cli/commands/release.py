"""`germane release`: turn judgments into qrels by a stated policy, with the origin of each grade."""

from __future__ import annotations

from typing import Any

import click

from germane.api.truth.release import release
from germane.cli.options.printing import format_options, print_result
from germane.cli.options.vocabulary import choice, option, shared
from germane.cli.shell.command_class import make_command
from germane.errors import GermaneError, InputError
from germane.formats.rows.validation import Checked, FileCheck
from germane.judging.consolidate import POLICIES
from germane.judging.release import check_release
from germane.judging.rubric import scale_values


@make_command(
    "release",
    "germane release ann.jsonl bob.jsonl -o release",
    "germane release pool.judging.db -o release --policy median",
    "germane release --check release",
)
@click.argument("files", nargs=-1)
@shared("--output")
@option(
    "--policy",
    "How to combine several grades of a document; adjudicated grades take precedence.",
    POLICIES.names,
    default="majority",
)
@choice(
    "--undecided",
    "Grade if the policy is undecided: the lowest or highest given, or none (skip).",
    ["lowest", "highest", "skip"],
)
@option("--min-grades", "Minimum number of grades per document; documents with fewer get none.", "COUNT", default=1)
@option("--pool", "Pool; the qrels then list all its documents, judged or not.", "FILE")
@shared("--rel", otherwise="from the rubric, if there is one")
@shared("--grades", otherwise="from the rubric, or up to the highest given")
@option("--pseudonyms", "Replace the names of assessors by A1, A2, … everywhere.")
@option("--name", "Name of the release in its manifest.", "TEXT", default="release")
@option("--check", "Check that the files of a release match its manifest.", "FOLDER")
@format_options
def command(files: tuple[str, ...], output: str | None, check: str | None, grades: str | None, **choices: Any) -> None:
    """Turn the judgments in FILES (event logs, CSV, qrels or a judging project) into one release.

    Write qrels, qrels per assessor, the event log, the origin of each grade and a manifest to --output, a new or empty
    folder.
    """
    if check is not None:
        problems = check_release(check)
        found = Checked(check, check, "a release")
        for problem in problems:
            found.add(InputError(check, None, problem), "release", len(problems))
        found.summary += [] if problems else ["all files match the manifest"]
        print_result(FileCheck((found,)))
        if problems:
            raise SystemExit(1)
        return
    if not files or output is None:
        raise GermaneError("expected FILES and --output", hint="for example: germane release events.jsonl -o FOLDER")
    print_result(release(list(files), output, grades=None if grades is None else scale_values(grades), **choices))
