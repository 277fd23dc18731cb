"""Input of pooling: the ranking of every run per topic, in the order that evaluation uses."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import numpy.typing as npt

from germane.formats.rows.number_text import score_places
from germane.tables.columns.ids import to_bytes, to_text
from germane.tables.rankings.run import Run

WORDS_AT_ONCE = 1 << 12


@dataclass(frozen=True, eq=False)
class TopicLists:
    """The rankings of one topic, cut at the depth of the pool.

    Documents have numbers: their place in `docs`, which holds each document that some run ranks, Z before A. That is
    how evaluation breaks ties, so the least number wins wherever two documents are equally good.
    """

    topic: str
    docs: tuple[str, ...]
    ranked: tuple[tuple[int, ...], ...]
    """Documents by run, best first."""
    scores: tuple[tuple[float, ...], ...] = ()
    collection: tuple[str, ...] = ()
    """All documents of the collection, for methods that sample from it."""

    @classmethod
    def of(cls, rankings: Sequence[str], topic: str = "q1", collection: Sequence[str] = ()) -> TopicLists:
        """Return rankings from one text per run; scores fall by 1 from each document to the next.

        >>> lists = TopicLists.of(["a b", "b c"])
        >>> lists.docs, lists.ranked
        (('c', 'b', 'a'), ((2, 1), (1, 0)))
        """
        words = [ranking.split() for ranking in rankings]
        docs = tuple(sorted({doc for ranking in words for doc in ranking}, key=to_bytes, reverse=True))
        number = {doc: i for i, doc in enumerate(docs)}
        ranked = tuple(tuple(number[doc] for doc in ranking) for ranking in words)
        scores = tuple(tuple(float(len(ranking) - i) for i in range(len(ranking))) for ranking in words)
        return cls(topic, docs, ranked, scores, tuple(collection))

    @cached_property
    def rank(self) -> tuple[dict[int, int], ...]:
        """Rank of each document by run, counting from 1."""
        return tuple({doc: rank for rank, doc in enumerate(ranking, start=1)} for ranking in self.ranked)

    @cached_property
    def holders(self) -> tuple[tuple[int, ...], ...]:
        """Runs that rank each document."""
        runs: list[list[int]] = [[] for _ in self.docs]
        for run, ranking in enumerate(self.ranked):
            for doc in ranking:
                runs[doc].append(run)
        return tuple(map(tuple, runs))

    @cached_property
    def best_rank(self) -> tuple[int, ...]:
        """Best rank of each document over all runs."""
        return tuple(
            min(self.rank[run][doc] for run in runs) if runs else len(self.docs) + 1
            for doc, runs in enumerate(self.holders)
        )

    @property
    def longest(self) -> int:
        """The length of the longest ranking."""
        return max(map(len, self.ranked), default=0)

    def by_best_rank(self, depth: int) -> list[int]:
        """Return documents by best rank, down to a depth; documents in no run are omitted."""
        kept = [doc for doc, runs in enumerate(self.holders) if runs and self.best_rank[doc] <= depth]
        return sorted(kept, key=self.best_rank.__getitem__)

    def without(self, runs: Sequence[int]) -> TopicLists:
        """Return the topic without these runs; documents keep their numbers."""
        ranked = tuple(() if run in runs else ranking for run, ranking in enumerate(self.ranked))
        scores = tuple(() if run in runs else scores for run, scores in enumerate(self.scores))
        return replace(self, ranked=ranked, scores=scores)


class Draws:
    """Random numbers of one topic by step, independent of other topics and of earlier draws.

    The raw words of PCG64 are the same in every version of numpy and on every machine.

    >>> draws = Draws(seed=1, topic="301")
    >>> draws.uniform(step=5, count=2) == Draws(seed=1, topic="301").uniform(step=5, count=2)
    True
    """

    def __init__(self, seed: int, topic: str) -> None:
        own = int.from_bytes(hashlib.sha256(to_bytes(topic)).digest()[:8], "big")
        self._entropy = [seed, own]
        self._blocks: dict[int, tuple[int, list[list[float]]]] = {}

    def uniform(self, step: int, count: int) -> list[float]:
        """Return random numbers in [0, 1) for a step."""
        size = max(1, WORDS_AT_ONCE // max(count, 1))
        block, row = divmod(step, size)
        known = self._blocks.get(count)
        if known is None or known[0] != block:
            words = np.random.PCG64(self._entropy).advance(block * size * count).random_raw((size, count))
            known = self._blocks[count] = block, ((words >> np.uint64(11)) * 2.0**-53).tolist()
        return known[1][row]

    def permutation(self, size: int) -> npt.NDArray[np.int64]:
        """Return the numbers 0 to size − 1 in random order."""
        words = np.random.PCG64([*self._entropy, 1]).random_raw(size)
        return np.argsort(words, kind="stable")

    def sample(self, size: int, of: int) -> list[int]:
        """Return distinct numbers below `of` in random order; the first ones do not depend on the size."""
        words = np.random.PCG64([*self._entropy, 2]).random_raw(size).tolist()
        moved: dict[int, int] = {}
        chosen = []
        for place, word in enumerate(words):  # a shuffle that stops early, and keeps only what it has moved
            other = place + ((word * (of - place)) >> 64)
            chosen.append(moved.get(other, other))
            moved[other] = moved.get(place, place)
        return chosen


def topic_lists(runs: Sequence[Run], depth: int, collection: Sequence[str] = ()) -> list[TopicLists]:
    """Return the rankings of each topic of any run, topics in byte order.

    Score descending, ties by document id descending: the rank column is not looked at, as evaluation does not.
    """
    rankings: dict[bytes, list[list[tuple[bytes, float]]]] = {}
    for number, run in enumerate(runs):
        place = score_places(run)
        kept = np.flatnonzero(place <= depth)
        kept = kept[np.lexsort((place[kept], run.query[kept]))]
        queries = run.queries.to_bytes_list()
        for query in queries:
            rankings.setdefault(query, [[] for _ in runs])
        rows = zip(run.query[kept].tolist(), run.docs.take(kept).to_bytes_list(), run.score[kept].tolist(), strict=True)
        for query_code, doc, score in rows:
            rankings[queries[query_code]][number].append((doc, score))
    return [_numbered(topic, rankings[topic], tuple(collection)) for topic in sorted(rankings)]


def _numbered(topic: bytes, rankings: list[list[tuple[bytes, float]]], collection: tuple[str, ...]) -> TopicLists:
    docs = sorted({doc for ranking in rankings for doc, _ in ranking}, reverse=True)
    number = {doc: i for i, doc in enumerate(docs)}
    ranked = tuple(tuple(number[doc] for doc, _ in ranking) for ranking in rankings)
    scores = tuple(tuple(score for _, score in ranking) for ranking in rankings)
    return TopicLists(to_text(topic), tuple(map(to_text, docs)), ranked, scores, collection)
