"""Ranks by counting are those of a full sort of the same scores, whatever the numbers, blocks and ties."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings

import germane
from germane import kernels
from germane.errors import InputError
from germane.kernels import reference_vectors
from germane.tables.columns.ids import Ids, IntArray
from germane.vectors import on_numpy, ranks
from germane.vectors.counting import TieOrder, rank_pairs
from germane.vectors.matrix import Vectors
from germane.vectors.pairs import NO_PAIRS, Pairs
from germane.vectors.ranks import Counts, Ranks, Thresholds, ranks_of
from germane.vectors.similarity import Similarity, similarity_called
from tests.vectors.made_vectors import (
    COMBINATIONS,
    SEEDS,
    Case,
    by_full_sort,
    differences,
    make_case,
    single,
)

every_kind = pytest.mark.parametrize(
    ("kind", "similarity"), COMBINATIONS, ids=lambda each: str(getattr(each, "name", each))
)
SOURCE = str(Path(germane.__file__).parents[1])
DOT, COSINE, EUCLIDEAN, HAMMING = map(similarity_called, ("dot", "cosine", "euclidean", "hamming"))


def found_by_counting(case: Case) -> list[str]:
    found = rank_pairs(case.queries, case.docs, case.pairs, case.similarity, excluded=case.excluded, ties=case.ties)
    return differences(found, by_full_sort(case))


DOCS = [[1.0, 0.0], [2.0, 0.0], [1.0, 1.0], [0.0, 1.0], [-1.0, 0.0]]
BY_HAND: list[tuple[Similarity, TieOrder, list[int], list[int], list[int], str]] = [
    # Documents a (1, 0), b (2, 0), c (1, 1), d (0, 1), e (-1, 0) for the query (1, 0).
    (DOT, "docno", [3, 1, 2, 4, 5], [2, 1, 2, 4, 5], [3, 1, 3, 4, 5], "2 for b; 1 for a and c, c first; 0; -1"),
    (DOT, "order", [2, 1, 3, 4, 5], [2, 1, 2, 4, 5], [3, 1, 3, 4, 5], "the same, a first as it came first"),
    (COSINE, "docno", [2, 1, 3, 4, 5], [1, 1, 3, 4, 5], [2, 2, 3, 4, 5], "a and b have the same direction"),
    (COSINE, "order", [1, 2, 3, 4, 5], [1, 1, 3, 4, 5], [2, 2, 3, 4, 5], "a came before b"),
    (EUCLIDEAN, "docno", [1, 3, 2, 4, 5], [1, 2, 2, 4, 5], [1, 3, 3, 4, 5], "0; 1 for b and c; 2; 4"),
]


@pytest.mark.parametrize(("similarity", "ties", "rank", "first", "last", "why"), BY_HAND)
def test_ranks_by_hand(
    similarity: Similarity, ties: TieOrder, rank: list[int], first: list[int], last: list[int], why: str
) -> None:
    docs = Vectors.of(DOCS, ids=Ids.of("abcde"))
    found = rank_pairs(Vectors.of([[1.0, 0.0]]), docs, Pairs.of([0] * 5, range(5)), similarity, ties=ties)
    assert (found.rank.tolist(), found.first.tolist(), found.last.tolist()) == (rank, first, last), why


def test_a_document_that_is_left_out_stands_nowhere() -> None:
    docs = Vectors.of(DOCS, ids=Ids.of("abcde"))
    asked, left_out = Pairs.of([0, 0], [0, 3]), Pairs.of([0, 0], [1, 2])
    found = rank_pairs(Vectors.of([[1.0, 0.0]]), docs, asked, DOT, excluded=left_out)
    assert (found.rank.tolist(), found.first.tolist(), found.last.tolist()) == ([1, 2], [1, 2], [1, 2])


def test_bits_that_differ() -> None:
    docs = Vectors.of(np.array([[0b1111], [0b0001], [0b0010]], dtype=np.uint8), kind="binary")
    queries = Vectors.of(np.array([[0b0011]], dtype=np.uint8), kind="binary")
    found = rank_pairs(queries, docs, Pairs.of([0, 0, 0], range(3)), HAMMING)
    assert found.score.tolist() == [-2, -1, -1]
    assert found.rank.tolist() == [3, 2, 1]


@every_kind
@given(seed=SEEDS)
@settings(max_examples=12)
def test_counting_is_a_full_sort(kind: str, similarity: Similarity, seed: int) -> None:
    random = np.random.default_rng(seed)
    ties: TieOrder = "docno" if random.integers(2) else "order"
    assert found_by_counting(make_case(random, kind, similarity, ties=ties)) == []


@every_kind
def test_counting_is_a_full_sort_over_the_ends_of_blocks(
    kind: str, similarity: Similarity, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(on_numpy, "PRODUCTS", 8)
    monkeypatch.setattr(on_numpy, "FEWEST_DOCS", 3)
    monkeypatch.setattr(on_numpy, "MOST_DOCS", 5)
    monkeypatch.setattr(on_numpy, "MOST_QUERIES", 2)
    for seed in range(4):
        assert found_by_counting(make_case(np.random.default_rng(seed), kind, similarity, ties="docno")) == []


@every_kind
def test_the_reference_counts_as_the_kernel(kind: str, similarity: Similarity, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("squared_norms", "pair_sums", "count_block"):
        monkeypatch.setattr(kernels, name, getattr(reference_vectors, name))
    for seed in range(4):
        assert found_by_counting(make_case(np.random.default_rng(seed), kind, similarity, ties="docno")) == []


@pytest.mark.parametrize("few", [0, 256], ids=["in double precision", "in single precision"])
@pytest.mark.parametrize("similarity", [DOT, COSINE, EUCLIDEAN], ids=lambda each: each.name)
def test_many_listed_documents_are_as_exact_as_few(
    similarity: Similarity, few: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(on_numpy, "FEW_FOR_SINGLE", few)
    case = make_case(np.random.default_rng(5), "float32", similarity, most_docs=500, most_pairs=200, ties="docno")
    assert len(case.pairs) > 200
    assert found_by_counting(case) == []


def test_more_listed_documents_than_single_precision_is_good_for() -> None:
    case = make_case(np.random.default_rng(5), "float32", DOT, most_docs=900, most_pairs=900, ties="docno")
    assert np.bincount(case.pairs.query).max() > on_numpy.FEW_FOR_SINGLE
    assert found_by_counting(case) == []


def test_a_full_sort_tells_a_document_that_competes_with_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    def with_itself(thresholds: Thresholds, counts: Counts, place: IntArray) -> Ranks:
        counts.histogram[-1] += 1
        return ranks_of(thresholds, counts, place)

    monkeypatch.setattr("germane.vectors.counting.ranks_of", with_itself)
    case = make_case(np.random.default_rng(3), "float32", DOT, ties="docno")
    assert found_by_counting(case) != []


def test_pairs_may_come_in_any_order(monkeypatch: pytest.MonkeyPatch) -> None:
    case = make_case(np.random.default_rng(5), "int8", DOT, most_docs=200, most_pairs=100, ties="docno")
    shuffled = case._replace(pairs=case.pairs.take(np.random.default_rng(1).permutation(len(case.pairs))))
    for many in (0, 1000):
        monkeypatch.setattr(ranks, "MANY", many)
        assert found_by_counting(shuffled) == []


def test_near_ties_are_told_apart() -> None:
    # Sums that differ by less than single precision can say, and one that does not differ.
    docs = np.array([[1, 2.0**-26], [1, 0], [1, 2.0**-26], [1, -(2.0**-26)]], dtype=np.float32)
    asked = Pairs.of([0] * 4, range(4))
    found = rank_pairs(Vectors.of(single([[1, 1]])), Vectors.of(docs), asked, DOT, ties="order")
    assert found.rank.tolist() == [1, 3, 2, 4]
    assert found.last.tolist() == [2, 3, 2, 4]


def test_one_document_is_first() -> None:
    found = rank_pairs(Vectors.of([[1.0]]), Vectors.of([[-3.0]]), Pairs.of([0], [0]), DOT)
    assert (found.rank.tolist(), found.first.tolist(), found.last.tolist()) == ([1], [1], [1])


def test_nothing_asked_for_is_nothing_found() -> None:
    assert len(rank_pairs(Vectors.of([[1.0]]), Vectors.of([[1.0]]), NO_PAIRS, DOT).rank) == 0


def test_zeros_have_no_direction_but_a_product() -> None:
    zero, one, asked = Vectors.of([[0.0, 0.0]]), Vectors.of([[1.0, 0.0]]), Pairs.of([0], [0])
    assert rank_pairs(one, zero, asked, DOT).rank.tolist() == [1]
    assert rank_pairs(zero, one, asked, EUCLIDEAN).score.tolist() == [-1]
    for queries, docs in ((zero, one), (one, zero)):
        with pytest.raises(InputError, match="only zeros in vector '0'"):
            rank_pairs(queries, docs, asked, COSINE)


@pytest.mark.parametrize(
    ("docs", "similarity", "problem"),
    [
        (Vectors.of([[1.0]]), DOT, "the same number of dimensions, found 2 in vectors, 1 in vectors"),
        (Vectors.of([[np.nan, 1.0]]), DOT, "expected finite numbers, found NaN"),
        (Vectors.of([[1e300, 1e300]]), DOT, "infinity or an overflow in vector '0'"),
        (Vectors.of(single([[1e30, 1e30]])), DOT, "expected products below 1e"),
        (Vectors.of(np.array([[1]], dtype=np.uint8), kind="binary"), DOT, "the same number of dimensions"),
        (Vectors.of([[1.0, 1.0]]), HAMMING, "hamming requires bits, found float32 vectors"),
    ],
)
def test_what_cannot_be_compared_is_refused(docs: Vectors, similarity: Similarity, problem: str) -> None:
    with pytest.raises(InputError, match=problem):
        rank_pairs(Vectors.of(single([[1e8, 1]])), docs, Pairs.of([0], [0]), similarity)


LARGE = """
import resource, sys
import numpy as np
from germane.api.vectors.inputs import load_vectors
from germane.vectors.counting import rank_pairs
from germane.vectors.matrix import Vectors
from germane.vectors.pairs import Pairs
from germane.vectors.similarity import similarity_called

