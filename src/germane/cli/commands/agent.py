"""`germane agent`: train an agent on judged topics, send it out, and see what it learns."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from germane.cli.options.printing import format_options, print_result, printing, result_options, wants_color
from germane.cli.options.vocabulary import arguments, judged_topics_options, option, shared
from germane.cli.shell.command_class import Group, make_command, subcommand
from germane.errors import GermaneError
from germane.output.rendering.notes import print_notes
from germane.output.rendering.progress import progress


def _agent() -> None:
    """An agent that is trained on a known corpus, sent out, and learns from what it is told."""


command: Group = make_command("agent", cls=Group)(_agent)


@subcommand(
    command,
    "train",
    "germane agent train library topics.tsv judged.txt -o agent.json",
    "germane agent train library topics.tsv judged.txt --space 'BM25(k1={0.9,1.2})' --costs=-4,1 -o agent.json",
)
@arguments("index", "topics", "qrels")
@shared("--output", required=True)
@shared("--space", "space", multiple=True, otherwise="what `germane tune --list` prints")
@option(
    "--utility", "What the agent is to be good at: a measure, or the costs of --costs.", "MEASURE|costs", default="AP"
)
@shared("--costs", otherwise="-4,1,0")
@shared("--feedback", multiple=True, otherwise="rocchio probabilistic(expand=20)")
@shared("--folds", default=5)
@shared("--depth", default=1000)
@shared("--judged", default=10)
@shared("--rel", default=1)
@option(
    "--tolerance",
    "A simpler strategy is as good as the best if it loses no more than this.",
    "DELTA",
    type=float,
    default=0.01,
)
@judged_topics_options
@shared("--seed", default=0)
@result_options
def train(
    output: str, space: tuple[str, ...], utility: str, costs: str | None, feedback: tuple[str, ...], **choices: Any
) -> None:
    """Train an agent on INDEX, with the judgments QRELS of TOPICS, and write it to --output.

    Training that was interrupted goes on where it was, if it is given the same again.
    """
    from germane.api.learning.agent import DEFAULT_FEEDBACK, JOURNAL, Agent
    from germane.formats.files.targets import require_new

    require_new(output, hint="this agent may hold feedback; choose another name")
    decides = None if costs is None else _costs(costs)
    if utility == "costs" and decides is None:
        raise GermaneError("--utility costs needs --costs", hint="for example --costs=-4,1")
    journal = Path(output + JOURNAL)
    with progress("strategies") as advance:
        choices |= {"utility": decides} if utility == "costs" else {"utility": utility, "costs": decides}
        choices |= {"space": space or None, "feedback": feedback or DEFAULT_FEEDBACK}
        agent = Agent.train(resume=journal, progress=advance, **choices)
    agent.save(output, overwrite=False)
    journal.unlink(missing_ok=True)
    print_result(agent.describe())


@subcommand(
    command, "search", "germane agent search agent.json library red wine", "germane agent search agent.json library"
)
@arguments("agent", "index")
@click.argument("query", nargs=-1)
@shared("--top", "size", otherwise="as many as the costs justify")
@format_options
def search(agent: str, index: str, query: tuple[str, ...], size: int | None) -> None:
    """Ask AGENT about the documents of INDEX: once for QUERY, or again and again, telling it what is relevant.

    What it is told is written to AGENT at once.
    """
    from germane.api.learning.agent import Agent
    from germane.cli.loops.agent_loop import HELP, AgentLoop
    from germane.cli.loops.conversation import require_text

    style = printing().style
    if style != "table" and not query:
        raise GermaneError(f"--format {style} prints the answer to one query", hint="give the query after the index")
    found = Agent.open(agent, index)
    text = require_text(" ".join(query))
    if query:
        print_result(found.search(text, size))
        return
    click.echo(f"{found.index!r}\nstrategy {found.strategy}, feedback {found.feedback or 'none'}\n\n{HELP}")
    print_notes(found.notes)
    AgentLoop(found, agent, size, coloured=wants_color()).run()


@subcommand(command, "simulate", "germane agent simulate agent.json library topics.tsv judged.txt --rounds 2")
@arguments("agent", "index", "topics", "qrels")
@shared("--rounds", default=3)
@shared("--judged", type=click.IntRange(1), default=10)
@option("--error-rate", "The share of wrong judgments.", "SHARE", default=0.0)
@option("--ask", "The last document of each round is the one that the agent asks about.")
@shared("--measure", otherwise="that of the agent's training")
@shared("--rel", otherwise="that of the agent's training")
@judged_topics_options
@shared("--seed", default=0)
@result_options
def simulate(agent: str, index: str, **choices: Any) -> None:
    """Let QRELS play people who ask TOPICS, look and judge; compare with an agent that learns nothing.

    Both are compared on the residual collection, after each round. AGENT stays as it is.
    """
    from germane.api.learning.agent import Agent

    print_result(Agent.open(agent, index).simulate(**choices))


@subcommand(command, "show", "germane agent show agent.json")
@click.argument("agent")
@result_options
def show(agent: str) -> None:
    """Say all about AGENT: what it does and why, how good its decisions are, and where it is weak."""
    from germane.learning.agent.description import AgentDescription
    from germane.learning.agent.state import read_state

    state = read_state(agent)
    print_result(AgentDescription(state, state.notes))


def _costs(text: str) -> Any:
    from germane.retrieval.probability.ranking_principle import Costs

    try:
        relevant, other, *missed = [float(part) for part in text.replace("−", "-").split(",")]
        [left] = missed or [0.0]
    except ValueError:
        raise GermaneError(f"expected costs C,C′ or C,C′,MISSED, as in -4,1, found {text!r}") from None
    return Costs(relevant, other, left)
