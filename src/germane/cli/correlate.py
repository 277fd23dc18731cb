"""`germane correlate`: how far two rankings agree, or two measures over the same systems."""

from __future__ import annotations

import shlex
from dataclasses import replace
from pathlib import Path

import click
from click.core import ParameterSource

from germane.api.evaluating import DEFAULT_MEASURES, evaluate
from germane.cli.commanding import make_command
from germane.cli.options import input_options
from germane.cli.vocabulary import BETWEEN_0_AND_1, digits_option, format_option, list_option, shared
from germane.errors import GermaneError, InputError
from germane.formats.leaderboard import is_leaderboard, read_leaderboard
from germane.formats.part_folders import is_folder, parts_of
from germane.formats.sources import STDIN, display_name
from germane.measures.names import asked_measures
from germane.report.correlation_tables import STYLES, coefficient_list, render_correlations
from germane.report.notes import print_notes
from germane.stats.agreement_of_rankings import (
    MeasureCorrelations,
    between_leaderboards,
    between_measures,
    between_runs,
)
from germane.stats.coefficients import DEFAULT_P, all_coefficients
from germane.stats.correlations import DEFAULT_COEFFICIENTS, Correlations, Missing

MATRIX_COEFFICIENTS = ("tau-b",)
ONLY_WITH_QRELS = {
    "ties": "--ties",
    "scores": "--scores",
    "trec_version": "--trec-version",
    "scale": "--scale",
    "collection_size": "--collection-size",
    "qrels_format": "--qrels-format",
}


@make_command(
    "correlate",
    examples=[
        "germane correlate system1.run system2.run",
        "germane correlate system1.run system2.run --coefficient rbo-a --p .8 -q",
        "germane correlate --qrels qrels.txt system1.run system2.run -m 'AP RR nDCG@10'",
    ],
)
@click.argument("files", nargs=-1, required=True)
@shared("--qrels")
@shared("--measure", "measures", multiple=True, otherwise=f"{' '.join(DEFAULT_MEASURES)}; all of a leaderboard")
@click.option(
    "--coefficient",
    "coefficients",
    multiple=True,
    metavar="NAME",
    help=f"One or more of {', '.join(entry.name for entry in all_coefficients())}; may be repeated.  "
    f"[default: {' '.join(DEFAULT_COEFFICIENTS)}; {' '.join(MATRIX_COEFFICIENTS)} between measures]",
)
@list_option(lambda: click.echo(coefficient_list(all_coefficients()), nl=False))
@click.option(
    "--p",
    metavar="SHARE",
    type=BETWEEN_0_AND_1,
    default=DEFAULT_P,
    show_default=True,
    help="Persistence of RBO: the nearer to 1, the deeper it looks.",
)
@shared("--depth", otherwise="all of it; what is tied with the last counts")
@click.option(
    "--missing",
    type=click.Choice(["append", "common"]),
    help="What one ranking lacks: appended at its end in the other's order, or left out of both.  "
    "[default: append for runs, common for leaderboards]",
)
@shared("--kind", type=click.Choice(["run", "leaderboard"]), otherwise="told from their content")
@shared("--per-query")
@format_option(STYLES)
@digits_option
@input_options
@click.pass_context
def command(
    ctx: click.Context,
    /,
    files: tuple[str, ...],
    qrels: str | None,
    measures: tuple[str, ...],
    coefficients: tuple[str, ...],
    p: float,
    depth: int | None,
    missing: Missing | None,
    kind: str | None,
    per_query: bool,
    style: str,
    digits: int,
    **inputs: object,
) -> None:
    """Correlate two rankings A and B, or measures over systems.

    A and B are two runs, compared query by query, or two leaderboards: files with a value for each system, such as
    `germane eval` writes with --format csv or json. With --qrels, FILES are runs, and each two measures are compared by
    the order in which they put them. --measure names these, or the columns of leaderboards; -q is for two runs.
    """
    found: Correlations | MeasureCorrelations
    if qrels is not None:
        for name, option in {"missing": "--missing", "kind": "--kind", "per_query": "-q"}.items():
            _refuse(ctx, name, option, "is for two rankings, not for measures over systems (--qrels)")
        scores = evaluate(qrels, list(files), measures or DEFAULT_MEASURES, **inputs)  # type: ignore[arg-type]
        found = between_measures(scores, coefficients or MATRIX_COEFFICIENTS, p=p, depth=depth)
    else:
        for name, option in ONLY_WITH_QRELS.items():
            _refuse(ctx, name, option, "goes with --qrels QRELS")
        asked = coefficients or DEFAULT_COEFFICIENTS
        a, b = _two(_without_folders(files))
        if _kind(a, b, kind) == "run":
            _refuse(ctx, "measures", "-m", "goes with --qrels QRELS, or with two leaderboards")
            found = _correlate_runs(a, b, inputs["run_format"], asked, p, depth, missing or "append")
        else:
            _refuse(ctx, "per_query", "-q", "goes with two runs")
            columns = list(asked_columns(measures))
            found = between_leaderboards(
                read_leaderboard(a),
                read_leaderboard(b),
                asked,
                names=_names(a, b),
                measures=columns,
                p=p,
                depth=depth,
                missing=missing or "common",
            )
    click.echo(render_correlations(found, style, per_query=per_query, digits=digits), nl=False)
    if style != "json":
        print_notes(found.notes)


