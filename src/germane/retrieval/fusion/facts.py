"""Counts behind the notes on a fusion, for all queries or for some of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from germane.errors import GermaneError
from germane.retrieval.fusion.lists import Lists
from germane.tables.columns.ids import IntArray, to_text
from germane.tables.notes.counts import counted
from germane.tables.notes.note import Note

if TYPE_CHECKING:
    from germane.retrieval.fusion.fuse_runs import FusionPlan

EXAMPLES = 3
"""Maximum number of query ids in a note or an error."""


@dataclass
class FusionFacts:
    """Counts behind the notes on a fusion; those of several parts of the queries can be merged."""

    num_rows: int
    shares_queries: bool
    """Whether some query is in two runs."""
    overlaps: bool
    """Whether some document is in two runs for the same query."""
    own: list[list[bytes]]
    """The first queries of each run."""
    missing: list[list[bytes]]
    """The first queries that each run lacks."""
    num_missing: IntArray
    equal: IntArray
    """Number of queries of each run whose scores are all equal."""
    num_negative: int = 0

    @classmethod
    def of(cls, lists: Lists) -> FusionFacts:
        """Count what the rankings alone show."""
        everything = np.arange(len(lists.queries))
        own = [lists.list_query[lists.list_run == run] for run in range(len(lists.runs))]
        missing = [np.setdiff1d(everything, queries) for queries in own]
        return cls(
            num_rows=len(lists.score),
            shares_queries=bool((np.bincount(lists.list_query, minlength=1) > 1).any()),
            overlaps=bool((lists.num_runs > 1).any()),
            own=[_examples(lists, queries) for queries in own],
            missing=[_examples(lists, queries) for queries in missing],
            num_missing=np.asarray(list(map(len, missing))),
            equal=np.zeros(len(lists.runs), dtype=np.int64),
        )

    def merged(self, other: FusionFacts) -> FusionFacts:
        """Return the facts of these queries and of others."""
        own, missing = (
            [sorted(a + b)[:EXAMPLES] for a, b in zip(mine, theirs, strict=True)]
            for mine, theirs in ((self.own, other.own), (self.missing, other.missing))
        )
        return FusionFacts(
            num_rows=self.num_rows + other.num_rows,
            shares_queries=self.shares_queries or other.shares_queries,
            overlaps=self.overlaps or other.overlaps,
            own=own,
            missing=missing,
            num_missing=self.num_missing + other.num_missing,
            equal=self.equal + other.equal,
            num_negative=self.num_negative + other.num_negative,
        )

    def require_shared_queries(self, names: Sequence[str]) -> None:
        """Reject runs that share no query: most likely their ids are formatted differently."""
        if not self.shares_queries:
            named = zip(names, self.own, strict=True)
            shown = "; ".join(f"{name} has {', '.join(map(to_text, queries)) or 'none'}" for name, queries in named)
            raise GermaneError(f"the runs share no query: {shown}", hint="check that all runs use the same query ids")

    def notes(self, plan: FusionPlan) -> Iterator[Note]:
        """Yield the notes on the runs, and on their scores."""
        for name, count, queries in zip(plan.names, self.num_missing.tolist(), self.missing, strict=True):
            if count:
                what = "without documents; fused from the other runs"
                shown = tuple(map(to_text, queries))
                yield Note("missing-queries", counted(count, "query"), what, name, count, shown)
        if not self.overlaps:
            what = "no document is in two runs for the same query; check that document ids match"
            yield Note("no-overlap", "", what)
        if plan.scaling is None:
            return
        what = f"with all scores equal ({plan.scaling}: they {plan.scaling.equal_scores})"
        for name, count in zip(plan.names, self.equal.tolist(), strict=True):
            if count:
                yield Note("equal-scores", counted(count, "query"), what, name, count)
        if self.num_negative and plan.method.adds_zero:
            below = f"{plan.method.name} ranks them below documents missing from the run, which add 0"
            what = f"of scores are negative; {below} (use --normalise minmax)"
            share = self.num_negative / self.num_rows
            yield Note("negative-scores", f"{share:.1%}", what, count=self.num_negative, share=share)


def _examples(lists: Lists, queries: IntArray) -> list[bytes]:
    return [lists.queries.bytes_at(int(query)) for query in queries[:EXAMPLES]]
