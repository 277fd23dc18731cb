"""`germane eval`: score runs against judgments."""

from __future__ import annotations

from typing import Any

import click

from germane.api.rankings.evaluation import evaluate
from germane.cli.options.inputs import input_options, require_quotes
from germane.cli.options.scoring_options import Scoring, scoring_options
from germane.cli.options.spark_options import runs_on, spark_options
from germane.cli.options.vocabulary import option, shared
from germane.cli.shell.command_class import make_command
from germane.measures.definition import MEASURES
from germane.output.rendering.progress import progress


@make_command(
    "eval",
    "germane eval qrels.txt system1.run system2.run",
    "germane eval qrels.txt system1.run system2.run -m 'AP RR P@5' --sort P@5 -q",
    "germane eval qrels.txt system1.run --fail-under RR=0.5",
)
@click.argument("qrels")
@click.argument("runs", nargs=-1, required=True)
@scoring_options
@option("--bounds", "Also report the lowest and highest value that unjudged documents allow.")
@shared("--sort", otherwise="as given")
@input_options
@spark_options
def command(
    qrels: str, runs: tuple[str, ...], sort: str | None, engine: str, master: str | None, **choices: Any
) -> None:
    """Score RUNS against the judgments in QRELS.

    Files may be in any format that germane reads (`germane convert --help` lists them), compressed or not. - is
    standard input, and a folder stands for the run files in it. Several runs are scored in parallel. Results go to
    standard output, notes to standard error. --gate lower uses the intervals of --interval, by default t.

    With --engine spark, a run is a path, pattern or address of Parquet, ORC, JSON or CSV files that Spark reads.
    """
    scoring = Scoring(choices)
    require_quotes(runs)
    read_as = choices["run_format"], choices["ties"]
    with progress("runs") as advance, runs_on(engine, master, runs, *read_as) as sources:
        scores = evaluate(qrels, sources, progress=advance, **choices)
    if sort is not None:
        scores = scores.sorted_by(MEASURES.of_version(choices["trec_version"]).parse(sort), scoring.aggregates[0])
    scoring.print(scores)