docs = load_vectors(sys.argv[1])
if sys.argv[2] == "chosen":
    docs = docs.take(np.arange(1, docs.num))
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
queries, asked = Vectors.of(np.ones((1, 1024), dtype=np.float32)), Pairs.of([0], [5])
found = rank_pairs(queries, docs, asked, similarity_called("dot"), ties="order")
print(found.last[0], resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="ru_maxrss is in kilobytes, and pages can be given back, on Linux")
@pytest.mark.parametrize("rows", ["all", "chosen"])
def test_a_mapped_file_does_not_pile_up_in_memory(rows: str, tmp_path: Path) -> None:
    path, num = tmp_path / "docs.npy", 1 << 17
    np.lib.format.open_memmap(path, mode="w+", dtype=np.float32, shape=(num, 1024))  # half a gigabyte of zeros
    command = [sys.executable, "-c", LARGE, str(path), rows]
    answer = subprocess.run(
        command, capture_output=True, text=True, check=True, env={**os.environ, "PYTHONPATH": SOURCE}
    )
    last, kilobytes = map(int, answer.stdout.split())
    assert last == num - (rows == "chosen")
    assert kilobytes < 300_000


def test_rows_of_a_mapped_file_are_read_block_by_block(tmp_path: object, monkeypatch: pytest.MonkeyPatch) -> None:
    most = 0
    original = Vectors.rows

    def watched(self: Vectors, which: object, real: object) -> object:
        nonlocal most
        part = original(self, which, real)  # type: ignore[arg-type]
        most = max(most, len(part))
        return part

    path = f"{tmp_path}/docs.npy"
    np.save(path, np.random.default_rng(0).standard_normal((5000, 4)).astype(np.float32))
    docs = Vectors.of(np.load(path, mmap_mode="r"))
    monkeypatch.setattr(Vectors, "rows", watched)
    monkeypatch.setattr(on_numpy, "MOST_DOCS", 512)
    asked = Pairs.of(np.zeros(2000), np.arange(0, 4000, 2))
    found = rank_pairs(Vectors.of(single([[1, 2, 3, 4]])), docs, asked, DOT)
    assert sorted(found.rank.tolist()) == sorted(set(found.rank.tolist()))
    assert most == 512
