"""The exact top k of `germane vectors`: write it as a run, or compare approximate indexes with it."""

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
from germane.output.rendering.messages import print_message
from germane.output.rendering.progress import progress
from germane.tables.notes.counts import counted

VECTORS = ("similarity", "dtype", "query_ids", "doc_ids", "exclude_self", "ties")
"""Options for what the vectors are and how to compare them."""

nearest_options = together(
    shared("--top", otherwise="1000 for --output, 10 for --approximate"),
    shared("--output"),
    shared("--overwrite"),
    option(
        "--approximate",
        "Run of an approximate index, or .npy file of the rows it returned: report its recall of the exact top K and, "
        "with QRELS, its loss in nDCG@K (or -m); may be repeated.",
        "FILE",
        multiple=True,
    ),
)
"""Options for the exact top k."""


def require_one_use(top: int | None, output: str | None, approximate: tuple[str, ...], *, overwrite: bool) -> None:
    """Refuse options that would have no effect."""
    if output is not None and approximate:
        raise GermaneError("--output cannot be combined with --approximate", hint="run the command once for each")
    if overwrite and output is None:
        raise GermaneError("--overwrite requires --output", hint="add -o FILE, or remove --overwrite")
    if top is not None and output is None and not approximate:
        raise GermaneError("--top requires --output or --approximate", hint="for a cutoff in a measure, write nDCG@10")


def write_top(embeddings: Any, top: int | None, output: str, choices: dict[str, Any], *, overwrite: bool) -> None:
    """Write the exact top k as a run."""
    _require_only(("queries", "docs", "top", "output", "overwrite"), "--output", choices["ties"])
    format_for(output, None, "run")  # report a wrong file extension before the work, not after it
    if not overwrite:
        require_new(output)
    with progress("documents") as advance:
        run = nearest(embeddings, k=top or 1000, progress=advance, **{name: choices[name] for name in VECTORS})
    write_run(run, output, overwrite=overwrite)
    if output != STDIN:
        print_message(f"{output}: {counted(len(run.docs), 'document')} for {counted(len(run.queries), 'query')}")


def measure_approximation(
    qrels: str | None, embeddings: Any, top: int | None, approximate: tuple[str, ...], choices: dict[str, Any]
) -> None:
    """Print the recall of approximate indexes and, with judgments, their loss in quality."""
    used = ("qrels", "queries", "docs", "top", "approximate", "measures", "interval", "level", "seed")
    _require_only((*used, *OPTIONS), "--approximate", choices["ties"])
    names = [Path(path).stem for path in approximate]
    if len(set(names)) < len(names):
        raise GermaneError(f"duplicate file name {names[0]!r}", hint="rename one of the files")
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
    """Refuse options that would have no effect."""
    for name, parameter in given().items():
        if name not in (*VECTORS, *used):
            shown = parameter.opts[0] if isinstance(parameter, click.Option) else name.upper()
            raise GermaneError(f"{shown} is not supported with {what}", hint=f"remove {shown}")
    if ties not in ("docno", "order"):
        raise GermaneError(f"--ties {ties} is not supported with {what}", hint="use --ties docno or --ties order")
