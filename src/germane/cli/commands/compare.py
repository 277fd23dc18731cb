"""`germane compare`: is it really better, by how much, and how sure is that?"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from germane.api.comparisons.comparison import compare
from germane.api.rankings.score_tables import is_score_table
from germane.cli.options.gates import exit_if_missed, fail_under_option, missed, require_no_percentages
from germane.cli.options.inputs import input_options, require_quotes
from germane.cli.options.printing import print_result, printing, result_options
from germane.cli.options.scoring_options import CORRECTIONS, MEAN_INTERVALS, PAIRED, UNPAIRED, gates_of
from germane.cli.options.vocabulary import choice, given, option, shared
from germane.cli.shell.command_class import command_line, make_command
from germane.errors import GermaneError, InputError
from germane.formats.rankings.score_table import LAYOUTS, Layout
from germane.output.plots.figures import require_folder
from germane.output.rendering.progress import progress
from germane.tables.results.comparison import HeldDifference, SystemComparison

OF_PAIRS = ("baseline", "equivalence", "margin", "difference", "fail-under", "comment", "slices", "interval")
"""Options for systems on the same queries."""
ONLY_WITH_QRELS = ("ties", "score_type", "scale", "collection_size", "qrels_format", "run_format", "comment")
"""Options that need rankings and judgments, which a table of scores does not have."""


@make_command(
    "compare",
    "germane compare qrels.txt system1.run system2.run",
    "germane compare qrels.txt system1.run system2.run -m 'AP RR' --test randomisation --seed 1",
    "germane compare qrels.txt system1.run system2.run --fail-under AP=-1 --comment changes.md",
)
@click.argument("qrels")
@click.argument("runs", nargs=-1)
@shared("--measure", "measures", multiple=True, otherwise="AP, or what --fail-under names")
@shared("--baseline", otherwise="all pairs")
@shared("--test", type=click.Choice([*PAIRED, *UNPAIRED]), otherwise="t; welch with --groups")
@choice("--sides", "Whether b may differ either way, be greater, or be less.", ["two", "greater", "less"])
@shared("--correction", type=click.Choice(CORRECTIONS), default="bonferroni")
@shared("--alpha", default=0.05)
@shared("--interval", type=click.Choice(MEAN_INTERVALS), otherwise="what agrees with the test; else t, unadjusted")
@shared("--level", otherwise="1 - alpha")
@option("--equivalence", "Also test whether the means are equivalent within plus or minus DELTA.", "DELTA")
@option(
    "--margin",
    "Also test whether b is not worse than a by more than DELTA; --fail-under decides it by the interval.",
    "DELTA",
)
@option("--difference", "Also say how many queries it takes to show a difference of DELTA.", "DELTA")
@shared("--slices")
@option(
    "--groups",
    "Compare two groups of queries (treatment, control) instead; FILE has a query and its group to a line.",
    "FILE",
)
@shared("--topics", default="qrels")
@shared("--seed", default=0)
@shared("--resamples", default=100_000)
@option(
    "--layout",
    "How tables of scores by query are laid out: "
    + "; ".join(f"{name}: {what}" for name, what in LAYOUTS.items())
    + ".  [default: inferred from content]",
    list(LAYOUTS),
)
@result_options
@fail_under_option
@option("--comment", "Also write what changed, by query, as a comment on a merge request.", "FILE.md")
@shared("--query-texts")
@input_options
def command(
    qrels: str,
    runs: tuple[str, ...],
    measures: tuple[str, ...],
    gates: tuple[str, ...],
    comment: str | None,
    query_texts: str | None,
    layout: Layout | None,
    **choices: Any,
) -> None:
    """Compare RUNS on the same queries: differences with intervals, adjusted p-values, effect sizes.

    A folder stands for the run files in it. In place of QRELS and RUNS, the files may be tables of scores by query that
    any tool made: a file for each system, or one for all. --measure then names columns of the tables.

    With --fail-under, b must be shown to be no worse than that: nDCG@10=-.01 holds the worse end of the interval of b -
    a against -.01, a number and no percentage. That end of a two-sided 95% interval is a one-sided bound at 97.5%. With
    --topics both, systems that answer different topics are an error. --query-texts puts the queries of --comment in
    words.

    Declare what you compare before you look: the family of tests is all pairs of systems times all measures given here.
    Intervals hold for the whole family at level 1 - alpha, and exclude 0 exactly where a difference is significant;
    where a test or correction has none of that kind, and with --interval, they are unadjusted.
    """
    require_quotes(runs)
    read = ("ties", "score_type", "trec_version", "scale", "collection_size", "qrels_format", "run_format")
    inputs = {key: choices.pop(key) for key in read}
    require_no_percentages(gates)
    limits = dict(gates_of(gates, such_as="nDCG@10=-.02", trec_version=inputs["trec_version"]))
    _require_sense({**choices, "fail-under": limits or None, "comment": comment})
    if query_texts is not None and comment is None:
        raise GermaneError("--query-texts is for --comment", hint="name the file to write, or leave it out")
    if comment is not None:  # a slip in it should be told before the work, not after
        require_folder(comment)
    asked = [*measures, *limits]
    if _are_tables((qrels, *runs), layout):
        comparison = compare([qrels, *runs], measures=asked or None, layout=layout, **choices)
    else:
        with progress("runs") as advance:
            comparison = compare(qrels, list(runs), asked or ["AP"], progress=advance, **inputs, **choices)
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
    """Tell tables of scores from judgments and runs. A mixture is an error; so is an option that would do nothing."""
    tables = [file for file in files if is_score_table(file)] if layout is None else list(files)
    others = [file for file in files if file not in tables]
    if not tables or (others and files[0] in others):
        if len(files) < 2:
            if files[0] != "-" and not Path(files[0]).exists():
                raise InputError(files[0], None, "no such file")
            raise GermaneError(
                "expected QRELS and RUNS, or tables of scores by query, found one file that is not a table of scores",
                hint="germane compare qrels.txt a.run b.run, or germane compare a.csv b.csv",
            )
        return False
    if others:
        raise GermaneError(
            f"expected tables of scores by query, found {others[0]} beside {tables[0]}",
            hint="name judgments and runs, or tables alone; --layout reads every file as a table",
        )
    typed = given()
    for name in ONLY_WITH_QRELS:
        if name in typed:
            found = typed[name].opts[0]
            raise GermaneError(f"{found} requires QRELS and RUNS, found tables of scores", hint=f"remove {found}")
    return True


def _missed(comparison: SystemComparison, limits: dict[str, float]) -> list[str]:
    """A line for each difference that may be worse than its limit."""
    lines = []
    for held in comparison.hold(limits) if limits else ():
        end = "upper" if held.lower_is_better else "lower"
        what = f"the {end} end of the difference in {held.pair.measure}"
        whose = f"{held.pair.b} against {held.pair.a}"
        found = missed(whose, what, held.worst, held.limit, lower_is_better=held.lower_is_better)
        lines += [f"{line}{_gain_asked(held)}" for line in found]
    return lines


def _gain_asked(held: HeldDifference) -> str:
    """The end of a line: whoever writes the loss that is allowed without its sign has asked for a gain."""
    loss = held.limit if held.lower_is_better else -held.limit
    if loss >= 0:
        return ""
    side, allowed = ("below", "") if held.lower_is_better else ("above", "-")
    measure, size = held.pair.measure, f"{abs(held.limit):g}"
    return f"; a limit {side} 0 asks for a gain: {measure}={allowed}{size} allows a loss of {size}"


def _require_sense(choices: dict[str, Any]) -> None:
    """An option that would do nothing is an error."""
    test = choices["test"]
    if choices["groups"] is not None:
        given = [name for name in OF_PAIRS if choices[name] is not None]
        if given:
            raise GermaneError(f"--{given[0]} is for systems on the same queries", hint="leave it out, or --groups")
        if test in PAIRED:
            raise GermaneError(f"the {test} test needs the same queries", hint=f"use {' or '.join(UNPAIRED)}")
    elif test in UNPAIRED:
        raise GermaneError(f"the {test} test is for two groups of queries", hint="name them with --groups FILE")
    if choices["interval"] is not None and test in ("tukey", "randomised-tukey"):
        raise GermaneError(f"{test} brings its own intervals", hint="leave --interval out")
