"""Pooling: which documents of many runs people should judge, given how many they can judge.

A method makes a `Queue` for each topic: the next document to judge, given the judgments so far. `all_methods` lists
them; a file holds one family.
"""

from germane.judging.pooling import (  # noqa: F401 - each fills the registry
    bandits,
    base_and_top,
    depth,
    fused,
    hedge,
    move_to_front,
    sampling,
)
from germane.judging.pooling.lists import Draws, TopicLists, topic_lists
from germane.judging.pooling.queue import FixedOrder, Queue, SampledOrder, replay, resume
from germane.judging.pooling.registry import POOLING, Method, all_methods, method_of

__all__ = [
    "POOLING",
    "Draws",
    "FixedOrder",
    "Method",
    "Queue",
    "SampledOrder",
    "TopicLists",
    "all_methods",
    "method_of",
    "replay",
    "resume",
    "topic_lists",
]
