"""The catalogue of pooling methods: each is one function that describes itself.

>>> POOLING.parse("rrf(c=10)")
rrf(k=10)
>>> POOLING["hedge"].summary[:27]
'Hedge: a weighted vote of t'
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from germane.catalogue import Catalogue, Entry
from germane.errors import GermaneError
from germane.judging.pooling.lists import Draws, TopicLists
from germane.judging.pooling.queue import Queue

KINDS = {
    "fixed": "fixed (needs no judgments)",
    "adaptive": "adaptive (uses the judgments so far)",
    "sample": "random sample of the documents",
}


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Method(Entry):
    """A pooling method with its parameters: a function of a topic's lists and its random numbers.

    `fixed` methods need no judgments, `adaptive` ones choose each document by the judgments so far, and a `sample`
    leaves documents of the pool out by chance. `random` ones ask for other documents with another seed.
    """

    kind: Literal["fixed", "adaptive", "sample"]
    random: bool
    needs_collection: bool = False

    def start(self, lists: TopicLists, draws: Draws) -> Queue:
        """The queue of one topic, with nothing judged yet."""
        if self.needs_collection and not lists.collection:
            raise GermaneError(f"{self.name} requires the document ids of the collection", hint="pass `collection=…`")
        queue: Queue = self.target(lists, draws, **dict(self.rest))
        return queue

    @property
    def declared(self) -> Mapping[str, str]:
        return {"Kind": KINDS[self.kind]}


class Methods(Catalogue[Method, Method]):
    """Pooling methods; `c` of reciprocal rank fusion is its `k`."""

    def translate(self, entry: Method, given: list[tuple[str, str]]) -> list[tuple[str, str]]:
        return [("k" if (entry.name, key) == ("rrf", "c") else key, value) for key, value in given]


FILES = [f"germane.judging.pooling.{family}" for family in ("fixed", "adaptive", "sampling")]
"""Pooling methods in reading order."""
POOLING = Methods("pooling method", Method, Method, FILES, example="depth or rrf(k=10)")
