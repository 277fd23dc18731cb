"""`germane vectors`: score embeddings exactly, against judgments or labels."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from germane.api.vectors.evaluation import evaluate
from germane.cli.loops.vectors_nearest import measure_approximation, nearest_options, require_one_use, write_top
from germane.cli.options.inputs import TIES, input_options_but
from germane.cli.options.scoring_options import Scoring, scoring_options
from germane.cli.options.vocabulary import option, shared
from germane.cli.shell.command_class import make_command
from germane.errors import GermaneError
from germane.output.rendering.progress import progress
from germane.vectors.matrix import KINDS
from germane.vectors.similarity import SIMILARITIES


@make_command(
    "vectors",
    "germane vectors qrels.txt --queries queries.npy --docs docs.npy --query-ids queries.txt --doc-ids docs.txt",
    "germane vectors --queries vectors.npy --query-labels labels.txt -m 'P@1 mAP'",
    "germane vectors --queries queries.npy --docs docs.npy -k 10 -o exact.run",
)
@click.argument("qrels", required=False)
@option(
    "--queries",
    "The vectors of the queries, one to a row; may be repeated, with a --docs each, for several embeddings.",
    "FILE.npy",
    multiple=True,
    required=True,
)
@option("--docs", "The vectors of the documents.  [default: the queries are the documents]", "FILE.npy", multiple=True)
@option("--query-ids", "Ids of the queries, one to a line, or .npy.  [default: row numbers]", "FILE")
@option("--doc-ids", "Ids of the documents, in the same form.  [default: row numbers]", "FILE")
@option("--similarity", "How vectors are compared.", list(SIMILARITIES), default="cosine")
@option(
    "--dtype",
    "What whole numbers stand for, which the file does not say: bfloat16 (16-bit numbers) or binary (bytes).",
    KINDS,
)
@option(
    "--device",
    "Where to multiply: cpu; cuda, or cuda:1 for the second GPU; torch, which is torch on the processor.",
    "DEVICE",
    default="cpu",
)
@click.option(
    "--exclude-self/--include-self",
    default=None,
    help="Whether the document of the query's own id is left out of its ranking.  [default: it is, without --docs]",
)
@option(
    "--query-labels",
    "In place of QRELS, labels of the queries, one to a line, or .npy: documents of the same label are relevant.",
    "FILE",
)
@option("--doc-labels", "Labels of the documents, in the same form.", "FILE")
@option(
    "--query-cameras",
    "With labels, cameras of the queries: documents of the same label and camera are left out of the ranking.",
    "FILE",
)
@option("--doc-cameras", "Cameras of the documents.", "FILE")
@option(
    "--junk-label junk_labels",
    "Documents of this label are left out of all rankings; may be repeated.",
    "LABEL",
    multiple=True,
)
@shared("--no-relevant", default="keep")
@scoring_options
@input_options_but(
    "score-type", "trec-version", "run-format", ties=[rule for rule in TIES if rule != "rank"]
)  # no such column
@nearest_options
def command(
    qrels: str | None,
    queries: tuple[str, ...],
    docs: tuple[str, ...],
    top: int | None,
    output: str | None,
    approximate: tuple[str, ...],
    overwrite: bool,
    **choices: Any,
) -> None:
    """Score embeddings exactly: all documents are ranked for every query, with no index and no cutoff.

    Vectors are matrices saved by NumPy, one vector to a row; they are mapped and may be larger than memory. Relevance
    comes from the judgments in QRELS or, without it, from labels: as in metric learning and re-identification. CMC@k,
    mAP, MAP@R and the like can be asked for by these names.

    With --output, the exact top K is written as a run (-k, 1000 by default); - prints it. With --approximate, what an
    index found is held against the exact top K (10 by default).
    """
    require_one_use(top, output, approximate, overwrite=overwrite)
    if output is not None:
        write_top(_embeddings(queries, docs), top, output, choices, overwrite=overwrite)
        return
    if approximate:
        measure_approximation(qrels, _embeddings(queries, docs), top, approximate, choices)
        return
    scoring = Scoring(choices)
    if qrels is None and choices["query_labels"] is None and choices["doc_labels"] is None:
        raise GermaneError("expected judgments or labels, found neither", hint="name QRELS, or give --query-labels")
    with progress("documents") as advance:
        scores = evaluate(qrels, _embeddings(queries, docs), progress=advance, **choices)
    scoring.print(scores)


def _embeddings(queries: tuple[str, ...], docs: tuple[str, ...]) -> dict[str, Any]:
    """The embeddings by name: that of the file with the documents, else of the queries; with folders where names are
    the same."""
    if docs and len(docs) != len(queries):
        hint = "each embedding has a --queries and a --docs"
        raise GermaneError(f"expected as many --docs as --queries, found {len(docs)} and {len(queries)}", hint=hint)
    for paths in (docs, queries):
        for name in (lambda path: path.stem, lambda path: str(path.with_suffix(""))):
            names = [name(Path(path)) for path in paths]
            if paths and len(set(names)) == len(names):
                return dict(zip(names, zip(queries, docs, strict=True) if docs else queries, strict=True))
    raise GermaneError("expected different files for different embeddings", hint=f"found {queries[0]} more than once")
