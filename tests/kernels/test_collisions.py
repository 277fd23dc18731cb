"""Ids that differ and have one hash: the kernels tell them apart."""

from pathlib import Path

import numpy as np
import pytest

from germane import kernels
from germane.formats.rankings.scan import match_file
from germane.kernels import reference
from germane.tables.columns.ids import Ids
from germane.tables.rankings.matching import match
from germane.tables.rankings.qrels import Qrels
from germane.tables.rankings.run import Run
from tests.kernels.collisions import colliding_pair, hash_of

pytestmark = pytest.mark.skipif(kernels.Matcher is reference.Matcher, reason="no compiled extension")

ONE, OTHER = colliding_pair()
WORDS = (b"document00000000", b"68399320l88j6o5z")
"""Found as `colliding_pair` finds one, among letters and digits: in 2,399,386 tries."""


def test_they_collide() -> None:
    assert ONE != OTHER
    assert hash_of(ONE) == hash_of(OTHER)
    assert WORDS[0] != WORDS[1]
    assert hash_of(WORDS[0]) == hash_of(WORDS[1])


# fmt: off
RUNS = [
    # judged   retrieved          ranks of judged documents   what a comparison of hashes would make of it
    (ONE,      [OTHER],           [],                         "found a document that was not retrieved"),
    (ONE,      [OTHER, ONE],      [2],                        "found it at the rank of another, or twice"),
    (b"x",     [ONE, OTHER],      [],                         "a document that comes twice"),
    (b"x",     [ONE, OTHER, b"x"], [3],                       "a document that comes twice"),
    (ONE[:-1], [ONE, OTHER],      [],                         "took a longer id for it"),
    (b"x",     [b"x\0"],          [],                         "zeros at the end do not change a hash"),
    (b"x",     [b"x\0", b"x"],    [2],                        "zeros at the end do not change a hash"),
]
# fmt: on


@pytest.mark.parametrize(("judged", "retrieved", "ranks", "why"), RUNS)
def test_documents_in_memory(judged: bytes, retrieved: list[bytes], ranks: list[int], why: str) -> None:
    qrels = Qrels.from_columns(Ids.of([b"q"]), Ids.of([judged]), np.ones(1))
    count = len(retrieved)
    run = Run.from_columns(Ids.of([b"q"] * count), Ids.of(retrieved), -np.arange(float(count)))
    found = match(qrels, run)
    assert (found.rank.tolist(), found.num_retrieved.tolist()) == (ranks, [count]), why


@pytest.mark.parametrize(("judged", "retrieved", "ranks", "why"), [row for row in RUNS if b"x\0" not in row[1]])
def test_documents_of_a_file(judged: bytes, retrieved: list[bytes], ranks: list[int], why: str, tmp_path: Path) -> None:
    path = tmp_path / "run"
    path.write_bytes(b"".join(b"q Q0 %s 1 %d tag\n" % (doc, -i) for i, doc in enumerate(retrieved)))
    found = match_file(Qrels.from_columns(Ids.of([b"q"]), Ids.of([judged]), np.ones(1)), path)
    assert (found.rank.tolist(), found.num_retrieved.tolist()) == (ranks, [len(retrieved)]), why


def test_an_id_with_a_zero_at_its_end_is_not_the_shorter_one() -> None:
    """The judged id is followed by a zero in memory, so only its size tells it from the longer one."""
    qrels = Qrels.from_columns(Ids.of([b"q", b"r"]), Ids.of([b"x", b"\0y"]), np.ones(2))
    run = Run.from_columns(Ids.of([b"q"]), Ids.of([b"x\0"]), np.ones(1))
    assert match(qrels, run).rank.tolist() == []


def test_queries() -> None:
    qrels = Qrels.from_columns(Ids.of([ONE, OTHER]), Ids.of([b"d", b"d"]), np.ones(2))
    run = Run.from_columns(Ids.of([OTHER, ONE, ONE]), Ids.of([b"d", b"e", b"d"]), np.array([1.0, 2.0, 1.0]))
    found = match(qrels, run)
    names = qrels.queries.to_bytes_list()
    assert dict(zip(names, found.num_retrieved.tolist(), strict=True)) == {ONE: 2, OTHER: 1}
    assert {names[query]: rank for query, rank in zip(found.query, found.rank.tolist(), strict=True)} == {
        ONE: 2,
        OTHER: 1,
    }


def test_words() -> None:
    reader = kernels.WordReader(True)
    texts = Ids.of([b" ".join([*WORDS, WORDS[0]]), WORDS[1]])
    reader.read(texts.data, texts.offsets)
    data, offsets = reader.words_from(0)
    assert (reader.num_words, data, offsets.tolist()) == (2, b"".join(WORDS), [0, 16, 32])


def test_rows_of_labels() -> None:
    rows = np.frombuffer(b"".join([ONE, OTHER, ONE, OTHER]), dtype=np.uint8).reshape(4, 16)
    codes, firsts = kernels.encode_rows(rows, 10)
    assert (codes.tolist(), firsts.tolist()) == ([0, 1, 0, 1], [0, 1])


def test_what_is_grown_by_one_row_more_than_there_is_room_for() -> None:
    """Room is for 1024 rows of a query, 1024 judged documents and 1024 queries at first."""
    for count in (1023, 1024, 1025, 2048, 2049, 4097):
        docs = Ids.of([b"d%d" % i for i in range(count)])
        one = Ids.of([b"q"] * count)
        found = match(
            Qrels.from_columns(one, docs, np.ones(count)), Run.from_columns(one, docs, -np.arange(float(count)))
        )
        assert found.rank.tolist() == list(range(1, count + 1))
        each = Ids.of([b"q%d" % i for i in range(count)])
        found = match(Qrels.from_columns(each, docs, np.ones(count)), Run.from_columns(each, docs, np.ones(count)))
        assert found.rank.tolist() == [1] * count
