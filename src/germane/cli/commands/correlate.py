"""`germane correlate`: how far two rankings agree, or two measures over the same systems."""

from __future__ import annotations

import shlex
from pathlib import Path

import click
from click.core import ParameterSource

from germane.api.rankings.correlation import MATRIX_COEFFICIENTS, RankingKind, correlate, kind_of_both
from germane.api.rankings.evaluation import DEFAULT_MEASURES, evaluate
from germane.cli.options.inputs import input_options
from germane.cli.options.printing import print_result, result_options
from germane.cli.options.vocabulary import BETWEEN_0_AND_1, list_option, option, shared
from germane.cli.shell.command_class import make_command
from germane.errors import GermaneError, InputError
from germane.formats.files.part_folders import is_folder, parts_of
from germane.formats.files.sources import STDIN
from germane.output.texts.pages import pages
from germane.stats.rankings.coefficients import COEFFICIENTS, DEFAULT_P
from germane.stats.rankings.correlations import DEFAULT_COEFFICIENTS, Missing

ONLY_WITH_QRELS = {
    "ties": "--ties",
    "score_type": "--score-type",
    "trec_version": "--trec-version",
    "scale": "--scale",
    "collection_size": "--collection-size",
    "qrels_format": "--qrels-format",
}


@make_command(
    "correlate",
    "germane correlate system1.run system2.run",
    "germane correlate system1.run system2.run --coefficient rbo-a --p .8 -q",
    "germane correlate --qrels qrels.txt system1.run system2.run -m 'AP RR nDCG@10'",
)
@click.argument("files", nargs=-1, required=True)
@shared("--qrels")
@shared("--measure", "measures", multiple=True, otherwise=f"{' '.join(DEFAULT_MEASURES)}; all of a leaderboard")
@option(
    "--coefficient coefficients",
    f"One or more of {', '.join(COEFFICIENTS.names)}; may be repeated.  "
    f"[default: {' '.join(DEFAULT_COEFFICIENTS)}; {' '.join(MATRIX_COEFFICIENTS)} between measures]",
    "NAME",
    multiple=True,
)
@list_option(lambda: pages(COEFFICIENTS))
@option(
    "--p", "Persistence of RBO: the nearer to 1, the deeper it looks.", "SHARE", type=BETWEEN_0_AND_1, default=DEFAULT_P
)
@shared("--depth", otherwise="all of it; what is tied with the last counts")
@option(
    "--missing",
    "What one ranking lacks: appended at its end in the other's order, or left out of both.  "
    "[default: append for runs, common for leaderboards]",
    ["append", "common"],
)
@shared("--kind", type=click.Choice(["run", "leaderboard"]), otherwise="told from their content")
@shared("--per-query")
@result_options
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
    kind: RankingKind | None,
    per_query: bool,
    **inputs: object,
) -> None:
    """Correlate two rankings A and B, or measures over systems.

    A and B are two runs, compared query by query, or two leaderboards: files with a value for each system, such as
    `germane eval` writes with --format csv or json. With --qrels, FILES are runs, and each two measures are compared by
    the order in which they put them. --measure names these, or the columns of leaderboards; -q is for two runs.
    """
    if qrels is not None:
        for name, option in {"missing": "--missing", "kind": "--kind", "per_query": "-q"}.items():
            _refuse(ctx, name, option, "is for two rankings, not for measures over systems (--qrels)")
        scores = evaluate(qrels, list(files), measures or DEFAULT_MEASURES, **inputs)  # type: ignore[arg-type]
        found = correlate(scores, coefficients=coefficients, p=p, depth=depth)
    else:
        for name, option in ONLY_WITH_QRELS.items():
            _refuse(ctx, name, option, "goes with --qrels QRELS")
        a, b = _two(_without_folders(files))
        chosen = kind or kind_of_both(a, b)
        if chosen == "run":
            _refuse(ctx, "measures", "-m", "goes with --qrels QRELS, or with two leaderboards")
        else:
            _refuse(ctx, "per_query", "-q", "goes with two runs")
        found = correlate(
            a,
            b,
            coefficients,
            kind=chosen,
            measures=measures,
            p=p,
            depth=depth,
            missing=missing,
            run_format=inputs["run_format"],  # type: ignore[arg-type]
        )
    print_result(found, per_query=per_query)


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


def _refuse(ctx: click.Context, name: str, option: str, why: str) -> None:
    """An option that would change nothing was a slip."""
    if ctx.get_parameter_source(name) == ParameterSource.COMMANDLINE:
        raise GermaneError(f"{option} {why}")
