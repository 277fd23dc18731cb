"""Shared options that name the columns of labelled items, and say how to read them."""

from __future__ import annotations

import click

from germane.cli.options.vocabulary import Decorator, option, together
from germane.errors import GermaneError
from germane.formats.decisions.missing_values import HANDLINGS

INFERRED = "[default: inferred from column names]"


def _one(_: click.Context, parameter: click.Parameter, given: tuple[str, ...]) -> str | None:
    """Return the only value of an option that may not be repeated."""
    if len(given) > 1:
        raise GermaneError(
            f"expected {parameter.opts[0]} once, found {len(given)} columns: {', '.join(given)}",
            hint="use `germane classify` to compare several classifiers",
        )
    return given[0] if given else None


def label_options(*, several: bool, predicted: bool = True) -> Decorator:
    """Add the options that name columns; with `several`, classifiers are compared, each with its own column.

    A command that needs scores passes `predicted=False`: it takes no column of predicted labels.
    """
    again = "; may be repeated" if several else ""

    def column(name: str, what: str) -> Decorator:
        # A second value of a plain option would silently replace the first.
        return click.option(
            name,
            metavar="COLUMN",
            multiple=True,
            callback=None if several else _one,
            help=f"Column of {what}{again}.  {INFERRED}",
        )

    return together(
        option("--truth", f"Column of true labels.  {INFERRED}", "COLUMN"),
        *([column("--predicted", "predicted labels")] if predicted else []),
        column("--score", "scores"),
        option("--weight", "Column of weights; integers count as repeated rows.", "COLUMN"),
        option("--positive", "Positive label.  [default: inferred, such as 1 from 0 and 1]", "LABEL"),
        option("--missing", "Whether rows with missing values are an error, or excluded.  [default: error]", HANDLINGS),
        option("--decimal", "Decimal separator of numbers in a text file: . or ,  [default: .]", "CHARACTER"),
        option("--encoding", "Encoding of a text file, such as cp1252 or utf-16.  [default: utf-8]", "NAME"),
    )
