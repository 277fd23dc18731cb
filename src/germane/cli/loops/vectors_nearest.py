"""What `germane vectors` does with the exact top k: write it as a run, or hold approximate indexes against it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from germane.api.vectors.approximation import approximation
from germane.api.vectors.nearest import nearest
from germane.cli.options.printing import OPTIONS, print_result
from germane.cli.options.vocabulary import given, option, shared, together
from germane.errors import GermaneError
from germane.formats.files.sources import STDIN
from germane.formats.files.targets import require_new
from germane.formats.rankings.ranking_files import format_for, write_run
from germane.output.rendering.progress import progress

VECTORS = ("similarity", "dtype", "query_ids", "doc_ids", "exclude_self", "ties")
"""The options that say what the vectors are and how they are compared."""

nearest_options = together(
    shared("--top", otherwise="1000 for --output, 10 for --approximate"),
    shared("--output"),
    shared("--overwrite"),
    option(
        "--approximate",
        "The run of an approximate index, or a .npy file with the rows that it found: its recall of the exact "
        "top K and, with QRELS, what it costs in nDCG@K (or -m); may be repeated.",
        "FILE",
        multiple=True,
    ),
)
"""The options on the exact top k."""


def require_one_use(top: int | None, output: str | None, approximate: tuple[str, ...], *, overwrite: bool) -> None:
    """Refuse options that would do nothing."""
    if output is not None and approximate:
        raise GermaneError("--output writes a run, --approximate measures", hint="ask for one after the other")
    if overwrite and output is None:
        raise GermaneError("--overwrite goes with --output", hint="name the run to write: -o FILE")
    if top is not None and output is None and not approximate:
        raise GermaneError("--top goes with --output or --approximate", hint="scores need no cutoff: nDCG@10 has one")


def write_top(embeddings: Any, top: int | None, output: str, choices: dict[str, Any], *, overwrite: bool) -> None:
    """Write the exact top k as a run."""
    _require_only(("queries", "docs", "top", "output", "overwrite"), "--output", choices["ties"])
    format_for(output, None, "run")  # a slip in the name should be told before the work, not after
    if not overwrite:
        require_new(output)
    with progress("documents") as advance:
        run = nearest(embeddings, k=top or 1000, progress=advance, **{name: choices[name] for name in VECTORS})
    write_run(run, output, overwrite=overwrite)
    if output != STDIN:
        click.echo(f"{output}: {len(run.docs):,} documents for {len(run.queries):,} queries", err=True)


def measure_approximation(
    qrels: str | None, embeddings: Any, top: int | None, approximate: tuple[str, ...], choices: dict[str, Any]
) -> None:
    """Print the recall of approximate indexes and, with judgments, what they cost."""
    used = ("qrels", "queries", "docs", "top", "approximate", "measures", "interval", "level", "seed")
    _require_only((*used, *OPTIONS), "--approximate", choices["ties"])
    names = [Path(path).stem for path in approximate]
    if len(set(names)) < len(names):
        raise GermaneError("expected files of different names", hint=f"found {names[0]} twice")
    with progress("documents") as advance:
        found = approximation(
            dict(zip(names, approximate, strict=True)),
            embeddings,
            k=top or 10,
            qrels=qrels,
            measures=list(choices["measures"]) or None,
            interval=choices["interval"] or "t",
            level=0.95 if choices["level"] is None else choices["level"],
            seed=choices["seed"],
            progress=advance,
            **{name: choices[name] for name in VECTORS},
        )
    print_result(found)


def _require_only(used: tuple[str, ...], what: str, ties: str) -> None:
    """An option that would do nothing is an error."""
    for name, parameter in given().items():
        if name not in (*VECTORS, *used):
            shown = parameter.opts[0] if isinstance(parameter, click.Option) else name.upper()
            raise GermaneError(f"{shown} does nothing with {what}", hint="leave it out")
    if ties not in ("docno", "order"):
        raise GermaneError(f"--ties {ties} is about scores, not about one ranking", hint="docno or order")
