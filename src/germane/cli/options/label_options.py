"""Options that the commands on labelled items share: which column is what."""

from __future__ import annotations

import click

from germane.cli.options.vocabulary import Decorator, option, together
from germane.errors import GermaneError

GUESSED = "[default: told from the names]"


def _one(_: click.Context, parameter: click.Parameter, given: tuple[str, ...]) -> str | None:
    """The only value of an option that may not be repeated."""
    if len(given) > 1:
        raise GermaneError(
            f"{parameter.opts[0]} names one column here, found {len(given)}: {', '.join(given)}",
            hint="`germane classify` compares several classifiers",
        )
    return given[0] if given else None


def label_options(*, several: bool, predicted: bool = True) -> Decorator:
    """Add the options that name columns; `several` classifiers may be compared, each with a column of its own.

    Where only scores are of use, there is no column of `predicted` labels.
    """
    again = "; may be repeated" if several else ""

    def column(name: str, what: str) -> Decorator:
        # A second value of a plain option would replace the first without a word.
        return click.option(
            name,
            metavar="COLUMN",
            multiple=True,
            callback=None if several else _one,
            help=f"The column of {what}{again}.  {GUESSED}",
        )

    return together(
        option("--truth", f"The column of true labels.  {GUESSED}", "COLUMN"),
        *([column("--predicted", "predictions")] if predicted else []),
        column("--score", "scores"),
        option("--weight", "The column of weights; whole numbers mean repetition.", "COLUMN"),
        option("--positive", "The positive label.  [default: 1 of 0 and 1, yes of yes and no …]", "LABEL"),
    )
