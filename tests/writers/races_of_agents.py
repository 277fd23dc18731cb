"""Agents that two processes teach, and the journals of tuning."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np

from germane.api.learning.agent import Agent
from germane.cli.loops.agent_loop import AgentLoop
from germane.learning.agent.state import read_state
from germane.learning.tuning.journal import Journal
from germane.retrieval.indexes.index import Index
from tests.learning.agent import small_world
from tests.writers.race import Race, Ready, add, begin_with_nothing

QUERIES = small_world.WORDS
DOCS = list(small_world.documents())
ABOUT = {"measure": "AP", "k": 10, "queries": ["q1", "q2"], "data": "a hash"}


@cache
def index() -> Index:
    return small_world.index()


@cache
def trained() -> Agent:
    return small_world.trained()


def begin(folder: Path) -> None:
    trained().copy().save(folder / "agent.json")


def teach(folder: Path, number: int, ready: Ready) -> str:
    """Open the agent, judge one document, save."""
    agent = Agent.open(folder / "agent.json", index())
    ready()
    query, doc = QUERIES[number % len(QUERIES)], DOCS[number % len(DOCS)]
    agent.learn(query, {doc: True})
    agent.save(folder / "agent.json")
    return f"{query} {doc}"


def mark(folder: Path, number: int, ready: Ready) -> str:
    """As `germane agent search` does: ask, and say that the first result is relevant."""
    loop = AgentLoop(Agent.open(folder / "agent.json", index()), str(folder / "agent.json"), 5)
    query = QUERIES[number % len(QUERIES)]
    loop.reply(query)
    ready()
    return f"{query} {loop.reply('+ 1').partition(':')[0]}"


def taught(folder: Path) -> set[str]:
    """What the agent was told. All that it learned must be what one process learns from the same log."""
    state = read_state(folder / "agent.json")
    alone = trained().copy()
    for one in state.judgments:
        alone._learn([one])
    assert alone.state.to_json() == state.to_json()
    return {f"{query} {doc}" for query, docs in state.marks.items() for doc, relevant in docs.items() if relevant}


def save_as_new(folder: Path, number: int, ready: Ready) -> str:
    """As `germane agent train -o` does."""
    agent = trained().copy()
    query, doc = QUERIES[number], DOCS[number]
    agent.learn(query, {doc: True})
    ready()
    agent.save(folder / "agent.json", overwrite=False)
    return f"{query} {doc}"


def note_strategy(folder: Path, number: int, ready: Ready) -> str:
    ready()
    with Journal(folder / "tuning.jsonl", ABOUT) as journal:
        journal.add(f"BM25(k1={number})", np.array([0, 1]), np.array([0.25, 0.5]))
    return f"BM25(k1={number})"


def noted(folder: Path) -> set[str]:
    with Journal(folder / "tuning.jsonl", ABOUT) as journal:  # as who goes on after a crash
        return {strategy for strategy, _, _ in journal.entries()}


add(Race("agent", begin, teach, taught, kills=True))
add(Race("agent_search", begin, mark, taught))
add(Race("agent_new", begin_with_nothing, save_as_new, taught, refusal="file already exists"))
add(
    Race(
        "tuning_journal",
        begin_with_nothing,
        note_strategy,
        noted,
        refusal="another process is writing to this journal",
        retries=True,
        kills=True,
    )
)
