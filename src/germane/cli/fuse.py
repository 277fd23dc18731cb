"""``germane fuse``: several runs into one."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from typing import get_args

import click

from germane.api.fusing import fuse
from germane.cli.commanding import make_command
from germane.cli.vocabulary import folders_option, list_option, run_format_option, shared
from germane.errors import GermaneError
from germane.formats.registry import format_for, write_run
from germane.formats.run_folders import files_of
from germane.formats.targets import require_new
from germane.report.notes import print_notes
from germane.retrieval.fusion import Method, Normalisation, all_methods, all_normalisations
from germane.retrieval.fusion.fusing import DEFAULT_NORMALISATION
from germane.retrieval.fusion.lists import RunTies
from germane.tables.counted import counted

NORMALISATIONS = ", ".join(entry.name for entry in all_normalisations())
BY_SCORE = ", ".join(method.name for method in all_methods() if method.uses == "scores")
WITH_WEIGHTS = ", ".join(method.name for method in all_methods() if method.weights != "refused")


def _print_all() -> None:
    click.echo(f"Methods\n\n{_pages(all_methods())}\nNormalisations\n\n{_pages(all_normalisations())}", nl=False)


@make_command(
    "fuse",
    examples=[
        "germane fuse system1.run system2.run -o both.run",
        "germane fuse system1.run system2.run --method weighted --weights system1=.7,system2=.3 -o weighted.run",
        "germane fuse --list",
    ],
)
@click.argument("runs", nargs=-1, required=True)
@shared("--output", required=True)
@shared("--method", default="rrf")
@click.option(
    "--weights",
    metavar="RUN=WEIGHT,…",
    help=f"A weight for each run, which goes by its file's name without endings; for {WITH_WEIGHTS}.",
)
@click.option(
    "--normalise",
    "--normalize",
    metavar="NAME",
    help=f"How the scores of each run and query are made comparable, for {BY_SCORE}: one of {NORMALISATIONS}.  "
    f"[default: {DEFAULT_NORMALISATION}]",
)
@shared("--depth", otherwise="all of it")
@shared("--top", "keep", otherwise="all")
@shared("--ties", type=click.Choice(get_args(RunTies)), default="docno")
@run_format_option
@folders_option
@shared("--to", "to_format", otherwise="told from the file's name")
@shared("--lossy")
@shared("--overwrite")
@list_option(_print_all)
def command(
    runs: tuple[str, ...],
    output: str,
    method: str,
    weights: str | None,
    normalise: str | None,
    depth: int | None,
    keep: int | None,
    ties: RunTies,
    run_format: str | None,
    to_format: str | None,
    lossy: bool,
    overwrite: bool,
) -> None:
    """Fuse RUNS into one run, which --output is the file of; - prints it.

    Each run is ordered as in evaluation: score descending, ties by document id. A query that some runs lack is fused
    from those that have it. The documents of the fused run are all that any run has, and its tag says how it was made.
    """
    format_for(output, to_format, "run")  # before the work: a wrong ending should not cost it
    if not overwrite:
        require_new(output)
    fused = fuse(
        list(runs),
        method,
        weights=None if weights is None else _weights(weights),
        normalise=normalise,
        depth=depth,
        keep=keep,
        ties=ties,
        run_format=run_format,
    )
    left_out = write_run(fused, output, to_format, lossy=lossy, new=not overwrite)
    queries = counted(len(fused.queries), "query")
    num_runs = sum(len(files_of(run)) for run in runs)
    click.echo(f"{num_runs} runs fused by {fused.tag}: {queries}, {len(fused.docs)} documents", err=True)
    for thing in left_out:
        click.echo(f"left out: {thing}", err=True)
    print_notes(fused.notes)


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


def _pages(entries: Sequence[Method] | Sequence[Normalisation]) -> str:
    return "\n".join(map(_page, entries))


def _page(entry: Method | Normalisation) -> str:
    facts = dict(entry.sections)
    if isinstance(entry, Method):
        facts["Looks at"] = entry.uses
        facts["Weights"] = entry.weights
        facts["Parameters"] = ", ".join(f"{name} = {value:g}" for name, value in entry.parameters.items()) or "none"
        facts["Unanimity"] = {
            "always": "kept: a document that no run puts below another does not score less (scores from 0 on)",
            "complete": "kept where every run has both documents",
        }[entry.unanimity]
    lines = (
        textwrap.fill(text, width=100, initial_indent=f"  {title + ':':<11} ", subsequent_indent=" " * 14)
        for title, text in facts.items()
    )
    return f"{entry.name}: {entry.summary}\n" + "".join(f"{line}\n" for line in lines)
