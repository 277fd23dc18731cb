"""Pools and sampled judgments come back from a file as they were, and what was changed is told."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from germane.errors import GermaneError, InputError
from germane.formats.rankings.ranking_files import read_qrels, write_qrels
from germane.formats.truth.pool_file import read_pool, write_pool
from germane.tables.rankings.qrels import Qrels
from germane.tables.truth.pool import Pool, PooledRun, PoolItem

POOL = Pool.of(
    [
        PoolItem("q2", "d1"),
        PoolItem("q1", "d\udcff", "1-10"),
        PoolItem("q1", "d2", "11-100", 0.25),
        PoolItem("q1", "d9", kind="distractor"),
    ],
    "stratified",
    unsampled=[PoolItem("q1", "d3", "11-100", 0.25)],
    parameters={"strata": "10:1/100:0.25", "depth": 100, "budget": None},
    seed=7,
    runs=(PooledRun("bm25", "ab" * 32),),
)


def test_a_pool_comes_back(tmp_path: Path) -> None:
    path = tmp_path / "pool.jsonl.gz"
    write_pool(POOL, path)
    back = read_pool(path)
    assert (back.items, back.unsampled, back.manifest) == (POOL.items, POOL.unsampled, POOL.manifest)
    assert back.hash == POOL.hash


def test_what_the_file_looks_like(tmp_path: Path) -> None:
    path = tmp_path / "pool.jsonl"
    write_pool(POOL, path)
    head, *rows = [json.loads(line) for line in path.read_text().splitlines()]
    assert list(head) == ["germane_pool", "method", "parameters", "seed", "runs", "hash"]
    assert rows[0] == {"topic": "q1", "doc": "d2", "stratum": "11-100", "inclusion": 0.25}
    assert rows[1] == {"topic": "q1", "doc": "d9", "kind": "distractor"}
    assert rows[3] == {"topic": "q2", "doc": "d1"}
    assert rows[4] == {"topic": "q1", "doc": "d3", "stratum": "11-100", "inclusion": 0.25, "sampled": False}


def test_the_hash_is_of_the_content_not_of_its_order() -> None:
    again = Pool.of(reversed(POOL.items), "stratified", unsampled=POOL.unsampled, **_known(POOL))
    assert again.hash == POOL.hash
    assert replace(POOL, seed=8).hash != POOL.hash
    assert replace(POOL, items=POOL.items[1:]).hash != POOL.hash
    assert replace(POOL, unsampled=()).hash != POOL.hash


def _known(pool: Pool) -> dict[str, Any]:
    return {"parameters": pool.parameters, "seed": pool.seed, "runs": pool.runs}


@pytest.mark.parametrize(
    "text", ["301 Q0 d1 0 0 tag\n301 Q0 d2 0 0 tag\n", "301 d2\n# more\n301 d1\n", "301\tQ0\td1\n301 Q0 d2"]
)
def test_plain_pools_of_trec(text: str, tmp_path: Path) -> None:
    path = tmp_path / "pool.txt"
    path.write_text(text)
    pool = read_pool(path)
    assert (pool.topics, pool.docs("301"), pool.method) == (("301",), ("d1", "d2"), "given")


HEAD = '{"germane_pool": 1, "method": "depth", "parameters": {}, "seed": 0, "runs": [], "hash": "0"}\n'
BROKEN = [
    ("", "expected documents to judge, found none"),
    ("301\n", "pool:1: expected `topic document`"),
    (
        "301 d1\n301 d1\n",
        "pool:2: duplicate document 'd1' for topic '301' (first on line 1)",
    ),
    ("301 \x00\n", "pool:1: expected text"),
    ('{"qid": "301"}\n', 'pool:1: expected a first line with "germane_pool": 1'),
    ('{"germane_pool": 2}\n', 'pool:1: expected a first line with "germane_pool"'),
    ('{"germane_pool": 1, "method": "depth"}\n', "pool:1: expected the key 'parameters'"),
    (HEAD, "expected documents to judge, found none"),
    (HEAD + "{", "pool:2: expected a JSON object"),
    (HEAD + '{"topic": "301"}\n', "pool:2: expected the key 'doc'"),
    (HEAD + '{"topic": 301, "doc": "d"}\n', "pool:2: invalid value of 'topic': 301"),
    (HEAD + '{"topic": "301", "doc": ""}\n', "pool:2: invalid value of 'doc': ''"),
    (HEAD + '{"topic": "301", "doc": "d", "rank": 1}\n', "pool:2: unknown key 'rank'\nHint: choose from topic, doc"),
    (HEAD + '{"topic": "301", "doc": "d", "inclusion": 0}\n', "pool:2: expected an inclusion probability above 0"),
    (HEAD + '{"topic": "301", "doc": "d", "kind": "gold"}\n', "pool:2: expected a kind of item"),
    (HEAD + '{"topic": "301", "doc": "d"}\n' * 2, "duplicate document 'd' in the pool of topic '301'"),
    (HEAD + '{"topic": "301", "doc": "d"}\n', "the file was changed: its hash does not match its items"),
]


@pytest.mark.parametrize(("text", "message"), BROKEN)
def test_what_is_no_pool_is_refused_with_the_reason(text: str, message: str, tmp_path: Path) -> None:
    path = tmp_path / "pool"
    path.write_text(text)
    with pytest.raises(InputError) as error:
        read_pool(path)
    assert message in str(error.value)


# Judgments of a sample

SAMPLED = Qrels.from_columns(
    ["q1", "q1", "q2"], ["d2", "d1", "d1"], [1, -1, 0], stratum=["11-100", "1-10", "1-10"], inclusion=[0.25, 1, 1]
)


@pytest.mark.parametrize("name", ["jsonl", "csv", "tsv", "parquet", "arrow"])
def test_strata_and_inclusion_probabilities_come_back(name: str, tmp_path: Path) -> None:
    path = tmp_path / "qrels"
    assert write_qrels(SAMPLED, path, name) == []
    back = read_qrels(path).sampling
    assert back is not None
    assert [back.labels[int(code)] for code in back.stratum] == ["1-10", "11-100", "1-10"]
    assert back.inclusion.tolist() == [1, 0.25, 1]
    assert read_qrels(path).grade.tolist() == [-1, 1, 0]


@pytest.mark.parametrize("name", ["trec", "json", "beir"])
def test_formats_without_a_place_for_strata_say_so(name: str, tmp_path: Path) -> None:
    path = tmp_path / "qrels"
    with pytest.raises(InputError, match=r"cannot store the strata \(2\) and the inclusion probabilities"):
        write_qrels(SAMPLED, path, name)
    write_qrels(SAMPLED, path, name, lossy=True)
    assert read_qrels(path).sampling is None


def test_taking_queries_takes_their_strata() -> None:
    sampling = SAMPLED.take(np.array([1])).sampling
    assert sampling is not None
    assert sampling.inclusion.tolist() == [1]


def test_strata_that_contradict_each_other_are_refused() -> None:
    rows = (["q", "q"], ["d", "d"], [1, 0], ["a", "b"])
    with pytest.raises(InputError, match="expected one stratum and inclusion probability per document, found two for"):
        Qrels.from_columns(*rows, stratum=["1", "2"])
    assert Qrels.from_columns(*rows, stratum=["1", "1"]).sampling is not None
    with pytest.raises(InputError, match="expected an inclusion probability above 0 and up to 1, found 2"):
        Qrels.from_columns(["q"], ["d"], [1], inclusion=[2])


def test_an_inclusion_probability_that_is_no_number(tmp_path: Path) -> None:
    path = tmp_path / "qrels.csv"
    path.write_text("qid,docno,relevance,stratum,inclusion\nq1,d1,1,a,often\n")
    with pytest.raises(InputError, match=r"qrels\.csv:2: expected an inclusion probability, found 'often'"):
        read_qrels(path)


def test_an_item_that_cannot_be() -> None:
    with pytest.raises(GermaneError, match="inclusion probability"):
        PoolItem("q", "d", inclusion=1.5)
