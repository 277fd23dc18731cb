"""Options that the commands on labelled items share: which column is what."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

GUESSED = "[default: told from the names]"


def label_options(*, several: bool) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Add the options that name columns; `several` classifiers may be compared, each with a column of its own."""
    again = " May be repeated, one column a classifier." if several else ""
    options = [
        click.option("--truth", metavar="COLUMN", help=f"The column of true labels.  {GUESSED}"),
        click.option(
            "--predicted", metavar="COLUMN", multiple=several, help=f"The column of predictions.{again}  {GUESSED}"
        ),
        click.option("--score", metavar="COLUMN", multiple=several, help=f"The column of scores.{again}  {GUESSED}"),
        click.option("--weight", metavar="COLUMN", help="The column of weights; whole numbers mean repetition."),
        click.option(
            "--positive", metavar="LABEL", help="The positive label.  [default: 1 of 0 and 1, yes of yes and no …]"
        ),
    ]

    def add(function: Callable[..., Any]) -> Callable[..., Any]:
        for option in reversed(options):
            function = option(function)
        return function

    return add
