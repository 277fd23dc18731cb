"""Shared options that name the columns of labelled items, and say how to read them."""

from __future__ import annotations

from typing import get_args

import click

from germane.api.options import Task
from germane.cli.options.vocabulary import Decorator, choice, option, together
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


def _quantiles(_: click.Context, parameter: click.Parameter, given: tuple[str, ...]) -> dict[float, str] | None:
    """Return columns by quantile, given as ``0.1=low``."""
    found: dict[float, str] = {}
    for text in given:
        share, sign, column = text.partition("=")
        try:
            quantile = float(share)
        except ValueError:
            sign = ""
        if not sign or not column:
            problem = f"expected a quantile and its column, found {text!r}"
            raise GermaneError(problem, hint=f"for example {parameter.opts[0]} 0.1=low {parameter.opts[0]} 0.9=high")
        if quantile in found:
            hint = f"remove {parameter.opts[0]} {share}={column}"
            raise GermaneError(f"expected each quantile once, found {share} twice", hint=hint)
        found[quantile] = column.strip()
    return found or None


task_option = choice(
    "--task",
    "What was predicted: classes (or their scores), sets of labels, numbers, clusters or densities.",
    get_args(Task),
)
quantile_option = click.option(
    "--quantile",
    "quantiles",
    metavar="SHARE=COLUMN",
    multiple=True,
    callback=_quantiles,
    help="Column of a predicted quantile, such as 0.1=low, for --task regression; may be repeated.",
)


vectors_option = option(
    "--vectors", "Prefix of the columns with the vectors of the items, for --task clusters.", "PREFIX"
)


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
        option("--encoding", "Character encoding of text files.  [default: utf-8]", "NAME"),
    )
