"""Match a run with judgments: which retrieved documents are judged, and their ranks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from germane import kernels
from germane.arguments import checked
from germane.errors import InputError
from germane.tables.columns.id_columns import WrittenLater, find_duplicate
from germane.tables.columns.ids import FloatArray, IntArray, first_row, to_bytes, to_text
from germane.tables.columns.stretches import Stretches
from germane.tables.columns.threads import map_in_threads, num_threads
from germane.tables.rankings.judged_run import JudgedRun, Ties, tie_ends
from germane.tables.rankings.qrels import Qrels
from germane.tables.rankings.run import Run

if TYPE_CHECKING:
    from germane.kernels.reference import Layout, Matcher

ROWS_PER_THREAD = 200_000


class FindsHits(Protocol):
    """Interface of a matcher's results, for all implementations."""

    def found(self) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]: ...
    def names(self) -> list[bytes]: ...
    @property
    def rising_queries(self) -> int: ...


def new_matcher(qrels: Qrels, ties: Ties, score_type: str, layout: Layout | None = None) -> Matcher:
    """Return a matcher for these judgments; best, worst and expected order are derived later from groups of ties."""
    rule = ties if ties in ("docno", "order", "rank") else "docno"
    ids = (qrels.queries.data, qrels.queries.offsets, qrels.docs.data, qrels.docs.offsets, qrels.start)
    return kernels.Matcher(*ids, layout, rule, score_type == "float32")


@checked
def match(qrels: Qrels, run: Run, *, ties: Ties = "docno", score_type: str = "float64") -> JudgedRun:
    """Match a run with judgments.

    >>> run = Run.from_dict({"q1": {"d1": 1.0, "d2": 2.0, "d3": 3.0}})
    >>> judged_run = match(Qrels.from_dict({"q1": {"d2": 1, "d9": 1}}), run)
    >>> judged_run.rank, judged_run.num_retrieved
    (array([2]), array([3]))
    """
    if ties == "rank" and run.rank is None:
        raise InputError(run.name, None, "expected a rank column for ties=rank, found none", hint="use `ties='docno'`")
    stretches, order = run.stretches, None
    if stretches.scattered:  # a query has several stretches: group its rows
        order = np.argsort(run.query, kind="stable")
        stretches = Stretches.of(run.query[order])
    parts = _parts(stretches)
    matchers = [new_matcher(qrels, ties, score_type) for _ in parts]
    names = run.queries.to_bytes_list()
    ids = run.docs
    docs, offsets = (ids.column, None) if isinstance(ids, WrittenLater) else (ids.data, ids.offsets)

    def work(share: tuple[Matcher, slice]) -> int:
        matcher, part = share
        codes = np.asarray([matcher.code_of(name) for name in names], dtype=np.int64)
        starts = stretches.start[part.start : part.stop + 1]
        matcher.columns(codes[stretches.code[part]], starts, docs, offsets, run.score, run.rank, order)
        return matcher.finish()

    if kernels.BAD in map_in_threads(work, list(zip(matchers, parts, strict=True))):
        raise _duplicate(run)
    return assemble(qrels, matchers, ties=ties, name=run.name, queries=names)


def shared_queries(matchers: Sequence[FindsHits]) -> bool:
    """Return whether two parts of a run contain rows of the same query."""
    if len(matchers) == 1:  # which reports it itself
        return False
    seen: set[bytes] = set()
    for matcher in matchers:
        names = matcher.names()
        mine = {names[code] for code in matcher.found()[0][:, 0].tolist()}
        if mine & seen:
            return True
        seen |= mine
    return False


