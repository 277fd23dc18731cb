"""The exact top k equals a full sort of the matrix of scores, ties and the cut included."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest

import germane as ge
from germane.api.vectors.nearest import nearest
from germane.errors import GermaneError
from germane.tables.columns.ids import FloatArray
from germane.vectors import on_numpy
from germane.vectors.counting import TieOrder, places
from germane.vectors.matrix import Vectors
from germane.vectors.pairs import NO_PAIRS, Pairs
from germane.vectors.similarity import Similarity, similarity_called
from germane.vectors.top_k import nearest_rows


def floats(values: object) -> npt.NDArray[np.float32]:
    return np.asarray(values, dtype=np.float32)


POINTS = Vectors.of(floats([[1, 0], [2, 0], [1, 1], [0, 1], [1, 5]]))
TOP_BY_HAND = [
    # query   k  ties     excluded  expected          why
    ([1, 0], 1, "docno", [], [1], "the product is 2, all others are less"),
    ([1, 0], 2, "docno", [], [1, 4], "three score 1: the highest id comes first"),
    ([1, 0], 2, "order", [], [1, 0], "three score 1: the first row comes first"),
    ([1, 0], 3, "docno", [1], [4, 2, 0], "what is excluded is not there"),
    ([0, 1], 9, "docno", [], [4, 3, 2, 1, 0], "no more than there are; 0 and 1 score nothing"),
    ([1, 0], 9, "docno", [0, 1, 2, 3, 4], [], "all excluded"),
]


@pytest.mark.parametrize(("query", "k", "ties", "excluded", "expected", "why"), TOP_BY_HAND)
def test_the_top_by_hand(
    query: list[int], k: int, ties: TieOrder, excluded: list[int], expected: list[int], why: str
) -> None:
    left_out = Pairs.of([0] * len(excluded), excluded)
    found = nearest_rows(Vectors.of(floats([query])), POINTS, k, similarity_called("dot"), excluded=left_out, ties=ties)
    assert found.doc[0, : found.num[0]].tolist() == expected, why


def some_vectors(rng: np.random.Generator, kind: str, num: int, dimensions: int, *, coarse: bool) -> Vectors:
    if kind == "binary":
        bits = rng.integers(0, 256, (num, -(-dimensions // 8)), dtype=np.uint8)
        return Vectors.of(bits & np.uint8(3 if coarse else 255), kind="binary")
    if kind == "int8":
        return Vectors.of(rng.integers(-2 if coarse else -128, 3, (num, dimensions)).astype(np.int8) | 1)
    values = rng.standard_normal((num, dimensions))
    if coarse:
        values = np.round(values * 2) / 2 + 0.25
    if kind == "bfloat16":
        return Vectors.of((values.astype(np.float32).view(np.uint32) >> 16).astype(np.uint16), kind="bfloat16")
    return Vectors.of(values.astype(kind))


def sorted_in_full(
    queries: Vectors, docs: Vectors, k: int, similarity: Similarity, excluded: Pairs, ties: TieOrder
) -> Iterator[tuple[list[int], FloatArray]]:
    """Every pair scored, every row sorted."""
    every = Pairs.of(np.repeat(np.arange(queries.num), docs.num), np.tile(np.arange(docs.num), queries.num))
    squared = queries.all_squared_norms()
    scoring = on_numpy.Scoring(queries, docs, similarity, squared, np.float64)
    score = scoring.scores(every).reshape(queries.num, docs.num)
    place = places(docs, ties)
    for q in range(queries.num):
        hidden = set(excluded.doc[excluded.query == q].tolist())
        left = [d for d in range(docs.num) if d not in hidden]
        keys = dict(zip(left, zip(-score[q, left], -place[left], strict=True), strict=True))
        best = sorted(left, key=keys.__getitem__)[:k]
        yield best, score[q, best]


CUTS: list[tuple[int, TieOrder]] = [(1, "docno"), (3, "order"), (50, "docno"), (50, "order"), (1000, "docno")]
COMPARED = [
    *((kind, name) for kind in ("float32", "float64", "float16", "bfloat16", "int8") for name in ("dot", "cosine")),
    *((kind, "euclidean") for kind in ("float32", "float64", "bfloat16", "int8")),
    ("binary", "hamming"),
]


@pytest.mark.parametrize("blocks", ["tiny", "usual"])
@pytest.mark.parametrize("coarse", [True, False])
@pytest.mark.parametrize(("kind", "name"), COMPARED)
def test_the_top_is_that_of_a_full_sort(
    monkeypatch: pytest.MonkeyPatch, kind: str, name: str, coarse: bool, blocks: str
) -> None:
    rng = np.random.default_rng(5)
    if blocks == "tiny":
        monkeypatch.setattr(on_numpy, "PRODUCTS", 1)
        monkeypatch.setattr(on_numpy, "FEWEST_DOCS", 7)
        monkeypatch.setattr(on_numpy, "MOST_QUERIES", 2)
    queries, docs = (some_vectors(rng, kind, num, 19, coarse=coarse) for num in (5, 600))
    half = np.asarray(docs.values)[:300]
    docs = Vectors.of(np.concatenate((half, half)), kind=docs.kind)  # each has a double
    hidden = [(q, d) for q in range(5) for d in rng.permutation(600)[: 150 * q]]
    for excluded in (NO_PAIRS, Pairs.of(*zip(*hidden, strict=True))):
        for k, ties in CUTS:
            found = nearest_rows(queries, docs, k, similarity_called(name), excluded=excluded, ties=ties)
            expected = sorted_in_full(queries, docs, k, similarity_called(name), excluded, ties)
            for q, (best, score) in enumerate(expected):
                assert found.doc[q, : found.num[q]].tolist() == best
                assert found.score[q, : found.num[q]].tolist() == score.tolist()
                assert (found.doc[q, found.num[q] :] == -1).all()


def test_the_written_run_scores_as_all_the_vectors_do_at_that_depth(tmp_path: Path) -> None:
    rng = np.random.default_rng(6)
    docs = rng.integers(0, 3, (400, 5)).astype(np.float32) + 0.5  # many ties
    queries = rng.standard_normal((20, 5)).astype(np.float32)
    qrels = {str(q): {str(d): int(rng.integers(0, 4)) for d in rng.permutation(400)[:60]} for q in range(20)}
    measures = ["nDCG@20", "P@20", "R@20", "RR@20"]
    ge.write_run(nearest(queries, docs, k=20), tmp_path / "top.run")
    written = ge.evaluate(qrels, tmp_path / "top.run", measures)
    counted = ge.vectors.evaluate(qrels, queries, docs, measures)
    assert written.mean()["top"] == counted.mean()["vectors"]
    assert np.array_equal(written.values, counted.values)


def test_a_query_that_is_a_document_does_not_find_itself() -> None:
    points = floats([[1, 0], [1, 0.1], [0, 1]])
    assert list(nearest(points, k=1).docs) == ["1", "0", "1"]
    assert list(nearest(points, k=1, exclude_self=False).docs) == ["0", "1", "2"]


def test_no_documents_at_all_are_no_top() -> None:
    with pytest.raises(GermaneError, match="expected k of 1 or more, found 0"):
        nearest(floats([[1, 0]]), k=0)
