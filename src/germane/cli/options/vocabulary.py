"""Options that several commands have, said once: the same name has the same text, value and meaning everywhere.

A command adds what is its own: the default, the words to choose from, whether the option may be repeated.
"""

from __future__ import annotations

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
"""What numbers an option takes, by what its value is called; any text where it is called otherwise."""


class Entry(NamedTuple):
    """What is the same wherever an option occurs."""

    text: str
    metavar: str | None = None
    type: Any = None
    short: str | None = None
    flag: bool = False


VOCABULARY = {
    "--measure": Entry("What to measure; `germane measures` says all about each name", "MEASURE", short="-m"),
    "--method": Entry("The method, with parameters as in 'NAME(x=1)'; --list says all about each", "METHOD"),
    "--model": Entry("How documents are ranked, as in 'BM25(k1=0.9)'", "MODEL"),
    "--feedback": Entry("The method of relevance feedback, as in 'rm3(terms=20)'", "METHOD"),
    "--space": Entry(
        "Strategies to choose among, with alternatives in braces, as in 'BM25(k1={0.9,1.2}){,+rm3}' or "
        "'fuse(rrf,BM25,{QL,VSM})', or a file with one a line",
        "STRATEGY|FILE",
    ),
    "--rule": Entry("A rule that chooses a threshold, as in 'TPR where TNR>=.95'", "RULE"),
    "--threshold": Entry("A score at or above this is positive", "SCORE", float),
    "--rel": Entry("The least grade that counts as relevant", "GRADE", click.FloatRange(0)),
    "--top": Entry("How many documents per query, at most", "COUNT", COUNT, short="-k"),
    "--depth": Entry("How far down each ranking to look", "RANK", COUNT),
    "--folds": Entry("Into how many parts the topics are divided, each held out in turn", "COUNT", click.IntRange(2)),
    "--judged": Entry("How many new documents the person judges in a round", "COUNT", COUNT_OR_NONE),
    "--rounds": Entry("How often the person judges", "COUNT", COUNT),
    "--costs": Entry(
        "The cost of returning a relevant document, of returning any other and of missing a relevant one, as in "
        "-4,1,0; a gain is below 0",
        "C,C′[,MISSED]",
    ),
    "--topics": Entry(
        "Whether the topics are those of the qrels, a missing one being an empty ranking, or those in both",
        type=click.Choice(["qrels", "both"]),
    ),
    "--no-relevant": Entry(
        "Queries without any relevant document, or none left to find: keep them in means, or skip them",
        type=click.Choice(["keep", "skip"]),
    ),
    "--slices": Entry("Also per group of queries; FILE has a query and its group to a line", "FILE"),
    "--baseline": Entry("Compare all others with this one", "NAME"),
    "--qrels": Entry("The judgments of these topics", "FILE"),
    "--query-texts": Entry("What the topics ask: TREC, XML, TSV (id, title, …), CSV or JSON lines", "FILE"),
    "--documents": Entry("Where the texts of the documents are", "PATH"),
    "--fields": Entry("The parts of a document that are read, as in title,text,author", "NAMES"),
    "--id-field": Entry("The part that is the document's id", "NAME"),
    "--field": Entry(
        "The part of a topic to ask with: title, description, narrative, or several with + between", "NAME"
    ),
    "--topic-numbers": Entry(
        "Whether a topic goes by the number that its file gives it, or by its position in it",
        type=click.Choice(["given", "position"]),
    ),
    "--probabilities": Entry("One column of probabilities a class, named PREFIX_CLASS", "PREFIX"),
    "--labels": Entry("The classes in this order; any other label is an error", "A,B,…"),
    "--matrix": Entry("DATA is a confusion matrix, not a table of items", flag=True),
    "--grades": Entry("The grades of the scale, the lowest first", "0,1,…"),
    "--ties": Entry("How documents of equal score are ordered; docno is trec_eval's way"),
    "--scale": Entry("The highest grade that could be given", "GRADE", POSITIVE),
    "--qrels-format": Entry("The format of the judgments", "FORMAT"),
    "--run-format": Entry("The format of the runs", "FORMAT"),
    "--folders": Entry(
        "Whether the files of a folder are one table in parts, or many tables", type=click.Choice(["one", "many"])
    ),
    "--from": Entry("The format of what is read", "FORMAT"),
    "--kind": Entry("What the files are"),
    "--test": Entry("The test of differences"),
    "--correction": Entry("How p is adjusted for the family of tests"),
    "--alpha": Entry("The error rate that is accepted", "RATE", BETWEEN_0_AND_1),
    "--interval": Entry("How intervals are made"),
    "--level": Entry("The level of the intervals", "SHARE", BETWEEN_0_AND_1),
    "--resamples": Entry(
        "Number of resamples, for intervals by bootstrap and for randomised tests", "COUNT", click.IntRange(100)
    ),
    "--seed": Entry("For whatever is drawn at random", "NUMBER", COUNT_OR_NONE),
    "--threads": Entry("How many to work on at a time", "COUNT", COUNT),
    "--port": Entry("The port to listen on", "NUMBER", click.IntRange(0, 65535)),
    "--output": Entry("Where to write", "PATH", short="-o"),
    "--to": Entry("The format of what is written", "FORMAT"),
    "--lossy": Entry("Leave out what the format written cannot hold, and say what that was", flag=True),
    "--overwrite": Entry("Replace what is there already", flag=True),
    "--title": Entry("What the page is called", "TEXT"),
    "--query": Entry("The one query to show", "QUERY"),
    "--sort": Entry("The runs by this measure (its first --aggregate), the best first", "MEASURE"),
    "--per-query": Entry("Also every query", short="-q", flag=True),
    "--show": Entry("How much of each long list to print; 0 for none", "COUNT", COUNT_OR_NONE),
    "--figure": Entry("Also draw it: .svg, .png, .pdf, .html, or .json for the Vega-Lite specification", "FILE"),
    "--format": Entry("How to print"),
    "--table": Entry("The one table to print", "NAME"),
    "--all-tables": Entry("Also write every table to a file of its own: CSV, or another --format", "FOLDER"),
    "--digits": Entry("Decimals of numbers", "COUNT", click.IntRange(0, 17)),
    "--color": Entry("Whether to colour what is printed; NO_COLOR and FORCE_COLOR are heeded"),
    "--fail-under": Entry("Exit with status 1 if a measure is worse than this, as in AP=.25", "MEASURE=VALUE"),
    "--list": Entry("Say all about what can be chosen, and stop", flag=True),
}


