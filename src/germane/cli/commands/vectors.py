"""`germane vectors`: evaluate embeddings by exact search, against judgments or labels."""

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
    "Query vectors, one per row; may be repeated, each with a --docs, for several embeddings.",
    "FILE.npy",
    multiple=True,
    required=True,
)
@option("--docs", "Document vectors; may be repeated.  [default: the queries]", "FILE.npy", multiple=True)
@option("--query-ids", "Query ids, one per line, or .npy.  [default: row numbers]", "FILE")
@option("--doc-ids", "Document ids, one per line, or .npy.  [default: row numbers]", "FILE")
@option("--similarity", "Similarity of vectors.", list(SIMILARITIES), default="cosine")
@option(
    "--dtype",
    "Data type, if the file does not record it: bfloat16 (stored as 16-bit integers) or binary (stored as bytes).",
    KINDS,
)
@option(
    "--device",
    "Where to compute: cpu, cuda (cuda:1 for the second GPU), or torch (PyTorch on the CPU).",
    "DEVICE",
    default="cpu",
)
@click.option(
    "--exclude-self/--include-self",
    default=None,
    help="Whether to exclude the document with the query's own id.  [default: exclude without --docs]",
)
@option(
    "--query-labels",
    "Query labels instead of QRELS, one per line, or .npy; documents with the same label are relevant.",
    "FILE",
)
@option("--doc-labels", "Document labels, one per line, or .npy.", "FILE")
@option(
    "--query-cameras",
    "Query cameras; documents with the same label and camera are excluded from the ranking.",
    "FILE",
)
@option("--doc-cameras", "Document cameras.", "FILE")
@option(
    "--junk-label junk_labels",
    "Exclude documents with this label from all rankings; may be repeated.",
    "LABEL",
    multiple=True,
)
@shared("--no-relevant", default="keep")
@scoring_options
@input_options_but(
    "score-type", "trec-version", "run-format", ties=[rule for rule in TIES if rule != "rank"]
)  # vectors have no rank column
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
    """Evaluate embeddings by exact search: rank all documents for every query, without an index or a cutoff.

    Vectors are matrices saved by NumPy, one vector per row; they are memory-mapped and may be larger than memory.
    Relevance comes from QRELS or from labels, as in metric learning and re-identification. Measures may have the names
    used there: CMC@k, mAP, MAP@R and the like.

    With --output, write the exact top K as a run (-k, 1000 by default); - prints it. With --approximate, compare the
    results of an approximate index with the exact top K (10 by default).
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
        raise GermaneError("expected judgments or labels, found neither", hint="add QRELS, or use --query-labels FILE")
    with progress("documents") as advance:
        scores = evaluate(qrels, _embeddings(queries, docs), progress=advance, **choices)
    scoring.print(scores)


def _embeddings(queries: tuple[str, ...], docs: tuple[str, ...]) -> dict[str, Any]:
    """Return the embeddings by name: that of the document file, or of the query file without one; with its folder if
    two have the same name."""
    if docs and len(docs) != len(queries):
        hint = "use one --queries and one --docs per embedding"
        raise GermaneError(f"expected as many --docs as --queries, found {len(docs)} and {len(queries)}", hint=hint)
    for paths in (docs, queries):
        for name in (lambda path: path.stem, lambda path: str(path.with_suffix(""))):
            names = [name(Path(path)) for path in paths]
            if paths and len(set(names)) == len(names):
                return dict(zip(names, zip(queries, docs, strict=True) if docs else queries, strict=True))
    raise GermaneError(f"duplicate embedding {queries[0]}", hint="use a different file for each embedding")
