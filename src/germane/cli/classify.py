"""`germane classify`: how good a classifier or detector is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import click

from germane.api.classifying_files import TASKS, classify_data
from germane.cli.classify_gates import failures, parse_gates
from germane.cli.commanding import make_command
from germane.cli.gates import exit_if_missed, fail_under_option, gate_option
from germane.cli.label_options import label_options
from germane.cli.spark_options import decisions_on, spark_options
from germane.cli.vocabulary import (
    digits_option,
    folders_option,
    format_option,
    level_option,
    seed_option,
    shared,
)
from germane.errors import GermaneError
from germane.measures.deciding.names import split_names
from germane.report.notes import print_notes
from germane.report.performance_tables import STYLES, render_performances, threshold_table
from germane.report.progress import progress
from germane.stats.corrections import CORRECTIONS
from germane.tables.performance import Performance
from germane.tables.scores import Note


@make_command(
    "classify",
    examples=[
        "germane classify scores.csv",
        "germane classify items.csv --truth label --score old --score new --positive spam",
        "germane classify cancer.csv --matrix",
    ],
)
@click.argument("data")
@click.option(
    "--task",
    type=click.Choice(TASKS),
    default="classes",
    show_default=True,
    help="What was predicted: classes (or scores for them), sets of labels, numbers, clusters, or densities.",
)
@label_options(several=True)
@shared("--measure", "measures", multiple=True, otherwise="all")
@shared("--probabilities")
@shared("--labels")
@shared("--threshold")
@shared("--matrix")
@folders_option
@click.option(
    "--rows",
    type=click.Choice(["truth", "prediction"]),
    default="truth",
    show_default=True,
    help="What the rows of the matrix are, in DATA and in what is printed.",
)
@click.option(
    "--shares",
    "normalise",
    type=click.Choice(["truth", "prediction", "all"]),
    help="Print the matrix as shares of this, not as counts.",
)
@click.option("--reorder", is_flag=True, help="Print the matrix with classes that are confused side by side.")
@click.option("--class", "one_class", metavar="LABEL", help="This class against all others.")
@click.option(
    "--average",
    type=click.Choice(["binary", "macro", "micro", "weighted"]),
    help="Which rates stand for all classes.  [default: those of the positive class, if there is one]",
)
@click.option(
    "--prevalence",
    metavar="SHARE",
    type=click.FloatRange(0, 1),
    help="Also PPV and NPV as they would be if this share of the items were positive.",
)
@click.option(
    "--cost-fp", metavar="COST", type=click.FloatRange(0), help="What a false positive costs; adds the expected cost."
)
@click.option(
    "--cost-fn", metavar="COST", type=click.FloatRange(0), help="What a false negative costs; adds the expected cost."
)
@shared("--interval", type=click.Choice(["wilson", "clopper-pearson"]), default="wilson")
@click.option(
    "--bootstrap",
    type=click.Choice(["bca", "percentile"]),
    default="bca",
    show_default=True,
    help="The interval of F, MCC, kappa and averages, from the cells drawn again.",
)
@click.option("--stratified", is_flag=True, help="Keep the size of each true class when drawing.")
@click.option(
    "--auc-scale",
    type=click.Choice(["logit", "plain"]),
    default="logit",
    show_default=True,
    help="The scale on which DeLong's interval of AUC is symmetric; plain is pROC's, which ends at 0 and 1.",
)
@level_option
@shared("--resamples", type=click.IntRange(1), otherwise="2000, fewer for long data")
@seed_option
@click.option("--stream", is_flag=True, help="Read DATA in parts: any size in bounded memory, AUC with an error bound.")
@shared("--baseline", otherwise="all pairs")
@shared("--correction", type=click.Choice([*CORRECTIONS, "none"]), default="holm")
@click.option(
    "--mcnemar",
    type=click.Choice(["exact", "mid-p", "corrected"]),
    default="exact",
    show_default=True,
    help="Of several classifiers: McNemar's test of accuracy, TPR and TNR.",
)
@click.option("--at-thresholds", is_flag=True, help="Print all counts and rates at every threshold instead.")
@format_option(STYLES)
@digits_option
@fail_under_option
@gate_option
@spark_options
def command(
    data: str,
    style: str,
    digits: int,
    rows: Any,
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
    _require_a_matrix(style, at_thresholds=at_thresholds, normalise=normalise, reorder=reorder)
    declared = None if labels is None else [label.strip() for label in labels.split(",")]
    wanted = [name for text in measures for name in split_names(text)]
    if wanted:
        options["measures"] = [*wanted, *(measure for _, measure, _ in limits)]
    with progress("steps") as advance, decisions_on(engine, master, data) as source:
        performances, comparison = classify_data(source, rows=rows, labels=declared, progress=advance, **options)
    # Before anything is printed: a gate on what was not computed is an error.
    failed = [line for performance in performances for line in failures(performance, limits, gate)]
    if at_thresholds:
        if len(performances) != 1 or performances[0].decisions is None:
            raise GermaneError("--at-thresholds needs one column of scores", hint="name it with --score")
        click.echo(threshold_table(performances[0].decisions, style, digits=digits), nl=False)
    else:
        click.echo(
            render_performances(
                performances,
                style,
                comparison=comparison,
                digits=digits,
                rows=rows,
                normalise=normalise,
                reorder=reorder,
            ),
            nl=False,
        )
    if style != "json":
        print_notes(_notes(performances))
    exit_if_missed(failed)


def _require_a_matrix(style: str, *, at_thresholds: bool, normalise: str | None, reorder: bool) -> None:
    """Refuse to arrange a matrix that is not printed, or that JSON has as it is."""
    asked = "--shares" if normalise else "--reorder"
    if (normalise or reorder) and (at_thresholds or style not in ("table", "markdown")):
        without = "--at-thresholds" if at_thresholds else f"--format {style}"
        raise GermaneError(f"{without} has no use for {asked}", hint="it arranges the matrix of a table or of Markdown")


def _notes(performances: Sequence[Performance]) -> list[Note]:
    """What holds for all classifiers once, anything else with the name of its classifier."""
    first, *others = performances
    shared = [note for note in first.notes if all(note in each.notes for each in others)]
    own = [replace(note, run=each.name) for each in performances for note in each.notes if note not in shared]
    return shared + own
