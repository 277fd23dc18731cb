"""`germane classify`: evaluate a classifier or detector."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import click

from germane.api.decisions.classification import classify
from germane.catalogue import split
from germane.cli.options.gates import exit_if_missed, gate_options, missed, parse_limit, require_limits, worse_end
from germane.cli.options.label_options import label_options, quantile_option, task_option, vectors_option
from germane.cli.options.printing import print_result, printing, result_options
from germane.cli.options.spark_options import decisions_on, spark_options
from germane.cli.options.vocabulary import choice, folders_option, option, shared
from germane.cli.shell.command_class import make_command
from germane.errors import GermaneError
from germane.measures.decisions.at_thresholds import rates_at_thresholds
from germane.measures.decisions.names import lower_is_better
from germane.measures.decisions.rates import reported_rates
from germane.measures.decisions.requests import ALL, Request, require_rate
from germane.output.rendering.progress import progress
from germane.stats.significance.corrections import CORRECTIONS
from germane.stats.significance.paired_tests import PAIRED_TESTS
from germane.tables.results.performance import Performance
from germane.tables.results.performances import AtThresholds

Gate = tuple[Request, float]
"""A measure, of a class or an average or overall, and the limit."""


@make_command(
    "classify",
    "germane classify scores.csv",
    "germane classify items.csv --truth label --score old --score new --positive spam",
    "germane classify cancer.csv --matrix",
)
@click.argument("data")
@task_option
@label_options(several=True)
@shared("--separator")
@quantile_option
@vectors_option
@shared("--measure", "measures", multiple=True, otherwise="all")
@shared("--probabilities", multiple=True)
@shared("--labels")
@shared("--threshold")
@shared("--matrix")
@shared("--invert")
@folders_option
@choice(
    "--rows", "Whether matrix rows are true or predicted labels, in DATA and in the output.", ["truth", "prediction"]
)
@option(
    "--shares normalise", "Print the matrix as shares of this total, not as counts.", ["truth", "prediction", "all"]
)
@option("--reorder", "Print the matrix with confused classes next to each other.")
@option("--class one_class", "Evaluate this class against all others.", "LABEL")
@option(
    "--average",
    "How to average rates over classes.  [default: rates of the positive class, if there is one]",
    ["binary", "macro", "micro", "weighted", "samples"],
)
@option("--prevalence", "Also report PPV and NPV at this prevalence.", "SHARE")
@option("--cost-fp", "Cost of a false positive; adds the expected cost.", "COST")
@option("--cost-fn", "Cost of a false negative; adds the expected cost.", "COST")
@shared("--interval", type=click.Choice(["wilson", "clopper-pearson"]), default="wilson")
@choice("--bootstrap", "Bootstrap interval for F, MCC, kappa and averages.", ["bca", "percentile"])
@option("--stratified", "Keep the size of each true class when resampling.")
@choice(
    "--auc-scale",
    "Scale on which DeLong's interval of AUC is symmetric; plain matches pROC, clipped at 0 and 1.",
    ["logit", "plain"],
)
@shared("--level", default=0.95)
@shared("--resamples", type=click.IntRange(1), otherwise="2000, fewer for long data")
@shared("--seed", default=0)
@option("--stream", "Read DATA in parts: any size in bounded memory, scores sorted on disk.")
@shared("--baseline", otherwise="all pairs")
@shared("--correction", type=click.Choice([*CORRECTIONS.names, "none"]), default="holm")
@choice(
    "--mcnemar",
    "Variant of McNemar's test of accuracy, TPR and TNR between classifiers.",
    ["exact", "mid-p", "corrected", "uncorrected"],
)
@shared("--test", type=click.Choice(PAIRED_TESTS.names), otherwise="t, for numbers and densities")
@option("--cluster", "Column of clusters of dependent items, such as patients; intervals and tests use it.", "COLUMN")
@shared("--slices", multiple=True, metavar="COLUMN")
@option("--against", "Compare slices with this one.  [default: all others together]", "SLICE")
@option("--at-thresholds", "Print counts and rates at every threshold instead.")
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
    """Evaluate the classifiers in DATA: CSV, TSV, JSONL or Parquet; - is standard input.

    DATA has a column of true labels and at least one of predicted labels or scores. Columns are inferred from their
    names, or named with options.

    With --engine spark, DATA is a path, pattern or address of Parquet, ORC or JSON files that Spark reads.

    --interval applies to proportions, --bootstrap to F, MCC, kappa and averages. --baseline and --correction apply to
    several classifiers, which are compared item by item; so are several predictions of --task regression and of --task
    densities, by --test.

    --cluster makes every interval and test account for items that are not independent. --slices evaluates groups of
    items too, with their differences, and --fail-under then holds in each of them.

    With --task label-sets an item has several labels: as text with a --separator, or with a column of 0 and 1 for each
    label, named by a prefix and a star, such as --truth 'true_*' --predicted 'pred_*' (and --score 'p_*' for scores).
    """
    given = {name: options[name] for name in ("prevalence", "cost_fp", "cost_fn")}
    limits = parse_gates(gates, **given)
    _require_a_matrix(options["task"], at_thresholds=at_thresholds, normalise=normalise, reorder=reorder)
    if at_thresholds and (options["stream"] or engine != "local"):
        without = "--stream" if options["stream"] else f"--engine {engine}"
        raise GermaneError(f"--at-thresholds cannot be combined with {without}", hint="remove one of them")
    options["labels"] = None if labels is None else [label.strip() for label in labels.split(",")]
    wanted = [name for text in measures for name in split(text, ", \t\n")]
    gated = [str(request) for request, _ in limits]
    if wanted:
        options["measures"] = [*wanted, *gated]
    elif gated and options["task"] != "label-sets":
        options["measures"] = [ALL, *gated]
    drawn = [name for name in wanted if name.casefold() != ALL] if at_thresholds else []
    rates = [require_rate(name, "a table of all thresholds", **given) for name in drawn]
    if len(drawn) < len(wanted):
        rates = list({str(rate): rate for rate in (*reported_rates(), *rates)}.values())
    with (
        progress("rows" if options.get("stream") else "steps") as advance,
        decisions_on(engine, master, data) as source,
    ):
        found = classify(source, progress=advance, **options)
    # Check before printing: a limit on a value that was not computed is an error.
    failed = [line for performance in found for line in _failures_everywhere(performance, limits, gate)]
    if at_thresholds:
        decisions = found[0].decisions
        if len(found) != 1 or decisions is None:
            raise GermaneError("--at-thresholds needs one column of scores", hint="use --score COLUMN")
        columns = rates_at_thresholds(decisions, rates)
        print_result(AtThresholds(columns, decisions, notes=found.notes))
    else:
        print_result(found, rows=options["rows"], normalise=normalise, reorder=reorder)
    exit_if_missed(failed)


def _require_a_matrix(task: str, *, at_thresholds: bool, normalise: str | None, reorder: bool) -> None:
    """Refuse --shares and --reorder where no matrix is printed for people."""
    asked, style = "--shares" if normalise else "--reorder", printing().style
    if (normalise or reorder) and (task != "classes" or at_thresholds or style in ("csv", "tsv", "json", "jsonl")):
        without = f"--format {style}" if task == "classes" else f"--task {task}"
        without = "--at-thresholds" if at_thresholds else without
        raise GermaneError(f"{asked} is not supported with {without}", hint=f"remove {asked}")


def parse_gates(texts: Sequence[str], **given: float | None) -> list[Gate]:
    """Parse limits such as ``MCC=0.5`` and ``F1[macro]=0.8``; required parameters may come from `given`.

    >>> [(str(request), limit) for request, limit in parse_gates(["recall=0.9", "F1[macro]=0.8"])]
    [('TPR', 0.9), ('F1[macro]', 0.8)]
    """
    limits = (parse_limit(text, "MCC=0.5 or 'F1[macro]=0.8'") for text in texts)
    return [(Request.of(written, **given), limit) for written, limit in limits]


def _failures_everywhere(performance: Performance, gates: Sequence[Gate], look_at: str) -> list[str]:
    """Return the limits that a classifier misses, on all items and in each slice."""
    lines = _failures(performance, gates, look_at)
    for name, each in performance.slices.items():
        lines += _failures(replace(each, name=f"{performance.name}, slice {name}"), gates, look_at)
    return lines


def _failures(performance: Performance, gates: Sequence[Gate], look_at: str) -> list[str]:
    """Return one line for each limit that a classifier misses; an undefined value misses every limit."""
    require_limits(gates, look_at)
    lines = []
    for request, limit in gates:
        measure, group = request
        if not group and measure not in performance.overall and measure in performance.averages.get("macro", {}):
            raise GermaneError(
                f"cannot tell which {measure} is meant: that of a class, or an average",
                hint=f"write '{measure}[macro]' or '{measure}[CLASS]', or add --average or --positive",
            )
        estimate = performance[(measure, group) if group else measure]
        lower = lower_is_better(measure)
        value, what = estimate.value, "value"
        if look_at == "lower":
            reason = {"why": estimate.remark, "hint": "use --gate value"}
            value, what = worse_end(measure, value, estimate.low, estimate.high, lower_is_better=lower, **reason)
        lines += missed(performance.name, f"the {what} of {request}", value, limit, lower_is_better=lower)
    return lines
