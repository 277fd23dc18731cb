"""`germane compare`: test whether one system is really better, and by how much."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import click

from germane.api.comparisons.comparison import compare
from germane.api.rankings.score_tables import is_score_table
from germane.cli.options.gates import exit_if_missed, fail_under_option, missed, require_no_percentages
from germane.cli.options.inputs import input_options, require_quotes
from germane.cli.options.printing import print_result, printing, result_options
from germane.cli.options.scoring_options import CORRECTIONS, MEAN_INTERVALS, PAIRED, UNPAIRED, gates_of
from germane.cli.options.spark_options import require_spark, runs_on, spark_options
from germane.cli.options.vocabulary import choice, given, option, shared
from germane.cli.shell.command_class import Command, command_line, make_command
from germane.errors import GermaneError, InputError
from germane.formats.files.addresses import place
from germane.formats.rankings.score_table import LAYOUTS, Layout
from germane.output.plots.figures import require_folder
from germane.output.rendering.progress import progress
from germane.tables.results.comparison import HeldDifference, SystemComparison

OF_PAIRS = ("baseline", "equivalence", "margin", "difference", "fail-under", "comment", "slices", "interval")
"""Options for systems on the same queries, which --groups does not have."""
ONLY_WITH_QRELS = ("ties", "score_type", "scale", "collection_size", "qrels_format", "run_format", "comment")
"""Options that require rankings and judgments, not tables of scores."""


class LayoutHelp(Command):
    """A command whose help lists the layouts of score tables below the options."""

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Layouts"):
            formatter.write_dl(list(LAYOUTS.items()))


@make_command(
    "compare",
    "germane compare qrels.txt system1.run system2.run",
    "germane compare qrels.txt system1.run system2.run -m 'AP RR' --test randomisation --seed 1",
    "germane compare qrels.txt system1.run system2.run --fail-under AP=-1 --comment changes.md",
    cls=LayoutHelp,
)
@click.argument("qrels")
@click.argument("runs", nargs=-1)
@shared("--measure", "measures", multiple=True, otherwise="AP, or what --fail-under names")
@shared("--baseline", otherwise="all pairs")
@shared("--test", type=click.Choice([*PAIRED, *UNPAIRED]), otherwise="t; welch with --groups")
@choice("--sides", "Alternative hypothesis: b differs from a, is greater, or is less.", ["two", "greater", "less"])
@shared("--correction", type=click.Choice(CORRECTIONS), default="bonferroni")
@shared("--alpha", default=0.05)
@shared("--interval", type=click.Choice(MEAN_INTERVALS), otherwise="one that agrees with the test, else unadjusted t")
@shared("--level", otherwise="1 - alpha")
@option("--equivalence", "Also test whether the means are equivalent within ±DELTA.", "DELTA")
@option(
    "--margin",
    "Also test that b is not worse than a by more than DELTA (--fail-under uses the interval instead).",
    "DELTA",
)
@option("--difference", "Also report the number of queries needed to detect a difference of DELTA.", "DELTA")
@shared("--slices")
@option(
    "--groups",
    "Compare two groups of queries instead, such as treatment and control; FILE has one `query group` per line.",
    "FILE",
)
@shared("--topics", default="qrels")
@shared("--seed", default=0)
@shared("--resamples", default=100_000)
@option("--layout", "Layout of the score tables, listed below.  [default: inferred from content]", list(LAYOUTS))
@result_options
@fail_under_option
@option("--comment", "Also write the changes by query as a comment for a merge request.", "FILE.md")
@shared("--query-texts")
@input_options
@spark_options
def command(
    qrels: str,
    runs: tuple[str, ...],
    measures: tuple[str, ...],
    gates: tuple[str, ...],
    comment: str | None,
    query_texts: str | None,
    layout: Layout | None,
    engine: str,
    master: str | None,
    **choices: Any,
) -> None:
    """Compare RUNS on the same queries: differences with intervals, adjusted p-values and effect sizes.

    A folder stands for the run files in it. Instead of QRELS and RUNS, you can pass tables of per-query scores written
    by any tool: one file per system, or one for all. --measure then names columns of the tables.

    Choose what to compare before you look: the family of tests is all pairs of systems times all measures. Intervals
    are simultaneous for this family at level 1 - alpha, and exclude 0 exactly where a difference is significant. They
    are unadjusted with --interval, and with tests and corrections that have no simultaneous intervals.

    --fail-under nDCG@10=-0.01 fails if the worse end of the interval of b - a is below -0.01, an absolute difference,
    not a percentage. The worse end of a two-sided 95% interval is a one-sided 97.5% bound. --topics both requires
    systems with the same queries. --query-texts adds query texts to the file of --comment.

    With --engine spark, a run is a path, pattern or address of Parquet, ORC, JSON or CSV files that Spark reads.
    """
    require_quotes(runs)
    read = ("ties", "score_type", "trec_version", "scale", "collection_size", "qrels_format", "run_format")
    inputs = {key: choices.pop(key) for key in read}
    require_no_percentages(gates)
    limits = dict(gates_of(gates, such_as="nDCG@10=-0.02", trec_version=inputs["trec_version"]))
    _require_sense({**choices, "fail-under": limits or None, "comment": comment})
    if query_texts is not None and comment is None:
        raise GermaneError("--query-texts requires --comment", hint="add --comment FILE.md, or remove --query-texts")
    if comment is not None and require_spark(engine, master):
        raise GermaneError("--comment is not supported with --engine spark", hint="remove --comment")
    if comment is not None:  # report a wrong path before the work, not after it
        require_folder(comment)
    asked = [*measures, *limits]
    if not require_spark(engine, master) and _are_tables((qrels, *runs), layout):
        comparison = compare([qrels, *runs], measures=asked or None, layout=layout, **choices)
    else:
        read_as = inputs["run_format"], inputs["ties"]
        with progress("runs") as advance, runs_on(engine, master, runs, *read_as) as sources:
            comparison = compare(qrels, sources, asked or ["AP"], progress=advance, **inputs, **choices)
    lines = _missed(comparison, limits)
    if comment is not None:
        from germane.api.comparisons.changes import changes_by_query
        from germane.api.reports.texts import read_questions
        from germane.formats.files.targets import open_target
        from germane.output.texts.change_comment import change_comment

        changes, questions = changes_by_query(comparison), read_questions(query_texts)
        digits = printing().digits_for_people
        text = change_comment(comparison, changes, limits, command=command_line(), questions=questions, digits=digits)
        with open_target(comment) as target:
            target.write(text.encode())
    print_result(comparison)
    exit_if_missed(lines)


def _are_tables(files: Sequence[str], layout: str | None) -> bool:
    """Whether the files are tables of scores. Refuse a mixture with qrels or runs, and options that require those."""
    tables = [file for file in files if is_score_table(file)] if layout is None else list(files)
    others = [file for file in files if file not in tables]
    if not tables or (others and files[0] in others):
        if len(files) < 2:
            if files[0] != "-" and not place(files[0]).exists():
                raise InputError(files[0], None, "no such file")
            raise GermaneError(
                "expected QRELS and RUNS, or tables of scores by query, found one file that is not a table of scores",
                hint="use `germane compare qrels.txt a.run b.run` or `germane compare a.csv b.csv`",
            )
        return False
    if others:
        raise GermaneError(
            f"expected tables of scores by query, found {others[0]} beside {tables[0]}",
            hint="pass qrels and runs, or tables only; use --layout NAME to read every file as a table",
        )
    typed = given()
    for name in ONLY_WITH_QRELS:
        if name in typed:
            found = typed[name].opts[0]
            raise GermaneError(f"{found} requires QRELS and RUNS, found tables of scores", hint=f"remove {found}")
    return True


def _missed(comparison: SystemComparison, limits: dict[str, float]) -> list[str]:
    """Return a line for each difference that may be worse than its limit."""
    lines = []
    for held in comparison.hold(limits) if limits else ():
        end = "upper" if held.lower_is_better else "lower"
        what = f"the {end} end of the difference in {held.pair.measure}"
        whose = f"{held.pair.b} against {held.pair.a}"
        found = missed(whose, what, held.worst, held.limit, lower_is_better=held.lower_is_better)
        lines += [f"{line}{_gain_asked(held)}" for line in found]
    return lines


def _gain_asked(held: HeldDifference) -> str:
    """Return the end of a line for a limit that requires a gain, where a loss without its sign was probably meant."""
    loss = held.limit if held.lower_is_better else -held.limit
    if loss >= 0:
        return ""
    side, allowed = ("below", "") if held.lower_is_better else ("above", "-")
    measure, size = held.pair.measure, f"{abs(held.limit):g}"
    return f"; a limit {side} 0 requires a gain, while {measure}={allowed}{size} allows a loss of {size}"


def _require_sense(choices: dict[str, Any]) -> None:
    """Refuse options that cannot be combined."""
    test = choices["test"]
    if choices["groups"] is not None:
        given = [name for name in OF_PAIRS if choices[name] is not None]
        if given:
            raise GermaneError(
                f"--{given[0]} cannot be combined with --groups", hint=f"remove --{given[0]} or --groups"
            )
        if test in PAIRED:
            raise GermaneError(
                f"--test {test} cannot be combined with --groups", hint="use --test welch or --test permutation"
            )
    elif test in UNPAIRED:
        raise GermaneError(f"--test {test} requires --groups", hint="add --groups FILE")
    if choices["interval"] is not None and test in ("tukey", "randomised-tukey"):
        problem = f"--interval cannot be combined with --test {test}, which has its own intervals"
        raise GermaneError(problem, hint="remove --interval")
