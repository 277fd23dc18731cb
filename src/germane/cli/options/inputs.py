"""Options that several commands share: how qrels and runs are read and ordered."""

from __future__ import annotations

import runpy
from collections.abc import Sequence
from pathlib import Path
from typing import get_args

import click

from germane.cli.options.vocabulary import Decorator, option, qrels_format_option, run_format_option, shared, together
from germane.errors import GermaneError
from germane.tables.rankings.judged_run import Ties

TIES = get_args(Ties)


def _import_file(_: click.Context, __: click.Parameter, paths: tuple[str, ...]) -> None:
    for path in paths:
        if not Path(path).exists():
            raise GermaneError(f"{path}: no such file")
        runpy.run_path(path)


_SHARED: dict[str, Decorator] = {
    "score-type": option(
        "--score-type",
        "How scores are held; old tables were made with 32 bits, and ties depend on it.  "
        "[default: float64; float32 with --trec-version 9]",
        ["float64", "float32"],
    ),
    "trec-version": option(
        "--trec-version",
        "The version of trec_eval whose numbers its names of measures stand for, such as 11pt_avg.",
        ["9", "10"],
        default="10",
        callback=lambda _, __, version: int(version),
    ),
    "scale": shared("--scale", otherwise="the highest that was given"),
    "collection-size": option("--collection-size", "How many documents there are, for Fallout, AUC and EER.", "COUNT"),
    "qrels-format": qrels_format_option,
    "run-format": run_format_option,
    "import": option(
        "--import",
        "Run a Python file first, such as one that registers measures of your own; may be repeated.",
        "FILE.py",
        multiple=True,
        expose_value=False,
        callback=_import_file,
    ),
}


def require_quotes(runs: tuple[str, ...]) -> None:
    """`-m AP RR run` takes RR for a file; say what was meant rather than that there is no such file."""
    from germane.measures.definition import MEASURES

    meant = [run for run in runs if run != "-" and not Path(run).exists() and MEASURES.accepts(run)]
    if meant:
        given = click.get_current_context().params.get("measures") or ()
        import shlex

        wanted = shlex.quote(" ".join((*given, *meant)))
        hint = f"several measures go in quotes: -m {wanted}" if given else f"measures go after -m: -m {wanted}"
        raise GermaneError(f"{meant[0]}: no such file, but a measure", hint=hint)


def input_options_but(*names: str, ties: Sequence[str] = TIES) -> Decorator:
    """The options under which qrels and runs are read, less those that mean nothing to a command, and with the rules
    for ties that mean something to it."""
    kept = [option for name, option in _SHARED.items() if name not in names]
    return together(shared("--ties", type=click.Choice(ties), default="docno"), *kept)


input_options = input_options_but()
"""All of them."""
