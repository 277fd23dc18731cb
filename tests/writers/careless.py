"""Broken specimens: writers that lose what the other one wrote, which the races must catch."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

from germane.api.learning.agent import Agent
from germane.learning.agent.state import write_state
from tests.writers import races_of_agents, races_of_outputs
from tests.writers.race import Race, Ready, begin_with_nothing


def teach_and_overwrite(folder: Path, number: int, ready: Ready) -> str:
    """What the agent learned replaces what is in the file, whoever wrote that."""
    agent = Agent.open(folder / "agent.json", races_of_agents.index())
    ready()
    query, doc = races_of_agents.QUERIES[number], races_of_agents.DOCS[number]
    agent.learn(query, {doc: True})
    write_state(agent.state, folder / "agent.json")
    return f"{query} {doc}"


def share_the_partial_file(folder: Path, number: int, ready: Ready) -> str:
    """Both write to one unfinished file before it gets its name."""
    ready()
    partial = folder / "result.txt.partial"
    with partial.open("wb") as target:
        for _ in range(races_of_outputs.LINES):
            target.write(races_of_outputs.lines(number))
            target.flush()
    with suppress(FileNotFoundError):  # the other one gave it its name
        partial.replace(folder / "result.txt")
    return str(number)


def check_then_write(folder: Path, number: int, ready: Ready) -> str:
    """Look whether the name is free, and write later."""
    taken = (folder / "result.txt").exists()
    ready()
    assert not taken
    return races_of_outputs.write_lines(folder, number, overwrite=True)


CARELESS = {
    "agent": Race("agent", races_of_agents.begin, teach_and_overwrite, races_of_agents.taught, kills=False),
    "output": Race("output", begin_with_nothing, share_the_partial_file, races_of_outputs.last_result),
    "output_new": Race("output_new", begin_with_nothing, check_then_write, races_of_outputs.first_result),
}
