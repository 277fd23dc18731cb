"""`germane eval`: score runs against judgments."""

from __future__ import annotations

from typing import Any

import click

from germane.api.rankings.evaluation import DEFAULT_MEASURES, evaluate
from germane.cli.options.inputs import input_options, require_quotes
from germane.cli.options.scoring_options import gates_of, interval_for, level_of, print_scores, scoring_options
from germane.cli.options.spark_options import runs_on, spark_options
from germane.cli.options.vocabulary import shared
from germane.cli.shell.command_class import make_command
from germane.measures.definition import MEASURES
from germane.output.rendering.progress import progress
from germane.types import Topics


@make_command(
    "eval",
    "germane eval qrels.txt system1.run system2.run",
    "germane eval qrels.txt system1.run system2.run -m 'AP RR P@5' --sort P@5 -q",
    "germane eval qrels.txt system1.run --fail-under RR=.5",
)
@click.argument("qrels")
@click.argument("runs", nargs=-1, required=True)
@scoring_options(bounds=True)
@shared("--sort", otherwise="as they are given")
@input_options
@spark_options
def command(
    qrels: str,
    runs: tuple[str, ...],
    measures: tuple[str, ...],
    sort: str | None,
    per_query: bool,
    topics: Topics,
    aggregates: tuple[str, ...],
    slices: str | None,
    bounds: bool,
    interval: str | None,
    level: float | None,
    seed: int,
    gates: tuple[str, ...],
    gate: str,
    engine: str,
    master: str | None,
    **inputs: object,
) -> None:
    """Score RUNS against the judgments in QRELS.

    Both are files in any format germane knows (`germane convert --help` lists them), compressed or not; - is standard
    input, and a folder stands for the run files in it. Many runs are shared between the cores. Results go to standard
    output, notes about them to standard error. With --gate lower the intervals are those of --interval, t unless named.

    With --engine spark, a run is a path, pattern or address of Parquet, ORC, JSON or CSV files that Spark reads.
    """
    version: Any = inputs["trec_version"]
    limits = gates_of(gates, trec_version=version)
    interval = interval_for(interval, gate, limits)
    require_quotes(runs)
    wanted = [*(measures or DEFAULT_MEASURES), *(measure for measure, _ in limits)]
    read_as = inputs["run_format"], inputs["ties"]
    with progress("runs") as advance, runs_on(engine, master, runs, *read_as) as sources:
        scores = evaluate(
            qrels,
            sources,
            wanted,
            topics=topics,
            slices=slices,
            bounds=bounds,
            interval=interval,
            level=level_of(level, interval),
            seed=seed,
            progress=advance,
            **inputs,  # type: ignore[arg-type]
        )
    if sort is not None:
        scores = scores.sorted_by(MEASURES.of_version(version).parse(sort), aggregates[0])
    print_scores(scores, per_query, aggregates, limits, gate)
