"""`germane agent`: train a search agent on judged topics, search with it, and evaluate what it learns."""

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
    """Train a search agent on judged topics; it then learns from feedback."""


command: Group = make_command("agent", cls=Group)(_agent)


@subcommand(
    command,
    "train",
    "germane agent train library topics.tsv judged.txt -o agent.json",
    "germane agent train library topics.tsv judged.txt --space 'BM25(k1={0.9,1.2})' --costs=-4,1 -o agent.json",
)
@arguments("index", "topics", "qrels")
@shared("--output", required=True)
@shared("--space", "space", multiple=True, otherwise="see `germane tune --list`")
@option(
    "--utility", "What the agent optimises: a measure, or the costs given by --costs.", "MEASURE|costs", default="AP"
)
@shared("--costs", otherwise="-4,1,0")
@shared("--feedback", multiple=True, otherwise="rocchio probabilistic(expand=20)")
@shared("--folds", default=5)
@shared("--depth", default=1000)
@shared("--judged", default=10)
@shared("--rel", default=1)
@option(
    "--tolerance",
    "Prefer a simpler strategy if its utility is shown to be at most DELTA below the best.",
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
    """Train an agent on INDEX with TOPICS and their judgments QRELS, and write it to --output.

    To resume an interrupted training, run the same command again.
    """
    from germane.api.learning.agent import DEFAULT_FEEDBACK, JOURNAL, Agent
    from germane.formats.files.targets import require_new

    require_new(output, hint="this agent may hold feedback; choose another name")
    decides = None if costs is None else _costs(costs)
    if utility == "costs" and decides is None:
        raise GermaneError("--utility costs requires --costs", hint="for example: --costs=-4,1")
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
    """Search INDEX with AGENT: once for QUERY, or interactively, telling the agent which results are relevant.

    Feedback is saved to AGENT immediately.
    """
    from germane.api.learning.agent import Agent
    from germane.cli.loops.agent_loop import HELP, AgentLoop
    from germane.cli.loops.conversation import require_text

    style = printing().style
    if style != "table" and not query:
        raise GermaneError(f"--format {style} requires a query", hint="add the query after the index")
    found = Agent.open(agent, index)
    text = require_text(" ".join(query))
    if query:
        print_result(found.search(text, size))
        return
    click.echo(f"{found.index!r}\nstrategy {found.strategy}, feedback {found.feedback or 'none'}\n\n{HELP}")
    print_notes(found.notes, explain=printing().notes)
    AgentLoop(found, agent, size, coloured=wants_color()).run()


@subcommand(command, "simulate", "germane agent simulate agent.json library topics.tsv judged.txt --rounds 2")
@arguments("agent", "index", "topics", "qrels")
@shared("--rounds", default=3)
@shared("--judged", type=click.IntRange(1), default=10)
@option("--error-rate", "Share of simulated judgments that are wrong.", "SHARE", default=0.0)
@option("--ask", "Let the agent choose the last document to judge in each round.")
@shared("--measure", otherwise="as in training")
@shared("--rel", otherwise="as in training")
@judged_topics_options
@shared("--seed", default=0)
@result_options
def simulate(agent: str, index: str, **choices: Any) -> None:
    """Simulate users who search for TOPICS and judge results as in QRELS; compare with an agent that does not learn.

    Both are compared on the residual collection after each round. AGENT is not changed.
    """
    from germane.api.learning.agent import Agent

    print_result(Agent.open(agent, index).simulate(**choices))


@subcommand(command, "show", "germane agent show agent.json")
@click.argument("agent")
@result_options
def show(agent: str) -> None:
    """Show what AGENT does and why, how good its decisions are, and where it is weak."""
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
        raise GermaneError(f"expected costs C,C′ or C,C′,MISSED, such as -4,1, found {text!r}") from None
    return Costs(relevant, other, left)
