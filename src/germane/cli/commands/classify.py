"""`germane classify`: how good a classifier or detector is."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, get_args

import click

from germane.api.decisions.classification import classify
from germane.api.options import Task
from germane.catalogue import split
from germane.cli.options.gates import exit_if_missed, gate_options, missed, parse_limit, require_limits, worse_end
from germane.cli.options.label_options import label_options
from germane.cli.options.printing import print_result, printing, result_options
from germane.cli.options.spark_options import decisions_on, spark_options
from germane.cli.options.vocabulary import choice, folders_option, option, shared
from germane.cli.shell.command_class import make_command
from germane.errors import GermaneError, unknown
from germane.measures.decisions.at_thresholds import rates_at_thresholds
from germane.measures.decisions.names import canonical_name, lower_is_better
from germane.output.rendering.progress import progress
from germane.stats.significance.corrections import CORRECTIONS
from germane.tables.decisions.confusion import Label
from germane.tables.results.performance import Performance
from germane.tables.results.performances import AtThresholds

Gate = tuple[str, str, float]
"""The class or average that is meant (empty: over everything), the measure, the limit."""


@make_command(
    "classify",
    "germane classify scores.csv",
    "germane classify items.csv --truth label --score old --score new --positive spam",
    "germane classify cancer.csv --matrix",
)
@click.argument("data")
@choice(
    "--task",
    "What was predicted: classes (or scores for them), sets of labels, numbers, clusters, or densities.",
    get_args(Task),
)
@label_options(several=True)
@shared("--measure", "measures", multiple=True, otherwise="all")
@shared("--probabilities")
@shared("--labels")
@shared("--threshold")
@shared("--matrix")
@folders_option
@choice("--rows", "What the rows of the matrix are, in DATA and in what is printed.", ["truth", "prediction"])
@option("--shares normalise", "Print the matrix as shares of this, not as counts.", ["truth", "prediction", "all"])
@option("--reorder", "Print the matrix with classes that are confused side by side.")
@option("--class one_class", "This class against all others.", "LABEL")
@option(
    "--average",
    "Which rates stand for all classes.  [default: those of the positive class, if there is one]",
    ["binary", "macro", "micro", "weighted"],
)
@option("--prevalence", "Also PPV and NPV as they would be if this share of the items were positive.", "SHARE")
@option("--cost-fp", "What a false positive costs; adds the expected cost.", "COST")
@option("--cost-fn", "What a false negative costs; adds the expected cost.", "COST")
@shared("--interval", type=click.Choice(["wilson", "clopper-pearson"]), default="wilson")
@choice("--bootstrap", "The interval of F, MCC, kappa and averages, from the cells drawn again.", ["bca", "percentile"])
@option("--stratified", "Keep the size of each true class when drawing.")
@choice(
    "--auc-scale",
    "The scale on which DeLong's interval of AUC is symmetric; plain is pROC's, which ends at 0 and 1.",
    ["logit", "plain"],
)
@shared("--level", default=0.95)
@shared("--resamples", type=click.IntRange(1), otherwise="2000, fewer for long data")
@shared("--seed", default=0)
@option("--stream", "Read DATA in parts: any size in bounded memory, AUC with an error bound.")
@shared("--baseline", otherwise="all pairs")
@shared("--correction", type=click.Choice([*CORRECTIONS.names, "none"]), default="holm")
@choice(
    "--mcnemar",
    "Of several classifiers: McNemar's test of accuracy, TPR and TNR.",
    ["exact", "mid-p", "corrected", "uncorrected"],
)
@option("--at-thresholds", "Print all counts and rates at every threshold instead.")
@result_options
@gate_options
@spark_options
def command(
    data: str,
    labels: str | None,
    normalise: Any,
    reorder: bool,
    at_thresholds: bool,
    measures: tuple[str, ...],
    gates: tuple[str, ...],
    gate: str,
    engine: str,
    master: str | None,
    **options: Any,
) -> None:
    """Say how good a classifier is, from the items in DATA: CSV, TSV, JSONL or Parquet; - is standard input.

    DATA has a column of true labels and one of predicted labels or of scores; they are told by their names, or named.

    With --engine spark, DATA is a path, pattern or address of Parquet, ORC or JSON files that Spark reads; counts are
    exact, and AUC has an error bound.

    --interval is that of proportions; F, MCC, kappa and averages have the one of --bootstrap. --baseline and
    --correction are for several classifiers, which are compared item by item.
    """
    limits = parse_gates(gates)
    _require_a_matrix(at_thresholds=at_thresholds, normalise=normalise, reorder=reorder)
    options["labels"] = None if labels is None else [label.strip() for label in labels.split(",")]
    wanted = [name for text in measures for name in split(text, ", \t\n")]
    if wanted:
        options["measures"] = [*wanted, *(measure for _, measure, _ in limits)]
    with progress("steps") as advance, decisions_on(engine, master, data) as source:
        found = classify(source, progress=advance, **options)
    # Before anything is printed: a gate on what was not computed is an error.
    failed = [line for performance in found for line in _failures(performance, limits, gate)]
    if at_thresholds:
        decisions = found[0].decisions
        if len(found) != 1 or decisions is None:
            raise GermaneError("--at-thresholds needs one column of scores", hint="name it with --score")
        print_result(AtThresholds(rates_at_thresholds(decisions), decisions, notes=found.notes))
    else:
        print_result(found, rows=options["rows"], normalise=normalise, reorder=reorder)
    exit_if_missed(failed)


def _require_a_matrix(*, at_thresholds: bool, normalise: str | None, reorder: bool) -> None:
    """Refuse to arrange a matrix that is not printed, or that programs get as it is."""
    asked, style = "--shares" if normalise else "--reorder", printing().style
    if (normalise or reorder) and (at_thresholds or style in ("csv", "tsv", "json", "jsonl")):
        without = "--at-thresholds" if at_thresholds else f"--format {style}"
        raise GermaneError(f"{asked} is not supported with {without}", hint="it arranges the matrix that people read")


def parse_gates(texts: Sequence[str]) -> list[Gate]:
    """Read ``MCC=.5`` and ``F1[macro]=.8``.

    >>> parse_gates(["recall=.9", "F1[macro]=.8"])
    [('', 'TPR', 0.9), ('macro', 'F1', 0.8)]
    """
    gates = []
    for text in texts:
        written, limit = parse_limit(text, "MCC=.5 or 'F1[macro]=.8'")
        match = re.fullmatch(r"(.+?)(?:\[([^\]]+)\])?", written)
        assert match is not None  # any text is a name
        gates.append((match[2] or "", canonical_name(match[1]), limit))
    return gates


def _failures(performance: Performance, gates: Sequence[Gate], look_at: str) -> list[str]:
    """One line for each gate that a classifier does not pass; a value that is not defined passes none."""
    require_limits(gates, look_at)
    lines = []
    for group, measure, limit in gates:
        if not group and measure not in performance.overall and measure in performance.averages.get("macro", {}):
            raise GermaneError(
                f"{measure} of which class, or averaged how?",
                hint=f"write '{measure}[macro]' or '{measure}[CLASS]', or add --average or --positive",
            )
        estimate = performance[(measure, _label(performance, group)) if group else measure]
        lower = lower_is_better(measure)
        value, what = estimate.value, "value"
        if look_at == "lower":
            said = {"why": estimate.remark, "hint": "use --gate value"}
            value, what = worse_end(measure, value, estimate.low, estimate.high, lower_is_better=lower, **said)
        name = f"{measure}[{group}]" if group else measure
        lines += missed(performance.name, f"the {what} of {name}", value, limit, lower_is_better=lower)
    return lines


def _label(performance: Performance, group: str) -> Label:
    """The class or average that a text names; a class may be a number."""
    names: dict[str, Label] = {str(label): label for label in (*performance.by_class, *performance.averages)}
    if group not in names:
        raise unknown("class or average", group, names)
    return names[group]
