"""Pruning never shows: collections of many blocks, ranked by the kernel and by the reference, which looks at it all."""

import itertools
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest

from germane import kernels
from germane.kernels import reference_postings as reference
from germane.kernels.reference_postings import GIVEN, LOGARITHM, NUM_PARAMETERS, POISSON, RATIONAL, Postings, Queries

pytestmark = pytest.mark.skipif(
    kernels.top_k_many is reference.top_k_many, reason="there is no compiled extension to compare with the reference"
)

DENSITIES = [0.0001, 0.002, 0.03, 0.2, 0.6, 0.95]


def collection(num_docs: int, seed: int, tf_kind: str = "|u1", num_lengths: int = 90) -> Postings:
    """A term for each density, the rare first; frequencies are higher in frequent terms."""
    random = np.random.default_rng(seed)
    length = random.integers(10, 10 + num_lengths, num_docs).astype(np.int32)
    docs = [np.flatnonzero(random.random(num_docs) < density) for density in DENSITIES]
    tf = [random.geometric(1 - 0.6 * share, len(doc)) for share, doc in zip(DENSITIES, docs, strict=True)]
    start = np.cumsum([0, *map(len, docs)], dtype=np.int64)
    max_tf = np.asarray([part.max(initial=0) for part in tf], dtype=np.int32)
    min_length = np.asarray([length[doc].min(initial=10) for doc in docs], dtype=np.int32)
    doc, frequency = np.concatenate(docs).astype(np.int32), np.concatenate(tf).astype(tf_kind)
    return Postings(start, doc, frequency, length, max_tf, min_length)


Curve = tuple[int, list[float]]
BM25: Curve = (RATIONAL, [0, 1, 0, 0, 1, 0.375, 0.02])
BINARY: Curve = (RATIONAL, [1, 0, 0, 0, 0, 1, 0])
RISES_WITH_LENGTH: Curve = (RATIONAL, [0.5, 0, 1, 1, 1, 1, 0])
DIRICHLET: Curve = (LOGARITHM, [0, 1, 40, 0])
TF_IDF: Curve = (LOGARITHM, [1, 0, 1, 0])
PL2: Curve = (POISSON, [0.3, 50])


def queries(curve: Curve, weights: list[list[float]], **arrays: Any) -> Queries:
    """A query for each list of weights, of the terms whose weight is not 0, strongest first."""
    chosen = [sorted((term for term, w in enumerate(row) if w), key=lambda t: -abs(row[t])) for row in weights]
    start = np.cumsum([0, *map(len, chosen)], dtype=np.int64)
    term = np.asarray([t for terms in chosen for t in terms], dtype=np.int64)
    weight = np.asarray([row[t] for row, terms in zip(weights, chosen, strict=True) for t in terms], dtype=np.float64)
    parameters = np.zeros((len(term), NUM_PARAMETERS))
    parameters[:, : len(curve[1])] = curve[1]
    return Queries(start, term, weight, np.full(len(term), curve[0], dtype=np.int32), parameters, **arrays)


IDF = np.log(1 / np.asarray(DENSITIES)).tolist()
WEIGHTS = [
    IDF,
    [0, 0, *IDF[2:]],
    [0, 0, 0, *IDF[3:]],
    [IDF[0], 0, 0, 0, 0, IDF[5]],
    [1, 1, 1, 1, 1, 1],
    [0, 0, 0, 0, 0, 1],
    [0, 5, -1, 0, 2, -3],
    [-1, -1, -1, -1, -1, -1],
    [0, 1, 0, 0, 0, 0],
]


def differences(postings: Postings, asked: Queries, k: int) -> list[int]:
    """The queries that the kernel does not rank as the reference does."""
    found, expected = kernels.top_k_many(postings, asked, k), reference.top_k_many(postings, asked, k)

    def rankings(ranked: Any) -> list[Any]:
        ends = itertools.pairwise(ranked.start)
        return [(ranked.doc[i:j].tolist(), ranked.score[i:j].tolist()) for i, j in ends]

    return [i for i, (a, b) in enumerate(zip(rankings(found), rankings(expected), strict=True)) if a != b]


@pytest.mark.parametrize("k", [1, 10, 700])
@pytest.mark.parametrize(
    "curve",
    [BM25, BINARY, RISES_WITH_LENGTH, DIRICHLET, TF_IDF, PL2],
    ids=["BM25", "binary", "rises with length", "Dirichlet", "TF-IDF", "PL2"],
)
def test_pruning_never_shows(curve: Curve, k: int) -> None:
    assert differences(collection(41_000, seed=k), queries(curve, WEIGHTS), k) == []


@pytest.mark.parametrize("num_docs", [1, 15, 2047, 2048, 2049, 16_384, 16_385, 20_000])
def test_where_blocks_end(num_docs: int) -> None:
    assert differences(collection(num_docs, seed=5, tf_kind="<u2"), queries(BM25, WEIGHTS), 20) == []


