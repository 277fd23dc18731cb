"""``germane fuse``: fuse several runs into one."""

from __future__ import annotations

from typing import Any, get_args

import click

from germane.api.retrieval.fusion import fuse
from germane.cli.options.printing import print_beside, printing, require_output, result_options
from germane.cli.options.spark_options import require_spark, runs_on, spark_options
from germane.cli.options.vocabulary import folders_option, list_option, option, run_format_option, shared
from germane.cli.shell.command_class import make_command
from germane.distributed.spark_run import FusedFrame
from germane.errors import GermaneError
from germane.formats.files.part_folders import files_of
from germane.formats.files.sources import STDIN
from germane.formats.files.targets import require_new
from germane.formats.rankings.ranking_files import format_for, write_run
from germane.output.rendering.messages import print_message
from germane.output.rendering.notes import print_notes
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
    "germane fuse system1.run system2.run --method weighted --weights system1=0.7,system2=0.3 -o weighted.run",
    "germane fuse --list",
)
@click.argument("runs", nargs=-1, required=True)
@shared("--output", required=True)
@shared("--method", default="rrf")
@option(
    "--weights",
    f"Weight of each run, named by its file without extensions; for {WITH_WEIGHTS}.",
    "RUN=WEIGHT,…",
)
@option(
    "--normalise --normalize",
    f"Score normalisation per run and query, for {BY_SCORE} (see --list).  [default: {DEFAULT_NORMALISATION}]",
    "NAME",
)
@shared("--depth", otherwise="all")
@shared("--top", "k", otherwise="all")
@shared("--ties", type=click.Choice(get_args(RunTies)), default="docno")
@run_format_option
@folders_option
@shared("--to", "to_format", otherwise="inferred from the file name")
@shared("--lossy")
@shared("--overwrite")
@list_option(lambda width: f"Methods\n\n{pages(FUSION, width)}\nNormalisations\n\n{pages(NORMALISATIONS, width)}")
@result_options
@spark_options
def command(
    runs: tuple[str, ...],
    output: str,
    weights: str | None,
    to_format: str | None,
    lossy: bool,
    overwrite: bool,
    engine: str,
    master: str | None,
    **choices: Any,
) -> None:
    """Fuse RUNS and write the result to --output (- for standard output).

    Each run is ordered as in evaluation: by descending score, ties broken by --ties. A query missing from some runs is
    fused from the others. The fused run contains every document of any run, and its tag states the method.

    With --engine spark, runs are paths, patterns or addresses of files that Spark reads, and so is --output: a folder
    of Parquet, ORC, JSON or CSV files, which Spark writes.
    """
    require_output(output, "rankings")
    choices["weights"] = None if weights is None else _weights(weights)
    if require_spark(engine, master):
        _fuse_on_spark(runs, output, to_format, master, lossy=lossy, overwrite=overwrite, **choices)
        return
    format_for(output, to_format, "run")  # report a wrong file extension before the work, not after it
    if not overwrite:
        require_new(output)
    fused = fuse(list(runs), **choices)
    left_out = write_run(fused, output, to_format, lossy=lossy, overwrite=overwrite)
    queries = counted(len(fused.queries), "query")
    num_runs = sum(len(files_of(run)) for run in runs)
    print_beside(fused, f"{num_runs} runs fused by {fused.tag}: {queries}, {counted(len(fused.docs), 'document')}")
    for thing in left_out:
        print_message(f"dropped: {thing}")


def _fuse_on_spark(
    runs: tuple[str, ...],
    output: str,
    to_format: str | None,
    master: str | None,
    *,
    lossy: bool,
    overwrite: bool,
    **choices: Any,
) -> None:
    from germane.distributed.reading import format_of
    from germane.distributed.writing import write_frame

    if output == STDIN or printing().is_asked or lossy:
        refused = "--output -" if output == STDIN else "--lossy" if lossy else "--format"
        hint = "write to a path or address: -o FOLDER.parquet" if output == STDIN else f"remove {refused}"
        raise GermaneError(f"{refused} is not supported with --engine spark", hint=hint)
    if output in runs:
        raise GermaneError(f"expected another --output than the runs, found {output}", hint="choose another name")
    file_format = format_of(output, to_format, hint="use --to, for example --to parquet")
    with runs_on("spark", master, runs, choices["run_format"], choices["ties"]) as sources:
        fused: FusedFrame = fuse(sources, **choices)
        write_frame(fused.frame, output, file_format, overwrite=overwrite)
        queries, documents = counted(fused.num_queries, "query"), counted(fused.num_docs, "document")
        print_message(f"{len(sources)} runs fused by {fused.tag}: {queries}, {documents}")
        print_notes(fused.notes, explain=printing().notes)


def _weights(text: str) -> dict[str, float]:
    found: dict[str, float] = {}
    for part in text.split(","):
        name, _, number = part.strip().rpartition("=")
        try:
            weight = float(number)
        except ValueError:
            name = ""
        if not name:
            raise GermaneError(f"expected weights such as bm25=0.7,dense=0.3, found {part.strip()!r} in {text!r}")
        if name in found:
            raise GermaneError(
                f"duplicate weight for {name}: {found[name]:g} and {weight:g}", hint="remove one of them"
            )
        found[name] = weight
    return found
