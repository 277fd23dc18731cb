"""`germane release`: one grade per document by a stated policy, in a folder that says how it came about."""

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
    "How several grades of a document become one. Adjudicated grades always win.",
    POLICIES.names,
    default="majority",
)
@choice(
    "--undecided",
    "What a document gets on which the policy cannot decide: a grade that was given, or none.",
    ["lowest", "highest", "skip"],
)
@option("--min-grades", "How many grades a document must have.", "COUNT", default=1)
@option("--pool", "What was pooled: the qrels list all of it, judged or not.", "FILE")
@shared("--rel", otherwise="the rubric's, if there is one")
@shared("--grades", otherwise="the rubric's, or up to the highest that was given")
@option("--pseudonyms", "Write A1, A2, ... for the assessors, everywhere.")
@option("--name", "What the release is called, in its manifest.", "TEXT", default="release")
@option("--check", "Say whether the files of a release are as its manifest has them.", "FOLDER")
@format_options
def command(files: tuple[str, ...], output: str | None, check: str | None, grades: str | None, **choices: Any) -> None:
    """Consolidate the judgments in FILES: events, CSV, qrels, or a judging project.

    The folder --output, which must not exist or be empty, has qrels, qrels per assessor, the events, how each grade
    came about, and a manifest.
    """
    if check is not None:
        problems = check_release(check)
        found = Checked(check, check, "a release")
        for problem in problems:
            found.add(InputError(check, None, problem), "release", len(problems))
        found.summary += [] if problems else ["all files are as the manifest has them"]
        print_result(FileCheck((found,)))
        if problems:
            raise SystemExit(1)
        return
    if not files or output is None:
        raise GermaneError(
            "expected files of judgments and a folder to make", hint="germane release events.jsonl -o FOLDER"
        )
    print_result(release(list(files), output, grades=None if grades is None else scale_values(grades), **choices))
