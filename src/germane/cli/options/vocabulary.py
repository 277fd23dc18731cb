"""Options that several commands share: the same name has the same help text, value and meaning everywhere.

A command adds only its own part: the default, the choices, whether the option may be repeated.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import click
from click.core import ParameterSource

from germane.cli.options.folder_arguments import keep_choice

Decorator = Callable[[Callable[..., Any]], Callable[..., Any]]

COUNT = click.IntRange(1)
COUNT_OR_NONE = click.IntRange(0)
POSITIVE = click.FloatRange(0, min_open=True)
BETWEEN_0_AND_1 = click.FloatRange(0, 1, min_open=True, max_open=True)
TYPES = {
    "COUNT": COUNT,
    "SHARE": click.FloatRange(0, 1),
    "COST": click.FloatRange(0),
    "DELTA": POSITIVE,
    "SECONDS": POSITIVE,
}
"""Numeric types by metavar; an option with any other metavar takes text."""


class Entry(NamedTuple):
    """The part of an option that is the same in all commands."""

    text: str
    metavar: str | None = None
    type: Any = None
    short: str | None = None
    flag: bool = False


VOCABULARY = {
    "--measure": Entry("Measure to compute (see `germane measures`)", "MEASURE", short="-m"),
    "--method": Entry("Method, with parameters as in 'NAME(x=1)' (see --list)", "METHOD"),
    "--model": Entry("Ranking model, such as 'BM25(k1=0.9)'", "MODEL"),
    "--feedback": Entry("Relevance feedback method, such as 'rm3(terms=20)'", "METHOD"),
    "--space": Entry(
        "Strategies to choose from, alternatives in braces, such as 'BM25(k1={0.9,1.2}){,+rm3}' or "
        "'fuse(rrf,BM25,{QL,VSM})'; or a file with one per line",
        "STRATEGY|FILE",
    ),
    "--rule": Entry("Rule that chooses a threshold, such as 'TPR where TNR>=0.95'", "RULE"),
    "--threshold": Entry("Scores at or above this are positive", "SCORE", float),
    "--rel": Entry("Minimum grade that counts as relevant", "GRADE", click.FloatRange(0)),
    "--top": Entry("Maximum documents per query", "COUNT", COUNT, short="-k"),
    "--depth": Entry("Number of top ranks to use of each ranking", "RANK", COUNT),
    "--folds": Entry("Number of cross-validation folds", "COUNT", click.IntRange(2)),
    "--judged": Entry("New documents judged per query in each round", "COUNT", COUNT_OR_NONE),
    "--rounds": Entry("Number of judging rounds", "COUNT", COUNT),
    "--costs": Entry(
        "Costs of returning a relevant document, of returning a non-relevant one and of missing a relevant one, such "
        "as -4,1,0; negative means a gain",
        "C,C′[,MISSED]",
    ),
    "--topics": Entry(
        "Queries to average over: all judged (missing ones score as empty), or only those in both",
        type=click.Choice(["qrels", "both"]),
    ),
    "--no-relevant": Entry(
        "Queries with no relevant document, or none left to find: keep them in means, or skip them",
        type=click.Choice(["keep", "skip"]),
    ),
    "--slices": Entry(
        "Also report per slice: groups of queries (FILE with one `query slice` per line) or of items", "FILE"
    ),
    "--baseline": Entry("Compare all others with this baseline", "NAME"),
    "--qrels": Entry("Relevance judgments", "FILE"),
    "--query-texts": Entry("Query texts: TREC, XML, TSV (id, title, …), CSV or JSON lines", "FILE"),
    "--documents": Entry("Document texts", "PATH"),
    "--fields": Entry("Document fields to read, such as title,text,author", "NAMES"),
    "--id-field": Entry("Document field that holds the id", "NAME"),
    "--field": Entry("Topic field to search with: title, description, narrative, or several joined by +", "NAME"),
    "--topic-numbers": Entry(
        "Identify topics by the number given in their file, or by their position in it",
        type=click.Choice(["given", "position"]),
    ),
    "--probabilities": Entry("One column of probabilities per class, named PREFIX_CLASS; may be repeated", "PREFIX"),
    "--labels": Entry("Classes, in this order; any other label is an error", "A,B,…"),
    "--separator": Entry("With --task label-sets, text between the labels of an item (; if it is not given)", "TEXT"),
    "--matrix": Entry("DATA is a confusion matrix, not a table of items", flag=True),
    "--invert": Entry("Evaluate the opposite of a classifier of two classes", flag=True),
    "--grades": Entry("Grades of the scale, lowest first", "0,1,…"),
    "--ties": Entry("How to break score ties (docno: as trec_eval does)"),
    "--scale": Entry("Highest grade of the scale", "GRADE", POSITIVE),
    "--qrels-format": Entry("Format of the judgments", "FORMAT"),
    "--run-format": Entry("Format of the runs", "FORMAT"),
    "--folders": Entry(
        "Read the files of a folder as parts of one table, or as separate tables", type=click.Choice(["one", "many"])
    ),
    "--from": Entry("Format of the input", "FORMAT"),
    "--kind": Entry("What the files contain"),
    "--test": Entry("Significance test"),
    "--correction": Entry("How to adjust p-values for multiple tests"),
    "--alpha": Entry("Significance level", "RATE", BETWEEN_0_AND_1),
    "--interval": Entry("Method for confidence intervals"),
    "--level": Entry("Confidence level", "SHARE", BETWEEN_0_AND_1),
    "--resamples": Entry(
        "Number of resamples for bootstrap intervals and randomisation tests", "COUNT", click.IntRange(100)
    ),
    "--seed": Entry("Random seed", "NUMBER", COUNT_OR_NONE),
    "--threads": Entry("Number of threads", "COUNT", COUNT),
    "--port": Entry("Port to listen on", "NUMBER", click.IntRange(0, 65535)),
    "--output": Entry("Path to write to", "PATH", short="-o"),
    "--to": Entry("Format of the output", "FORMAT"),
    "--lossy": Entry("Drop what the output format cannot hold, and list what was dropped", flag=True),
    "--overwrite": Entry("Replace the output if it already exists", flag=True),
    "--title": Entry("Title of the page", "TEXT"),
    "--query": Entry("Show only this query", "QUERY"),
    "--sort": Entry("Sort runs by this measure (its first --aggregate), best first", "MEASURE"),
    "--per-query": Entry("Show per-query values too", short="-q", flag=True),
    "--show": Entry("Number of entries to print of each long list; 0 for none", "COUNT", COUNT_OR_NONE),
    "--figure": Entry(
        "Also draw a figure: .svg, .png, .pdf, .html, .json for its Vega-Lite specification, or .csv for its numbers",
        "FILE",
    ),
    "--format": Entry("How to print the result"),
    "--table": Entry("Print only this table", "NAME"),
    "--all-tables": Entry("Also write each table to a file in FOLDER, as CSV or in --format", "FOLDER"),
    "--digits": Entry("Decimal places", "COUNT", click.IntRange(0, 17)),
    "--notes": Entry("Print each note in full: its code, its meaning and what to do", flag=True),
    "--color": Entry("When to print in colour; NO_COLOR and FORCE_COLOR are respected"),
    "--fail-under": Entry("Exit with status 1 if a measure is worse than this, such as AP=0.25", "MEASURE=VALUE"),
    "--list": Entry("List the choices and exit", flag=True),
}


def shared(
    name: str, parameter: str | None = None, *, default: Any = None, otherwise: str | None = None, **own: Any
) -> Decorator:
    """Add the shared option of this name; `parameter` is its name in the command's function.

    The help shows `default` or, where no value expresses it, `otherwise`: what happens without the option.
    """
    entry = VOCABULARY[name]
    ending = "; may be repeated." if own.get("multiple") else "."
    default_text = "" if otherwise is None else f"  [default: {otherwise}]"
    spelled = [*([entry.short] if entry.short else []), name, *([parameter] if parameter else [])]
    known: dict[str, Any] = {"is_flag": True} if entry.flag else {"metavar": entry.metavar, "type": entry.type}
    if default is not None:
        known |= {"default": default, "show_default": True}
    return click.option(*spelled, help=entry.text + ending + default_text, **(known | own))


def option(
    names: str, text: str, values: str | Sequence[str] | None = None, *, default: Any = None, **own: Any
) -> Decorator:
    """Add an option of one command; `names` are its spellings and, last, its name in the command's function.

    `values` are the choices, or the metavar; a flag has none. The help shows `default`.
    """
    if values is None:
        known: dict[str, Any] = {"is_flag": True}
    elif isinstance(values, str):
        known = {"metavar": values, "type": TYPES.get(values)}
    else:
        known = {"type": click.Choice(values)}
    if default is not None:
        known |= {"default": default, "show_default": True}
    return click.option(*names.split(), help=text, **(known | own))


def choice(names: str, text: str, words: Sequence[str], **own: Any) -> Decorator:
    """Add an option that takes one of these words, by default the first."""
    return option(names, text, words, default=words[0], **own)


def arguments(*names: str) -> Decorator:
    """Add arguments in this order, one word each."""
    return together(*map(click.argument, names))


def terminal_width() -> int | None:
    """Return the width of the terminal that standard output goes to, None if it goes elsewhere."""
    if not sys.stdout.isatty():
        return None
    import shutil  # loads every kind of compression

    return shutil.get_terminal_size().columns


def list_option(text: Callable[[int | None], str]) -> Decorator:
    """Add `--list`, which describes the choices of an option, fitted to the width of the terminal, and exits."""

    def listed(ctx: click.Context, _: click.Parameter, asked: bool) -> None:
        if asked:
            click.echo(text(terminal_width()), nl=False)
            ctx.exit()

    return shared("--list", is_eager=True, expose_value=False, callback=listed)


def together(*options: Decorator) -> Decorator:
    """Combine several options into one decorator."""

    def add(function: Callable[..., Any]) -> Callable[..., Any]:
        for option in reversed(options):
            function = option(function)
        return function

    return add


def given() -> dict[str, click.Parameter]:
    """Return the parameters that were given to the running command, by name."""
    context, typed = click.get_current_context(), ParameterSource.COMMANDLINE
    return {str(p.name): p for p in context.command.params if context.get_parameter_source(str(p.name)) is typed}


folders_option = shared(
    "--folders", expose_value=False, callback=keep_choice, otherwise="one if its files are named part-*"
)
qrels_format_option = together(shared("--qrels-format", otherwise="inferred from content"), folders_option)
run_format_option = shared("--run-format", otherwise="inferred from content")
judged_topics_options = together(
    shared("--field", default="title"), shared("--topic-numbers", default="given"), qrels_format_option
)
