"""`germane correlate`: correlate two rankings, or measures over the same systems."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Any

import click

from germane.api.rankings.correlation import MATRIX_COEFFICIENTS, RankingKind, correlate, kind_of_both
from germane.api.rankings.evaluation import DEFAULT_MEASURES, evaluate
from germane.cli.options.inputs import input_options
from germane.cli.options.printing import print_result, result_options
from germane.cli.options.vocabulary import BETWEEN_0_AND_1, given, list_option, option, shared
from germane.cli.shell.command_class import make_command
from germane.errors import GermaneError, InputError
from germane.formats.files.part_folders import is_folder, parts_of
from germane.formats.files.sources import STDIN
from germane.output.texts.pages import pages
from germane.stats.rankings.coefficients import COEFFICIENTS, DEFAULT_P
from germane.stats.rankings.correlations import DEFAULT_COEFFICIENTS, Missing

ONLY_WITH_QRELS = ("ties", "score_type", "trec_version", "scale", "collection_size", "qrels_format")


@make_command(
    "correlate",
    "germane correlate system1.run system2.run",
    "germane correlate system1.run system2.run --coefficient rbo-a --p 0.8 -q",
    "germane correlate --qrels qrels.txt system1.run system2.run -m 'AP RR nDCG@10'",
)
@click.argument("files", nargs=-1, required=True)
@shared("--qrels")
@shared("--measure", "measures", multiple=True, otherwise=f"{' '.join(DEFAULT_MEASURES)}; all of a leaderboard")
@option(
    "--coefficient coefficients",
    "Correlation coefficient (see --list); may be repeated.  "
    f"[default: {' '.join(DEFAULT_COEFFICIENTS)}; {' '.join(MATRIX_COEFFICIENTS)} between measures]",
    "NAME",
    multiple=True,
)
@list_option(lambda width: pages(COEFFICIENTS, width))
@option(
    "--p",
    "Persistence of RBO; closer to 1 gives more weight to lower ranks.",
    "SHARE",
    type=BETWEEN_0_AND_1,
    default=DEFAULT_P,
)
@shared("--depth", otherwise="all; ties with the last rank count")
@option(
    "--missing",
    "Items missing from one ranking: append them in the other's order, or drop them from both.  "
    "[default: append for runs, common for leaderboards]",
    ["append", "common"],
)
@shared("--kind", type=click.Choice(["run", "leaderboard"]), otherwise="inferred from content")
@shared("--per-query")
@result_options
@input_options
def command(
    files: tuple[str, ...],
    qrels: str | None,
    measures: tuple[str, ...],
    missing: Missing | None,
    kind: RankingKind | None,
    per_query: bool,
    **choices: Any,
) -> None:
    """Correlate two rankings A and B, or measures over systems.

    A and B are two runs, compared query by query, or two leaderboards: files with one value per system, such as the
    output of `germane eval` with --format csv or json. With --qrels, FILES are runs, and each pair of measures is
    compared by how they rank the runs. --measure names those measures, or columns of leaderboards; -q is for two runs.
    """
    how = {name: choices.pop(name) for name in ("coefficients", "p", "depth")}
    if qrels is not None:
        _refuse("cannot be combined with --qrels", "missing", "kind", "per_query")
        found = correlate(evaluate(qrels, list(files), measures or DEFAULT_MEASURES, **choices), **how)
    else:
        _refuse("requires --qrels", *ONLY_WITH_QRELS)
        a, b = _two(_without_folders(files))
        chosen = kind or kind_of_both(a, b)
        if chosen == "run":
            _refuse("requires --qrels or two leaderboards", "measures")
        else:
            _refuse("requires two runs", "per_query")
        how |= {"missing": missing, "run_format": choices["run_format"]}
        found = correlate(a, b, kind=chosen, measures=measures, **how)
    print_result(found, per_query=per_query)


def _without_folders(files: tuple[str, ...]) -> tuple[str, ...]:
    """Refuse folders of runs, which make sense only for measures over systems."""
    for folder in (file for file in files if is_folder(file) and parts_of(file) is None):
        qrels = next((file for file in files if file != folder and not Path(file).is_dir()), "QRELS")
        hint = f"to correlate measures over its runs: {shlex.join(('germane', 'correlate', '--qrels', qrels, folder))}"
        raise InputError(folder, None, "expected a file, found a folder", hint=hint)
    return files


def _two(files: tuple[str, ...]) -> tuple[str, str]:
    if len(files) != 2:
        hint = "to correlate measures over several runs, add --qrels QRELS"
        raise GermaneError(f"expected two files to compare, found {len(files)}", hint=hint)
    if files[0] == files[1] == STDIN:
        raise GermaneError(
            "expected two files to compare, found standard input twice", hint="save one of them to a file"
        )
    return files[0], files[1]


def _refuse(why: str, *names: str) -> None:
    """Refuse options that would have no effect."""
    typed = given()
    for name in names:
        if name in typed:
            option = typed[name].opts[0]
            raise GermaneError(f"{option} {why}", hint=f"remove {option}")
