"""Exact ranks of judged documents among all vectors, against the matrix product alone and a full sort; and the exact
100 nearest documents, against FAISS where it is installed.

    python -m benchmarks.vectors DOCS [ROUNDS]      prints the seconds of each, as JSON

1,000 queries and DOCS documents of 384 components in single precision, random directions, compared by dot product. The
judged documents are drawn at random, so that they stand anywhere in the ranking: with documents from the top, as people
judge them, fewer scores lie near a threshold. The full sort is timed for every tenth query and counted ten times.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from importlib.util import find_spec

import numpy as np
import numpy.typing as npt

from germane.vectors.counting import rank_pairs
from germane.vectors.matrix import Vectors
from germane.vectors.pairs import Pairs
from germane.vectors.similarity import similarity_called
from germane.vectors.top_k import nearest_rows

QUERIES, DIMENSIONS, BLOCK = 1_000, 384, 8_000
SORTED = 10
"""Sort only every tenth query in full."""
NEAREST = 100
SAME_SCORE = 1e-5
"""Scores of this distance may be in any order: FAISS computes in single precision."""
Floats = npt.NDArray[np.float32]


def main(num_docs: int, rounds: int = 3) -> dict[str, list[float]]:
    """Time each in turn; the ranks are compared with those of the full sort."""
    random = np.random.default_rng(0)
    queries, docs = (_directions(random, num) for num in (QUERIES, num_docs))
    listed = {judged: _pairs(random, judged, num_docs) for judged in (1, 50)}
    sides = Vectors.of(queries), Vectors.of(docs)
    ways: dict[str, Callable[[], object]] = {
        "product": lambda: _product(queries, docs),
        "1 judged": lambda: rank_pairs(*sides, listed[1], similarity_called("dot")),
        "50 judged": lambda: rank_pairs(*sides, listed[50], similarity_called("dot")),
    }
    best: dict[str, npt.NDArray[np.floating]] = {}
    ways["nearest"] = lambda: best.update(germane=nearest_rows(*sides, NEAREST, similarity_called("dot")).score)
    if find_spec("faiss"):
        ways["faiss"] = lambda: best.update(faiss=_faiss(queries, docs))
    seconds: dict[str, list[float]] = {name: [] for name in (*ways, "sort")}
    for _ in range(rounds):
        for name, way in ways.items():
            began = time.perf_counter()
            way()
            seconds[name].append(time.perf_counter() - began)
    began = time.perf_counter()
    order = _sorted(queries[::SORTED], docs)
    part = time.perf_counter() - began
    seconds["sort"].append(SORTED * part)
    if not all(np.allclose(best["germane"], scores, rtol=0, atol=SAME_SCORE) for scores in best.values()):
        raise SystemExit("germane and FAISS find different documents")
    _require_same(order, listed[50], rank_pairs(*sides, listed[50], similarity_called("dot")).first)
    return seconds


def _directions(random: np.random.Generator, num: int) -> Floats:
    values = random.standard_normal((num, DIMENSIONS), dtype=np.float32)
    return np.asarray(values / np.linalg.norm(values, axis=1, keepdims=True), dtype=np.float32)


def _pairs(random: np.random.Generator, judged: int, num_docs: int) -> Pairs:
    docs = [random.choice(num_docs, judged, replace=False) for _ in range(QUERIES)]
    return Pairs.of(np.repeat(np.arange(QUERIES), judged), np.concatenate(docs))


def _product(queries: Floats, docs: Floats) -> None:
    room = np.empty((len(queries), BLOCK), dtype=np.float32)
    for first in range(0, len(docs), BLOCK):
        part = docs[first : first + BLOCK]
        np.matmul(queries, part.T, out=room[:, : len(part)] if len(part) < BLOCK else room)


def _faiss(queries: Floats, docs: Floats) -> Floats:
    """Search an index that holds the vectors as they are: every product, and the highest of them."""
    import faiss  # type: ignore[import-not-found, unused-ignore]  # only where the benchmarks run

    index = faiss.IndexFlatIP(docs.shape[1])
    index.add(docs)
    scores: Floats = index.search(queries, NEAREST)[0]
    return scores


def _sorted(queries: Floats, docs: Floats) -> npt.NDArray[np.int64]:
    return np.argsort(-(queries @ docs.T), axis=1)


def _require_same(order: npt.NDArray[np.int64], pairs: Pairs, first: npt.NDArray[np.int64]) -> None:
    """Check the ranks; in single precision they may differ by a few places where scores are nearly equal."""
    place = np.empty_like(order)
    np.put_along_axis(place, order, np.arange(1, order.shape[1] + 1)[None, :], axis=1)
    mine = np.flatnonzero(pairs.query % SORTED == 0)
    apart = np.abs(place[pairs.query[mine] // SORTED, pairs.doc[mine]] - first[mine])
    if apart.max() > 50 or np.mean(apart) > 2:
        raise SystemExit(f"ranks differ from those of a full sort by up to {apart.max()}")


if __name__ == "__main__":
    json.dump(main(*map(int, sys.argv[1:])), sys.stdout)