def _correlate_runs(
    a: str, b: str, run_format: object, asked: tuple[str, ...], p: float, depth: int | None, missing: Missing
) -> Correlations:
    from germane.formats.registry import read_run

    assert run_format is None or isinstance(run_format, str)
    first, second = (
        replace(read_run(path, format=run_format), name=name) for path, name in zip((a, b), _names(a, b), strict=True)
    )
    return between_runs(first, second, asked, p=p, depth=depth, missing=missing)


def asked_columns(measures: tuple[str, ...]) -> list[str]:
    """The columns of a leaderboard that were asked for: measures, or whatever else they are called."""
    columns = []
    for text in measures:
        try:
            columns += list(asked_measures(text))
        except GermaneError:
            columns.append(text)
    return columns


def _without_folders(files: tuple[str, ...]) -> tuple[str, ...]:
    """A folder of runs can only be meant for measures over systems."""
    for folder in (file for file in files if is_folder(file) and parts_of(file) is None):
        qrels = next((file for file in files if file != folder and not Path(file).is_dir()), "QRELS")
        hint = f"to rank runs by measures: {shlex.join(('germane', 'correlate', '--qrels', qrels, folder))}"
        raise InputError(folder, None, "expected a file, found a folder", hint=hint)
    return files


def _two(files: tuple[str, ...]) -> tuple[str, str]:
    if len(files) != 2:
        hint = "to correlate measures over several systems, name the judgments: --qrels QRELS"
        raise GermaneError(f"expected two files to compare, found {len(files)}", hint=hint)
    if files[0] == files[1] == STDIN:
        raise GermaneError("expected two files to compare, found standard input twice")
    return files[0], files[1]


def _kind(a: str, b: str, told: str | None) -> str:
    """What the two files are; standard input, which can be read only once, is what the other one is."""
    if told is not None:
        return told
    kinds = {path: "leaderboard" if is_leaderboard(path) else "run" for path in (a, b) if path != STDIN}
    if len(set(kinds.values())) > 1:
        found = ", ".join(f"{path} looks like a {kind}" for path, kind in kinds.items())
        raise GermaneError(f"expected two runs or two leaderboards: {found}", hint="--kind run or leaderboard decides")
    return next(iter(kinds.values()))


def _names(a: str, b: str) -> tuple[str, str]:
    first, second = display_name(a), display_name(b)
    return (first, second) if first != second else (a, b)


def _refuse(ctx: click.Context, name: str, option: str, why: str) -> None:
    """An option that would change nothing was a slip."""
    if ctx.get_parameter_source(name) == ParameterSource.COMMANDLINE:
        raise GermaneError(f"{option} {why}")
