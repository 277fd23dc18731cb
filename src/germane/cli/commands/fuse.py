"""``germane fuse``: several runs into one."""

from __future__ import annotations

from typing import Any, get_args

import click

from germane.api.retrieval.fusion import fuse
from germane.cli.options.printing import print_beside, require_one_output, result_options
from germane.cli.options.vocabulary import folders_option, list_option, option, run_format_option, shared
from germane.cli.shell.command_class import make_command
from germane.errors import GermaneError
from germane.formats.files.part_folders import files_of
from germane.formats.files.targets import require_new
from germane.formats.rankings.ranking_files import format_for, write_run
from germane.output.texts.pages import pages
from germane.retrieval.fusion import FUSION, NORMALISATIONS
from germane.retrieval.fusion.fuse_runs import DEFAULT_NORMALISATION
from germane.retrieval.fusion.lists import RunTies
from germane.tables.notes.counts import counted

BY_SCORE = ", ".join(method.name for method in FUSION if method.uses == "scores")
WITH_WEIGHTS = ", ".join(method.name for method in FUSION if method.weights != "refused")


@make_command(
    "fuse",
    "germane fuse system1.run system2.run -o both.run",
    "germane fuse system1.run system2.run --method weighted --weights system1=.7,system2=.3 -o weighted.run",
    "germane fuse --list",
)
@click.argument("runs", nargs=-1, required=True)
@shared("--output", required=True)
@shared("--method", default="rrf")
@option(
    "--weights",
    f"A weight for each run, which goes by its file's name without endings; for {WITH_WEIGHTS}.",
    "RUN=WEIGHT,…",
)
@option(
    "--normalise --normalize",
    f"How the scores of each run and query are made comparable, for {BY_SCORE}: "
    f"one of {', '.join(NORMALISATIONS.names)}.  "
    f"[default: {DEFAULT_NORMALISATION}]",
    "NAME",
)
@shared("--depth", otherwise="all of it")
@shared("--top", "k", otherwise="all")
@shared("--ties", type=click.Choice(get_args(RunTies)), default="docno")
@run_format_option
@folders_option
@shared("--to", "to_format", otherwise="told from the file's name")
@shared("--lossy")
@shared("--overwrite")
@list_option(lambda: f"Methods\n\n{pages(FUSION)}\nNormalisations\n\n{pages(NORMALISATIONS)}")
@result_options
def command(
    runs: tuple[str, ...],
    output: str,
    weights: str | None,
    to_format: str | None,
    lossy: bool,
    overwrite: bool,
    **choices: Any,
) -> None:
    """Fuse RUNS and write the result to --output (- for standard output).

    Each run is ordered as in evaluation: score descending, ties by document id. A query that some runs lack is fused
    from those that have it. The documents of the fused run are all that any run has, and its tag says how it was made.
    """
    require_one_output(output)
    format_for(output, to_format, "run")  # before the work: a wrong ending should not cost it
    if not overwrite:
        require_new(output)
    fused = fuse(list(runs), weights=None if weights is None else _weights(weights), **choices)
    left_out = write_run(fused, output, to_format, lossy=lossy, overwrite=overwrite)
    queries = counted(len(fused.queries), "query")
    num_runs = sum(len(files_of(run)) for run in runs)
    print_beside(fused, f"{num_runs} runs fused by {fused.tag}: {queries}, {len(fused.docs)} documents")
    for thing in left_out:
        click.echo(f"left out: {thing}", err=True)


def _weights(text: str) -> dict[str, float]:
    found: dict[str, float] = {}
    for part in text.split(","):
        name, _, number = part.strip().rpartition("=")
        try:
            weight = float(number)
        except ValueError:
            name = ""
        if not name:
            raise GermaneError(f"expected weights such as bm25=.7,dense=.3, found {part.strip()!r} in {text!r}")
        if name in found:
            raise GermaneError(f"{name} has two weights, {found[name]:g} and {weight:g}")
        found[name] = weight
    return found
