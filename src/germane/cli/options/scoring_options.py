"""Options of commands that print scores: what to compute, how to aggregate and print it, and when to fail."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

import click

from germane.api.rankings.evaluation import DEFAULT_MEASURES
from germane.cli.options.gates import exit_if_missed, gate_options, missed, parse_limit, require_limits, worse_end
from germane.cli.options.printing import print_result, result_options
from germane.cli.options.vocabulary import option, shared, together
from germane.errors import GermaneError
from germane.measures.definition import MEASURES
from germane.measures.foreign_names import TrecVersion
from germane.tables.results.scores import AGGREGATES, Scores

MEAN_INTERVALS = ["normal", "t", "percentile", "bca", "studentised"]
PAIRED = ["t", "randomisation", "bootstrap", "wilcoxon", "sign", "tukey", "randomised-tukey", "nemenyi"]
UNPAIRED = ["welch", "permutation"]
CORRECTIONS = ["bonferroni", "holm", "bh", "by", "max-t", "step-down-max-t", "none"]
"""Names of tests and corrections, listed here so that parsing a command line loads no catalogue."""
scoring_options = together(
    shared("--measure", "measures", multiple=True, otherwise=" ".join(DEFAULT_MEASURES)),
    shared("--per-query"),
    shared("--topics", default="qrels"),
    option(
        "--aggregate aggregates",
        "How to aggregate queries into one value; may be repeated.",
        ["mean", "micro", *[a for a in AGGREGATES if a != "mean"]],
        default=("mean",),
        multiple=True,
    ),
    shared("--slices"),
    shared("--interval", type=click.Choice(MEAN_INTERVALS), otherwise="no intervals"),
    shared("--level", otherwise="0.95"),
    shared("--seed", default=0),
    result_options,
    gate_options,
)
"""Options for what to compute and how to print it."""


def gates_of(
    texts: Sequence[str], *, such_as: str = "nDCG@10=0.45", trec_version: TrecVersion = 10
) -> list[tuple[str, float]]:
    """Parse the limits on means, at most one per measure; errors show `such_as` as an example."""
    written = [parse_limit(text, such_as) for text in texts]
    limits = [(str(MEASURES.of_version(trec_version).parse(measure)), limit) for measure, limit in written]
    for name, count in Counter(measure for measure, _ in limits).items():
        if count > 1:
            raise GermaneError(f"expected one --fail-under limit for {name}, found {count}", hint="keep one of them")
    return limits


class Scoring:
    """What a command does with scores: which limits it checks, and what it prints."""

    def __init__(self, choices: dict[str, Any]) -> None:
        """Take the options about limits and printing out of `choices`; those of the library remain."""
        self.limits = gates_of(choices.pop("gates"), trec_version=choices.get("trec_version", 10))
        self.gate, self.per_query, self.aggregates = (choices.pop(key) for key in ("gate", "per_query", "aggregates"))
        require_limits(self.limits, self.gate)
        choices["measures"] = [*(choices["measures"] or DEFAULT_MEASURES), *(measure for measure, _ in self.limits)]
        if choices["interval"] is None and self.gate == "lower":
            choices["interval"] = "t"
        if choices["level"] is not None and choices["interval"] is None:
            raise GermaneError("--level requires --interval", hint="add --interval t")
        choices["level"] = 0.95 if choices["level"] is None else choices["level"]

    def print(self, scores: Scores) -> None:
        """Print scores; exit with status 1 if a gate fails."""
        # Check before printing: a limit on a value that is not shown, or that has no interval, is an error.
        if self.limits and "mean" not in self.aggregates:
            hint = f"use --aggregate mean --aggregate {self.aggregates[0]}"
            raise GermaneError("--fail-under requires --aggregate mean", hint=hint)
        lines = [line for measure, limit in self.limits for line in _failures(scores, measure, limit, self.gate)]
        print_result(scores, per_query=self.per_query, aggregates=self.aggregates)
        exit_if_missed(lines)


def _failures(scores: Scores, measure: str, limit: float, gate: str) -> list[str]:
    lower, m = scores.lower_is_better(measure), scores.measure_index(measure)
    lines = []
    for r, (run, means) in enumerate(scores.mean().items()):
        value, what = means[measure], measure
        if gate == "lower" and scores.intervals is not None:
            ends = float(scores.intervals.low[r, m]), float(scores.intervals.high[r, m])
            why = "a sum over queries" if scores.totals[m] else f"the {scores.intervals.method} method gives none"
            hint = "use --gate value, or another --interval"
            value, called = worse_end(measure, value, *ends, lower_is_better=lower, why=why, hint=hint)
            what = f"the {called} of {measure}"
        lines += missed(run, what, value, limit, lower_is_better=lower)
    return lines
