"""`germane agent`: train an agent on judged topics, send it out, and see what it learns."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import click

from germane.cli.options import digits_option, format_option, seed_option
from germane.errors import GermaneError
from germane.report.agent_tables import (
    STYLES,
    render_agent,
    render_answer,
    render_simulation,
    simulation_notes,
)
from germane.report.progress import progress

topic_options = (
    click.option("--field", default="title", show_default=True, help="Which part of a topic to ask with."),
    click.option(
        "--topic-numbers",
        type=click.Choice(["given", "position"]),
        default="given",
        show_default=True,
        help="Whether the judgments name topics by the numbers in their file, or by their positions in it.",
    ),
    click.option("--qrels-format", metavar="FORMAT", help="The format of QRELS.  [default: told from its content]"),
)


def _with_topics(function: Any) -> Any:
    for option in reversed(topic_options):
        function = option(function)
    return function


@click.group("agent")
def command() -> None:
    """An agent that is trained on a known corpus, sent out, and learns from what it is told."""


@command.command("train")
@click.argument("index")
@click.argument("topics")
@click.argument("qrels")
@click.option("-o", "--output", required=True, metavar="AGENT", help="The file to write the agent to.")
@click.option("--strategy", "strategies", multiple=True, help="A strategy or a pattern of them; may be repeated.")
@click.option("--space", metavar="FILE", help="A file of patterns, one a line.  [default: a space for everyday use]")
@click.option("--utility", default="AP", show_default=True, help="A measure, or `costs` for those of --costs.")
@click.option(
    "--costs",
    metavar="C,C′[,MISSED]",
    help="Of returning a relevant document, another one, and of missing a relevant one.  [default: -4,1,0]",
)
@click.option("--feedback", multiple=True, help="A feedback method to choose from; may be repeated.")
@click.option("--folds", type=int, default=5, show_default=True, help="Of the topics, for cross-validation.")
@click.option("--depth", type=click.IntRange(1), default=1000, show_default=True, help="The length of rankings.")
@click.option("--judged", type=click.IntRange(0), default=10, show_default=True, help="To choose feedback by.")
@click.option("--rel", type=float, default=1, show_default=True, help="The least grade that is relevant.")
@click.option(
    "--margin", type=float, default=0.01, show_default=True, help="Within which a simpler strategy is as good."
)
@_with_topics
@seed_option
@format_option(STYLES)
@digits_option
def train(
    index: str,
    topics: str,
    qrels: str,
    output: str,
    strategies: tuple[str, ...],
    space: str | None,
    utility: str,
    costs: str | None,
    feedback: tuple[str, ...],
    style: str,
    digits: int,
    **choices: Any,
) -> None:
    """Train an agent on INDEX, with the judgments QRELS of TOPICS, and write it to AGENT.

    A run that was interrupted goes on where it was, if it is given the same again.
    """
    from germane.api.agent import DEFAULT_FEEDBACK, JOURNAL, Agent

    if Path(output).exists():
        raise GermaneError(f"{output}: there is such a file already", hint="an agent may have learned: name another")
    if strategies and space:
        raise GermaneError("expected --strategy or --space, found both")
    decides = None if costs is None else _costs(costs)
    if utility == "costs" and decides is None:
        raise GermaneError("--utility costs needs --costs", hint="for example --costs=-4,1")
    journal = Path(output + JOURNAL)
    with progress("strategies") as advance:
        agent = Agent.train(
            index,
            topics,
            qrels,
            space=strategies or space,
            utility=decides if utility == "costs" and decides is not None else utility,
            costs=None if utility == "costs" else decides,
            feedback=feedback or DEFAULT_FEEDBACK,
            resume=journal,
            progress=advance,
            **choices,
        )
    agent.save(output)
    journal.unlink(missing_ok=True)
    click.echo(render_agent(agent.state, style, digits), nl=False)
    _print(agent.notes, style)


@command.command("search")
@click.argument("agent", metavar="AGENT")
@click.argument("index")
@click.argument("query", nargs=-1)
@click.option("-k", "size", type=click.IntRange(1), help="How many documents.  [default: as many as the costs justify]")
@format_option(("table", "json"))
def search(agent: str, index: str, query: tuple[str, ...], size: int | None, style: str) -> None:
    """Ask AGENT about the documents of INDEX: once for QUERY, or again and again, telling it what is relevant.

    What it is told is written to AGENT at once.
    """
    from germane.api.agent import Agent
    from germane.cli.agent_loop import HELP, AgentLoop
    from germane.cli.search_loop import require_text

    if style == "json" and not query:
        raise GermaneError("--format json prints the answer to one query", hint="give the query after the index")
    found = Agent.open(agent, index)
    text = require_text(" ".join(query))
    if query:
        click.echo(render_answer(found.search(text, size), found, style), nl=False)
        _print(found.notes, style)
        return
    click.echo(f"{found.index!r}\nstrategy {found.strategy}, feedback {found.feedback or 'none'}\n\n{HELP}")
    _print(found.notes, style)
    AgentLoop(found, agent, size).run(sys.stdin)


@command.command("simulate")
@click.argument("agent", metavar="AGENT")
@click.argument("index")
@click.argument("topics")
@click.argument("qrels")
@click.option("--rounds", type=click.IntRange(1), default=3, show_default=True, help="How often each person judges.")
@click.option("--judged", type=click.IntRange(1), default=10, show_default=True, help="Documents in each round.")
@click.option(
    "--error", type=click.FloatRange(0, 1), default=0.0, show_default=True, help="The share of wrong judgments."
)
@click.option("--asked", is_flag=True, help="The last document of each round is the one that the agent asks about.")
@click.option("-m", "--measure", help="The utility.  [default: that of the agent's training]")
@click.option("--rel", type=float, help="The least grade that is relevant.  [default: that of the training]")
@_with_topics
@seed_option
@format_option(STYLES)
@digits_option
def simulate(agent: str, index: str, topics: str, qrels: str, style: str, digits: int, **choices: Any) -> None:
    """Let QRELS play people who ask TOPICS, look and judge; compare with an agent that learns nothing.

    Both are compared on the residual collection, after each round. AGENT stays as it is.
    """
    from germane.api.agent import Agent

    opened = Agent.open(agent, index)
    found = opened.simulate(topics, qrels, **choices)
    click.echo(render_simulation(found, style, digits), nl=False)
    _print(simulation_notes(found), style)


@command.command("show")
@click.argument("agent", metavar="AGENT")
@format_option(STYLES)
@digits_option
def show(agent: str, style: str, digits: int) -> None:
    """Say all about AGENT: what it does and why, how good its decisions are, and where it is weak."""
    from germane.learning.agent.state import read_state

    state = read_state(agent)
    click.echo(render_agent(state, style, digits), nl=False)
    _print(state.notes, style)


def _costs(text: str) -> Any:
    from germane.retrieval.ranking_principle import Costs

    try:
        values = [float(part) for part in text.replace("−", "-").split(",")]
        relevant, other, *missed = values
        [left] = missed or [0.0]
    except ValueError:
        raise GermaneError(f"expected costs C,C′ or C,C′,MISSED, as in -4,1, found {text!r}") from None
    return Costs(relevant, other, left)


def _print(notes: tuple[str, ...], style: str) -> None:
    if style != "json":
        for note in notes:
            click.echo(f"note: {note}", err=True)
