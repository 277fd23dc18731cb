"""Options that several commands share: how qrels and runs are read and ordered, how results are printed."""

from __future__ import annotations

import runpy
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, get_args

import click

from germane.errors import GermaneError
from germane.tables.judged_run import Ties

TIES = get_args(Ties)
SCORES_HELP = "How scores are held; old tables were made with 32 bits, and ties depend on it."


def _import_file(_: click.Context, __: click.Parameter, paths: tuple[str, ...]) -> None:
    for path in paths:
        if not Path(path).exists():
            raise GermaneError(f"{path}: no such file")
        runpy.run_path(path)


def _ties_option(choices: Sequence[str]) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    by_rank = "by the rank column, " if "rank" in choices else ""
    rules = f"by id as trec_eval does, as they come, {by_rank}best or worst for the run, or the mean over all orders"
    told = f"How documents of equal score are ordered: {rules}."
    return click.option("--ties", type=click.Choice(choices), default="docno", show_default=True, help=told)


_SHARED = {
    "scores": click.option(
        "--scores", type=click.Choice(["float64", "float32"]), default="float64", show_default=True, help=SCORES_HELP
    ),
    "scale": click.option(
        "--scale",
        type=click.FloatRange(0, min_open=True),
        help="The highest grade an assessor could give.  [default: the highest given]",
    ),
    "collection-size": click.option(
        "--collection-size", type=click.IntRange(1), help="How many documents there are, for Fallout, AUC and EER."
    ),
    "qrels-format": click.option(
        "--qrels-format", metavar="FORMAT", help="The format of QRELS.  [default: told from its content]"
    ),
    "run-format": click.option(
        "--run-format", metavar="FORMAT", help="The format of the runs.  [default: told from their content]"
    ),
    "import": click.option(
        "--import",
        multiple=True,
        metavar="FILE.py",
        expose_value=False,
        callback=_import_file,
        help="Run a Python file first, such as one that registers measures of your own; may be repeated.",
    ),
}


level_option = click.option(
    "--level",
    type=click.FloatRange(0, 1, min_open=True, max_open=True),
    default=0.95,
    show_default=True,
    help="The level of the intervals.",
)
seed_option = click.option(
    "--seed", type=click.IntRange(0), default=0, show_default=True, help="For whatever is drawn at random."
)
digits_option = click.option(
    "--digits",
    type=click.IntRange(0, 17),
    default=4,
    show_default=True,
    help="Decimals of numbers for people; JSON, and the CSV of most commands, have them in full.",
)


def format_option(styles: Sequence[str]) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """In which of the styles to print."""
    return click.option(
        "--format", "style", type=click.Choice(styles), default="table", show_default=True, help="How to print."
    )


def require_quotes(runs: tuple[str, ...]) -> None:
    """`-m AP RR run` takes RR for a file; say what was meant rather than that there is no such file."""
    from germane.measures.names import is_measure

    for run in runs:
        if run != "-" and not Path(run).exists() and is_measure(run):
            raise GermaneError(
                f"{run}: no such file, but a measure", hint=f"several measures go in quotes: -m 'AP {run}'"
            )


def input_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options under which qrels and runs are read."""
    return input_options_but()(function)


def input_options_but(*names: str, ties: Sequence[str] = TIES) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """The same, less those that mean nothing to a command, and with the rules for ties that mean something to it."""

    def add(function: Callable[..., Any]) -> Callable[..., Any]:
        for name, option in reversed(_SHARED.items()):
            function = function if name in names else option(function)
        return _ties_option(ties)(function)

    return add
