"""Options that `report` and `plot` share: measures, comparisons and intervals."""

from __future__ import annotations

import click

from germane.api.rankings.evaluation import DEFAULT_MEASURES
from germane.cli.options.inputs import input_options
from germane.cli.options.scoring_options import CORRECTIONS, MEAN_INTERVALS, PAIRED
from germane.cli.options.vocabulary import shared, together

numbers_options = together(
    shared("--measure", "measures", multiple=True, otherwise=" ".join(DEFAULT_MEASURES)),
    shared("--baseline", otherwise="all pairs"),
    shared("--test", type=click.Choice(PAIRED), default="t"),
    shared("--correction", type=click.Choice(CORRECTIONS), default="bonferroni"),
    shared("--alpha", default=0.05),
    shared("--interval", type=click.Choice(MEAN_INTERVALS), default="t"),
    shared("--level", default=0.95),
    shared("--seed", default=0),
    shared("--topics", default="qrels"),
    input_options,
)
"""Options for how the numbers are computed."""