def test_deleted_documents_are_no_reason_to_prune() -> None:
    postings = collection(41_000, seed=2, tf_kind="<i4")
    best = kernels.top_k_many(postings, queries(BM25, WEIGHTS), 40).doc
    deleted = np.zeros(41_000, dtype=np.uint8)
    deleted[best] = 1
    assert differences(postings._replace(deleted=deleted), queries(BM25, WEIGHTS), 40) == []


def test_all_scores_tie() -> None:
    postings = collection(41_000, seed=3, num_lengths=1)
    assert differences(postings, queries(BINARY, WEIGHTS), 25) == []


def test_scale_and_offset_are_part_of_the_score() -> None:
    postings = collection(41_000, seed=4)
    scale, offset = 1 / np.sqrt(postings.length), np.log(40 / (40 + postings.length))
    for arrays in ({"scale": scale}, {"offset": offset}, {"scale": -scale, "offset": offset}):
        assert differences(postings, queries(DIRICHLET, WEIGHTS, **arrays), 30) == []


def test_given_contributions_are_not_bounded() -> None:
    postings = collection(41_000, seed=6)
    values = np.random.default_rng(1).normal(size=len(postings.doc))
    assert differences(postings, queries((GIVEN, [0]), WEIGHTS[4:6], given=values), 30) == []


def test_a_sample_that_misleads() -> None:
    """The first documents are sampled, and by far the best: the guess of the k-th score is far too high."""
    postings = collection(41_000, seed=7)
    tf = np.where(postings.doc < 1000, 200, postings.tf).astype(np.uint8)
    starts = postings.start[:-1]
    postings = postings._replace(tf=tf, max_tf=np.maximum.reduceat(tf, starts).astype(np.int32))
    assert differences(postings, queries(BM25, WEIGHTS), 2_000) == []
    everywhere_else = np.zeros(41_000, dtype=np.uint8)
    everywhere_else[8:] = 1
    assert differences(postings._replace(deleted=everywhere_else), queries(BM25, WEIGHTS), 30) == []


def test_the_comparison_catches_a_bound_that_is_too_low() -> None:
    postings, asked = collection(41_000, seed=8), queries(BM25, WEIGHTS)
    assert differences(postings, asked, 10) == []
    assert differences(postings._replace(max_tf=np.ones_like(postings.max_tf)), asked, 10) != []
    assert differences(postings._replace(min_length=np.full_like(postings.min_length, 10_000)), asked, 10) != []


def test_frequencies_and_lengths_beyond_any_table() -> None:
    postings = collection(3_000, seed=10, tf_kind="<i4")
    tf = postings.tf * np.where(postings.doc % 7 == 0, 70_000, 1).astype(np.int32)
    length = postings.length + np.where(np.arange(3_000) % 7 == 0, 10**9, 0).astype(np.int32)
    max_tf = np.maximum.reduceat(tf, postings.start[:-1]).astype(np.int32)
    for curve in (BM25, TF_IDF, DIRICHLET, PL2):
        assert differences(postings._replace(tf=tf, length=length, max_tf=max_tf), queries(curve, WEIGHTS), 40) == []


def test_threads_rank_alike() -> None:
    postings, asked = collection(41_000, seed=9), queries(BM25, WEIGHTS * 6)
    whole = kernels.top_k_many(postings, asked, 50)
    with ThreadPoolExecutor(3) as pool:
        parts = list(pool.map(lambda first: kernels.top_k_many(postings, asked, 50, first, first + 18), (0, 18, 36)))
    assert np.concatenate([part.doc for part in parts]).tolist() == whole.doc.tolist()
    assert np.concatenate([part.score for part in parts]).tolist() == whole.score.tolist()


def test_a_bound_leaves_room_for_rounding() -> None:
    """(0.1 + 0.2) + 0.3 is more than 0.6, which is what 0.1 + (0.2 + 0.3) comes to: the last document is the best."""
    docs = [np.arange(40), *[np.asarray([32_999])] * 3]
    start = np.cumsum([0, *map(len, docs)], dtype=np.int64)
    ones = np.ones(4, dtype=np.int32)
    doc, tf = np.concatenate(docs).astype(np.int32), np.ones(start[-1], dtype=np.uint8)
    postings = Postings(start, doc, tf, np.full(33_000, 9, dtype=np.int32), ones, 9 * ones)
    asked = queries(BINARY, [[1, 1, 1, 1]])._replace(weight=np.asarray([0.6, 0.1, 0.2, 0.3]))
    assert differences(postings, asked, 1) == []
    assert kernels.top_k_many(postings, asked, 1).doc.tolist() == [32_999]
