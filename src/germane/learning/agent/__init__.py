"""The agent: trained on a known corpus with judgments, sent out to answer, and learning from what it is told."""

from germane.learning.agent.agent import Agent
from germane.learning.agent.answers import Answer, AnswerLine
from germane.learning.agent.description import AgentDescription
from germane.learning.agent.questions import Question
from germane.learning.agent.simulation import Behaviour, Simulation, simulate_users
from germane.learning.agent.state import AgentState, read_state, write_state
from germane.learning.agent.training.train import train_agent
from germane.learning.agent.weak_spots import WeakSpot

__all__ = [
    "Agent",
    "AgentDescription",
    "AgentState",
    "Answer",
    "AnswerLine",
    "Behaviour",
    "Question",
    "Simulation",
    "WeakSpot",
    "read_state",
    "simulate_users",
    "train_agent",
    "write_state",
]