def shared(
    name: str, parameter: str | None = None, *, default: Any = None, otherwise: str | None = None, **own: Any
) -> Decorator:
    """The option of this name; `parameter` is what the command's function calls it.

    `default` is printed. Where no value stands for it, `otherwise` says what happens without the option.
    """
    entry = VOCABULARY[name]
    ending = "; may be repeated." if own.get("multiple") else "."
    told = "" if otherwise is None else f"  [default: {otherwise}]"
    spelled = [*([entry.short] if entry.short else []), name, *([parameter] if parameter else [])]
    known: dict[str, Any] = {"is_flag": True} if entry.flag else {"metavar": entry.metavar, "type": entry.type}
    if default is not None:
        known |= {"default": default, "show_default": True}
    return click.option(*spelled, help=entry.text + ending + told, **(known | own))


def option(
    names: str, text: str, values: str | Sequence[str] | None = None, *, default: Any = None, **own: Any
) -> Decorator:
    """An option that one command has; `names` are how it is spelled and, last, what the command's function calls it.

    `values` are the words to choose from, or what the value is called; a flag has none. `default` is printed.
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
    """An option that takes one of these words, and the first of them by default."""
    return option(names, text, words, default=words[0], **own)


def arguments(*names: str) -> Decorator:
    """Arguments that are given in this order, one word each."""
    return together(*map(click.argument, names))


def list_option(text: Callable[[], str]) -> Decorator:
    """Print everything about the words that an option of this command takes, and stop."""

    def listed(ctx: click.Context, _: click.Parameter, asked: bool) -> None:
        if asked:
            click.echo(text(), nl=False)
            ctx.exit()

    return shared("--list", is_eager=True, expose_value=False, callback=listed)


def together(*options: Decorator) -> Decorator:
    """Several options as one."""

    def add(function: Callable[..., Any]) -> Callable[..., Any]:
        for option in reversed(options):
            function = option(function)
        return function

    return add


def given() -> dict[str, click.Parameter]:
    """The parameters that the running command was called with, by name."""
    context, typed = click.get_current_context(), ParameterSource.COMMANDLINE
    return {str(p.name): p for p in context.command.params if context.get_parameter_source(str(p.name)) is typed}


folders_option = shared(
    "--folders", expose_value=False, callback=keep_choice, otherwise="one if its files are called part-*"
)
qrels_format_option = together(shared("--qrels-format", otherwise="told from their content"), folders_option)
run_format_option = shared("--run-format", otherwise="told from their content")
judged_topics_options = together(
    shared("--field", default="title"), shared("--topic-numbers", default="given"), qrels_format_option
)
