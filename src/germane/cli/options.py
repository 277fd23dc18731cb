"""Options that several commands share: how qrels and runs are read and ordered."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, get_args

import click

from germane.tables.judged_run import Ties

_SHARED = [
    click.option(
        "--ties",
        type=click.Choice(get_args(Ties)),
        default="docno",
        show_default=True,
        help="How documents of equal score are ordered: by id as trec_eval does, as they come, by the rank "
        "column, best or worst for the run, or the mean over all orders.",
    ),
    click.option(
        "--scores",
        type=click.Choice(["float64", "float32"]),
        default="float64",
        show_default=True,
        help="How scores are held; old tables were made with 32 bits, and ties depend on it.",
    ),
    click.option("--scale", type=float, help="The highest grade an assessor could give.  [default: the highest given]"),
    click.option("--collection-size", type=int, help="How many documents there are, for Fallout, AUC and EER."),
    click.option("--qrels-format", help="The format of QRELS.  [default: found out]"),
    click.option("--run-format", help="The format of the runs.  [default: found out]"),
]


def input_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options under which qrels and runs are read."""
    for option in reversed(_SHARED):
        function = option(function)
    return function
