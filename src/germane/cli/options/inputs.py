"""Shared options for reading and ordering qrels and runs."""

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
        "Score precision; float32 reproduces ties of older tools.  [default: float64; float32 with --trec-version 9]",
        ["float64", "float32"],
    ),
    "trec-version": option(
        "--trec-version",
        "trec_eval version to follow for its own measure names, such as 11pt_avg.",
        ["9", "10"],
        default="10",
        callback=lambda _, __, version: int(version),
    ),
    "scale": shared("--scale", otherwise="highest grade in the judgments"),
    "collection-size": option(
        "--collection-size", "Number of documents in the collection, for Fallout, AUC and EER.", "COUNT"
    ),
    "qrels-format": qrels_format_option,
    "run-format": run_format_option,
    "import": option(
        "--import",
        "Run a Python file first, for example to register your own measures; may be repeated.",
        "FILE.py",
        multiple=True,
        expose_value=False,
        callback=_import_file,
    ),
}


def require_quotes(runs: tuple[str, ...]) -> None:
    """Refuse `-m AP RR run`, where RR is read as a file: say how to quote measures, not that no such file exists."""
    from germane.measures.definition import MEASURES

    meant = [run for run in runs if run != "-" and not Path(run).exists() and MEASURES.accepts(run)]
    if meant:
        given = click.get_current_context().params.get("measures") or ()
        import shlex

        wanted = shlex.quote(" ".join((*given, *meant)))
        hint = f"quote several measures: -m {wanted}" if given else f"name measures after -m: -m {wanted}"
        raise GermaneError(f"{meant[0]}: expected a file, found the name of a measure", hint=hint)


def input_options_but(*names: str, ties: Sequence[str] = TIES) -> Decorator:
    """Add the options for reading qrels and runs, without those that do not apply to a command, and with the tie
    rules that do."""
    kept = [option for name, option in _SHARED.items() if name not in names]
    return together(shared("--ties", type=click.Choice(ties), default="docno"), *kept)


input_options = input_options_but()
"""All options for reading qrels and runs."""