def _parts(stretches: Stretches) -> list[slice]:
    """Divide the stretches among threads, with about the same number of rows each."""
    wanted = max(1, min(num_threads(), len(stretches) // ROWS_PER_THREAD))
    ideal = np.arange(1, wanted) * len(stretches) // wanted
    cuts = sorted({int(i) for i in np.searchsorted(stretches.start[:-1], ideal)})
    return [slice(a, b) for a, b in zip([0, *cuts], [*cuts, len(stretches.code)], strict=True)]


def _duplicate(run: Run) -> InputError:
    again = find_duplicate(run.query, run.docs)
    if again is None:
        return InputError(run.name, None, "expected finite scores and each document once per query")
    row = again[1]
    query = run.queries[int(run.query[row])]
    return InputError(run.name, None, f"duplicate document {run.docs[row]!r} for query {query!r}")


def assemble(
    qrels: Qrels, matchers: Sequence[FindsHits], *, ties: Ties, name: str, queries: Sequence[bytes] | None = None
) -> JudgedRun:
    """Combine the results of matchers. `queries` are those of the run, if some may have no documents."""
    found = [matcher.found() for matcher in matchers]
    groups, hits = found[0] if len(found) == 1 else map(np.concatenate, zip(*found, strict=True))
    known = groups[groups[:, 0] < qrels.num_queries]
    num_retrieved = np.zeros(qrels.num_queries, dtype=np.int64)
    num_retrieved[known[:, 0]] = known[:, 1]
    in_run = np.zeros(qrels.num_queries, dtype=bool)
    in_run[known[:, 0]] = True
    if queries is None:
        unknown = {name for matcher in matchers for name in matcher.names()[qrels.num_queries :]}
    else:
        place = {topic: i for i, topic in enumerate(qrels.queries.to_bytes_list())}
        in_run[[place[query] for query in queries if query in place]] = True
        unknown = {query for query in queries if query not in place}
    deepest = int(hits[:, 1].max(initial=0))
    key = qrels.query[hits[:, 0]] * (deepest + 1) + hits[:, 1]
    if (key[1:] < key[:-1]).any():  # seldom: queries mostly come in order, and ties are rare
        hits = hits[np.argsort(key, kind="stable")]
    strangers, rising = tuple(sorted(map(to_text, unknown))), sum(matcher.rising_queries for matcher in matchers)
    doc, rank, first, last = (column.copy() for column in hits.T)
    judged_run = JudgedRun(qrels, in_run, num_retrieved, doc, rank, first, last, ties, name, strangers, rising)
    return reorder_ties(judged_run) if ties in ("best", "worst") else judged_run


def reorder_ties(run: JudgedRun) -> JudgedRun:
    """Order tied documents by grade: the best first, or the worst.

    Best puts relevant documents first, by falling grade, and judged non-relevant ones last, with unjudged documents in
    between. Worst is the reverse.
    """
    grade, relevant, middle = run.grade, run.grade > 0, run.grade < 0
    if run.ties == "best":
        key, at_the_end = np.where(relevant, -grade, np.where(middle, 1.0, 2.0)), ~relevant & ~middle
    else:
        key, at_the_end = np.where(relevant, 2.0 + grade, np.where(middle, 1.0, 0.0)), relevant
    order = np.lexsort((key, run.first, run.query))
    first, last, place = run.first[order], run.last[order], np.arange(len(order))
    front, back = tie_ends(run.query[order], first)
    rank = np.where(at_the_end[order], last - (back - place), first + (place - front))
    return replace(run, doc=run.doc[order], rank=rank, first=first, last=last)


def match_dict(
    qrels: Qrels, run: Mapping[str, Mapping[str, float]], *, ties: Ties, score_type: str, name: str
) -> JudgedRun:
    """Match ``{query: {document: score}}`` without copying its ids, by looking up the judged documents."""
    if ties == "rank":
        raise InputError(
            name, None, "expected a rank column for ties=rank, found a dict of scores", hint="use `ties='docno'`"
        )
    hits: list[tuple[int, int, int, int]] = []
    groups: list[tuple[int, int]] = []
    docs = qrels.docs.to_bytes_list()
    for topic, (query, (a, b)) in enumerate(zip(qrels.queries, pairwise(qrels.start.tolist()), strict=True)):
        if (scores := run.get(query)) is None:
            continue
        groups.append((topic, len(scores)))
        values = _finite(_numbers(scores, name, query), name, query)
        if score_type == "float32":
            with np.errstate(over="ignore"):
                values = _finite(values.astype(np.float32).astype(np.float64), name, query)
        listed = [(row, text) for row in range(a, b) if (text := to_text(docs[row])) in scores]
        if not listed:
            continue
        precision = np.float32 if score_type == "float32" else np.float64
        own = np.asarray([scores[text] for _, text in listed], dtype=precision)
        rising = np.sort(values) if len(listed) > FEW_HITS else None
        places: dict[float, dict[bytes, int]] = {}
        for (row, _), score in zip(listed, own.astype(np.float64).tolist(), strict=True):
            if rising is None:
                above, equal = int(np.count_nonzero(values > score)), int(np.count_nonzero(values == score))
            else:
                low, high = np.searchsorted(rising, score), np.searchsorted(rising, score, side="right")
                above, equal = len(values) - int(high), int(high - low)
            rank = above + 1
            if equal > 1:
                if score not in places:
                    tied = [to_bytes(key) for key, value in zip(scores, values.tolist(), strict=True) if value == score]
                    tied = tied if ties == "order" else sorted(tied, reverse=True)
                    places[score] = {key: place for place, key in enumerate(tied)}
                rank += places[score][docs[row]]
            hits.append((row, rank, above + 1, above + equal))
    found = _Found(np.array(groups, dtype=np.int64).reshape(-1, 2), np.array(hits, dtype=np.int64).reshape(-1, 4))
    return assemble(qrels, [found], ties=ties, name=name, queries=[to_bytes(query) for query in run])


FEW_HITS = 8
"""Maximum judged documents per query for which counting the scores above each is faster than sorting."""


class _Found(NamedTuple):
    groups: IntArray
    hits: IntArray
    rising_queries: int = 0

    def found(self) -> tuple[IntArray, IntArray]:
        return self.groups, self.hits

    def names(self) -> list[bytes]:
        return []


def _numbers(scores: Mapping[str, Any], name: str, query: str) -> FloatArray:
    """Return the scores as an array. Text that looks like a number is refused: adding it up fails, and quickly."""
    try:
        sum(scores.values())
    except TypeError:
        found = next(score for score in scores.values() if not isinstance(score, int | float | np.number))
        problem = f"expected numbers as scores for query {query!r}, found {found!r}"
        raise InputError(name, None, problem) from None
    return np.fromiter(scores.values(), dtype=np.float64, count=len(scores))


def _finite(values: FloatArray, name: str, query: str) -> FloatArray:
    if (row := first_row(~np.isfinite(values))) is not None:
        raise InputError(name, None, f"expected a finite score, found {values[row]} for query {query!r}")
    return values
