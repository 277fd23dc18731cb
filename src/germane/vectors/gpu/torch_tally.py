"""What was counted on a device, and the ranks that follow: `ranks` in torch."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import torch

from germane.tables.columns.ids import IntArray
from germane.vectors.gpu import torch_counting as plain
from germane.vectors.matrix import Vectors
from germane.vectors.pairs import Pairs
from germane.vectors.ranks import Ranks


@dataclass(frozen=True, eq=False)
class Limits:
    """The thresholds on a device: `score` has those of each query in its row, rising, filled up with infinity.

    `start` says where those of each query begin in a row of all, `doc` whose scores they are, `order` where each stood
    among the pairs as they were given, and `given` the scores as they were given.
    """

    score: torch.Tensor
    there: torch.Tensor
    start: torch.Tensor
    doc: torch.Tensor
    order: torch.Tensor
    given: torch.Tensor

    @classmethod
    def of(cls, pairs: Pairs, score: torch.Tensor, num_queries: int) -> Limits:
        """Sort the scores of the listed pairs."""
        query, doc = (torch.as_tensor(each, device=score.device) for each in (pairs.query, pairs.doc))
        number = torch.arange(len(query), device=score.device)
        order = number if bool((query.diff() >= 0).all()) else torch.argsort(query, stable=True)
        query = query[order]
        sizes = torch.bincount(query, minlength=num_queries)
        start = torch.cumsum(sizes, 0) - sizes
        # A power of two, with room for the number of thresholds itself as a position.
        width = 1 << int(sizes.max()).bit_length()
        filled = torch.full((num_queries, width), torch.inf, dtype=torch.float64, device=score.device)
        filled.view(-1)[query * width + number - start[query]] = score[order]
        limits, column = filled.sort(dim=1, stable=True)
        there = torch.arange(width, device=score.device) < sizes[:, None]
        order = order[(column + start[:, None])[there]]
        return cls(limits, there, start, doc[order], order, score)


class Tally:
    """What was counted on the device, listed documents included, and the documents that were scored again."""

    def __init__(self, limits: Limits, docs: Vectors, ties: str) -> None:
        self.limits, self.docs, self.ties = limits, docs, ties
        self.histogram = torch.zeros(limits.score.shape, dtype=torch.int64, device=limits.score.device)
        self.equal, self.ahead = (torch.zeros_like(limits.doc) for _ in range(2))

    def add(self, query: torch.Tensor, doc: torch.Tensor, score: torch.Tensor, sign: int = 1) -> None:
        """Count documents by their scores; with sign -1, take them out again."""
        limits = self.limits.score
        below = plain.best_tally(limits)(limits, self.histogram, query, score, sign)
        tied = (below >= 0).nonzero()[:, 0]
        while len(tied):
            query, doc, score, below = query[tied], doc[tied], score[tied], below[tied]
            threshold = self.limits.start[query] + below
            self.equal.index_add_(0, threshold, torch.full_like(threshold, sign))
            others = (self.limits.doc[threshold] != doc).nonzero()[:, 0]
            if len(others):
                self._stand_ahead(threshold[others], doc[others], sign)
            below = below + 1
            tied = (limits[query, below] == score).nonzero()[:, 0]

    def _stand_ahead(self, threshold: torch.Tensor, doc: torch.Tensor, sign: int) -> None:
        """Of documents that equal a threshold, count those that come before its own by the rule for ties."""
        rows = torch.cat((doc, self.limits.doc[threshold])).cpu().numpy()
        place = places_among(self.docs, rows, self.ties)
        first = torch.as_tensor(place[: len(doc)] > place[len(doc) :], device=doc.device)
        self.ahead.index_add_(0, threshold, sign * first.long())

    def ranks(self) -> Ranks:
        """Add up: a document above n thresholds stands above each of the lowest n."""
        above = torch.zeros_like(self.histogram)
        above[:, :-1] = self.histogram[:, 1:].flip(1).cumsum(1).flip(1)
        of_threshold = above[self.limits.there]
        columns = torch.stack((of_threshold + self.ahead + 1, of_threshold + 1, of_threshold + self.equal))
        given = torch.empty_like(columns)
        given[:, self.limits.order] = columns
        rank, first, last = given.cpu().numpy()
        return Ranks(self.limits.given.cpu().numpy(), rank, first, last, self._order(columns[0]).cpu().numpy())

    def _order(self, rank: torch.Tensor) -> torch.Tensor:
        """The pairs as they were given, by query and rank."""
        query = torch.repeat_interleave(self.limits.there.sum(1), output_size=len(rank))
        return self.limits.order[torch.argsort(query * (self.docs.num + 1) + rank)]


def places_among(docs: Vectors, rows: IntArray, ties: str) -> IntArray:
    """A number for each of these documents, larger for the one that comes first among equal scores."""
    if ties == "order":
        return -rows
    wanted, at = np.unique(rows, return_inverse=True)
    place: Any = docs.ids.take(wanted).byte_order()[at]
    return np.asarray(place, dtype=np.int64)
