"""Pooling: choose which documents of many runs to judge within a budget.

A method makes a `Queue` for each topic: the next document to judge, given the judgments so far. `POOLING` lists
them; a file holds one kind.
"""

from germane.judging.pooling.method import POOLING

__all__ = ["POOLING"]
