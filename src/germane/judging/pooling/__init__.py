"""Pooling: which documents of many runs people should judge, given how many they can judge.

A method makes a `Queue` for each topic: the next document to judge, given the judgments so far. `POOLING` lists
them; a file holds one family.
"""

from germane.judging.pooling.lists import Draws, TopicLists, topic_lists
from germane.judging.pooling.method import POOLING, Method
from germane.judging.pooling.queue import FixedOrder, Queue, SampledOrder, replay, resume

__all__ = [
    "POOLING",
    "Draws",
    "FixedOrder",
    "Method",
    "Queue",
    "SampledOrder",
    "TopicLists",
    "replay",
    "resume",
    "topic_lists",
]
