"""`germane trec_eval`: the arguments, output and exit status of trec_eval."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from germane.cli.shell.command_class import Command, make_command
from germane.cli.shell.usage_errors import UsageProblem

if TYPE_CHECKING:
    from germane.measures.foreign_names import TrecVersion

OPTION = "--trec-version"
VERSIONS: dict[str, TrecVersion] = {"9": 9, "10": 10}


class _Verbatim(Command):
    """A command that passes all arguments on unparsed, including options and ``--``."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        ctx.params["arguments"] = list(args)
        return []


@make_command(
    "trec_eval",
    "germane trec_eval -m map -m P.5,10 qrels.txt system1.run",
    "germane trec_eval -q qrels.txt system1.run",
    cls=_Verbatim,
    add_help_option=False,
)
def command(arguments: list[str]) -> None:
    """Evaluate a run exactly as trec_eval does.

    Takes trec_eval's own arguments: `germane trec_eval -q -m map -m P.5,10 QRELS RUN`. Follows version 10.0 by default,
    and version 9.0.8 with --trec-version 9.
    """
    from germane.trec_eval import main

    version, rest = take_version(arguments)
    status = main(rest, sys.stdout.buffer, sys.stderr, version=version)
    sys.stdout.flush()
    sys.exit(status)


def take_version(arguments: list[str]) -> tuple[TrecVersion, list[str]]:
    """Split the arguments into the value of --trec-version and the rest, for trec_eval.

    >>> take_version(["-q", "--trec-version", "9", "qrels", "run"])
    (9, ['-q', 'qrels', 'run'])
    """
    version: TrecVersion = 10
    rest: list[str] = []
    waiting = list(arguments)
    while waiting:
        word = waiting.pop(0)
        if word == "--":
            return version, [*rest, word, *waiting]
        name, equals, value = word.partition("=")
        if name != OPTION:
            rest.append(word)
            continue
        if not equals:
            value = waiting.pop(0) if waiting else ""
        if value not in VERSIONS:
            raise UsageProblem(f"{OPTION}: expected 9 or 10, found {value!r}", hint=f"for example: {OPTION} 9")
        version = VERSIONS[value]
    return version, rest
