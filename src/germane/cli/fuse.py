"""``germane fuse``: several runs into one."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from pathlib import Path
from typing import get_args

import click

from germane.api.fusing import fuse
from germane.errors import GermaneError
from germane.formats.registry import format_for, write_run
from germane.formats.sources import STDIN
from germane.report.notes import print_notes
from germane.retrieval.fusion import Method, Normalisation, all_methods, all_normalisations
from germane.retrieval.fusion.fusing import DEFAULT_NORMALISATION
from germane.retrieval.fusion.lists import RunTies

METHODS = ", ".join(method.name for method in all_methods())
NORMALISATIONS = ", ".join(entry.name for entry in all_normalisations())
BY_SCORE = ", ".join(method.name for method in all_methods() if method.uses == "scores")
WITH_WEIGHTS = ", ".join(method.name for method in all_methods() if method.weights != "refused")


def _list_methods(ctx: click.Context, _: click.Parameter, asked: bool) -> None:
    if asked:
        click.echo(f"Methods\n\n{_pages(all_methods())}\nNormalisations\n\n{_pages(all_normalisations())}", nl=False)
        ctx.exit()


@click.command("fuse")
@click.argument("runs", nargs=-1, required=True)
@click.option("-o", "--output", required=True, metavar="FILE", help="The run to write; - prints it.")
@click.option(
    "--method", default="rrf", show_default=True, help=f"One of {METHODS}; parameters as in 'rrf(k=10)' or 'rbc(p=.9)'."
)
@click.option("--k", type=float, help="The k of rrf.  [default: 60]")
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
@click.option("--depth", type=click.IntRange(1), help="How deep to look into each run.  [default: all of it]")
@click.option("--keep", type=click.IntRange(1), help="The most documents per query to write.  [default: all]")
@click.option(
    "--ties",
    type=click.Choice(get_args(RunTies)),
    default="docno",
    show_default=True,
    help="How documents of equal score in a run are ordered: by id as evaluation does, as they come, or by the rank "
    "column.",
)
@click.option("--run-format", metavar="FORMAT", help="The format of the runs.  [default: told from their content]")
@click.option("--to", "to_format", metavar="FORMAT", help="The format of FILE; by default what its name ends with.")
@click.option("--lossy", is_flag=True, help="Leave out what the format of FILE cannot hold, and say what that was.")
@click.option("--overwrite", is_flag=True, help="Replace FILE if there is such a file already.")
@click.option(
    "--methods",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_list_methods,
    help="Say all about every method and normalisation, and stop.",
)
def command(
    runs: tuple[str, ...],
    output: str,
    method: str,
    k: float | None,
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
    """Fuse RUNS into one run.

    Each run is ordered as in evaluation: score descending, ties by document id. A query that some runs lack is fused
    from those that have it. The documents of the fused run are all that any run has, and its tag says how it was made.
    """
    format_for(output, to_format, "run")  # before the work: a wrong ending should not cost it
    if output != STDIN and Path(output).exists() and not overwrite:
        raise GermaneError(f"{output} is there already", hint="--overwrite replaces it")
    fused = fuse(
        list(runs),
        method,
        k=k,
        weights=None if weights is None else _weights(weights),
        normalise=normalise,
        depth=depth,
        keep=keep,
        ties=ties,
        run_format=run_format,
    )
    left_out = write_run(fused, output, to_format, lossy=lossy)
    queries = f"{len(fused.queries)} quer{'y' if len(fused.queries) == 1 else 'ies'}"
    click.echo(f"{len(runs)} runs fused by {fused.tag}: {queries}, {len(fused.docs)} documents", err=True)
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
