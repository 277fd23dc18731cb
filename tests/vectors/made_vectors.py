"""Vectors with many ties, and the ranking that a full sort of all scores makes of them."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from hypothesis import strategies as st

from germane.tables.columns.ids import Ids
from germane.vectors import on_numpy
from germane.vectors.counting import TieOrder
from germane.vectors.matrix import KINDS, Vectors
from germane.vectors.pairs import Pairs
from germane.vectors.ranks import Ranks
from germane.vectors.similarity import SIMILARITIES, Similarity

Generator = np.random.Generator


def single(rows: Any) -> npt.NDArray[np.float32]:
    """Numbers in single precision."""
    return np.array(rows, dtype=np.float32)


class Case(NamedTuple):
    """Vectors, the pairs whose ranks are asked for, and those left out."""

    queries: Vectors
    docs: Vectors
    pairs: Pairs
    excluded: Pairs
    similarity: Similarity
    ties: TieOrder


def make_values(random: Generator, kind: str, num: int, dimensions: int, *, coarse: bool) -> npt.NDArray[Any]:
    """Numbers as they are stored; coarse ones are often equal. None is all zeros."""
    if kind == "binary":
        mask = np.uint8(0b10010001 if coarse else 255)
        return random.integers(0, 256, (num, -(-dimensions // 8)), dtype=np.uint8) & mask
    if kind == "int8":
        low, high = (-2, 3) if coarse else (-128, 128)
        return random.integers(low, high, (num, dimensions)).astype(np.int8) | np.int8(1)
    values = random.standard_normal((num, dimensions))
    if coarse:
        values = np.round(values * 2) / 2 + 0.25
    if kind == "bfloat16":
        return (values.astype(np.float32).view(np.uint32) >> 16).astype(np.uint16)
    return values.astype(kind)


def make_case(
    random: Generator, kind: str, similarity: Similarity, *, most_docs: int = 40, most_pairs: int = 40, ties: TieOrder
) -> Case:
    """A case at random, half of the documents sometimes copies of the others, in ids of any order."""
    num_queries, num_docs, dimensions = (int(random.integers(1, n)) for n in (6, most_docs, 20))
    coarse = bool(random.integers(2))
    queries = make_values(random, kind, num_queries, dimensions, coarse=coarse)
    docs = make_values(random, kind, num_docs, dimensions, coarse=coarse)
    if random.integers(2):
        docs[num_docs // 2 :] = docs[: num_docs - num_docs // 2]
    listed, left_out = [], []
    for query in range(num_queries):
        order = random.permutation(num_docs).tolist()
        count = int(random.integers(0, min(num_docs, most_pairs) + 1))
        listed += [(query, doc) for doc in order[:count]]
        left_out += [(query, doc) for doc in order[count : count + int(random.integers(0, 4))]]
    ids = Ids.of(f"d{number}" for number in random.permutation(num_docs).tolist())
    return Case(
        Vectors.of(queries, kind=kind),
        Vectors.of(docs, kind=kind, ids=ids),
        pairs_of(listed),
        pairs_of(left_out),
        similarity,
        ties,
    )


def pairs_of(pairs: Sequence[tuple[int, int]]) -> Pairs:
    return Pairs.of([query for query, _ in pairs], [doc for _, doc in pairs])


def all_scores(case: Case) -> npt.NDArray[np.float64]:
    """The score of every query with every document."""
    queries, docs = case.queries, case.docs
    every = Pairs.of(np.repeat(np.arange(queries.num), docs.num), np.tile(np.arange(docs.num), queries.num))
    norms = queries.all_squared_norms()
    scores = on_numpy.Scoring(queries, docs, case.similarity, norms, np.float64).scores(every)
    return scores.reshape(queries.num, docs.num)


def by_full_sort(case: Case) -> Ranks:
    """Sort all documents of each query that are not left out, and look the pairs up."""
    scores = all_scores(case)
    names = case.docs.ids.to_bytes_list()
    score, rank, first, last = [], [], [], []
    for query, doc in zip(case.pairs.query.tolist(), case.pairs.doc.tolist(), strict=True):
        out = set(case.excluded.doc[case.excluded.query == query].tolist())
        ranking = [row for row in range(case.docs.num) if row not in out]
        if case.ties == "docno":
            ranking.sort(key=lambda row: names[row], reverse=True)
        ranking.sort(key=lambda row, query=query: -scores[query, row])  # type: ignore[misc]
        tied = [place for place, row in enumerate(ranking, start=1) if scores[query, row] == scores[query, doc]]
        score.append(scores[query, doc])
        rank.append(ranking.index(doc) + 1)
        first.append(tied[0])
        last.append(tied[-1])
    order = np.lexsort((np.array(rank), case.pairs.query))
    return Ranks(np.array(score), *(np.array(column, dtype=np.int64) for column in (rank, first, last, order)))


def differences(found: Ranks, expected: Ranks) -> list[str]:
    """The columns in which two answers differ."""
    names = ("score", "rank", "first", "last", "order")
    return [name for name in names if not np.array_equal(getattr(found, name), getattr(expected, name))]


def similarities_of(kind: str) -> list[Similarity]:
    """Those that compare such vectors."""
    return [each for each in SIMILARITIES.values() if each.is_binary == (kind == "binary")]


COMBINATIONS = [(kind, similarity) for kind in KINDS for similarity in similarities_of(kind)]
SEEDS = st.integers(0, 2**32 - 1)
