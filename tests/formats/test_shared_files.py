"""The files that people have evaluated with for decades."""

from pathlib import Path

import pytest

from germane.formats.rankings.ranking_files import read_qrels, read_run
from germane.formats.rows.validation import check

RUNS = [("trec_eval/results.test", 3, 1500), ("robust03/runs/InexpC2.gz", 100, 100_000)]
QRELS = [
    ("trec_eval/qrels.test", 3, 3681),
    ("robust03/qrels.txt.gz", 100, 128_796),
    ("trec-covid-round1/qrels.txt", 30, 8691),
    ("cacm/qrels.cacm.txt", 52, 796),
]


@pytest.mark.parametrize(("name", "queries", "documents"), RUNS)
def test_runs(name: str, queries: int, documents: int, shared: Path) -> None:
    run = read_run(shared / "data" / name)
    assert (len(run.queries), len(run.docs)) == (queries, documents)
    assert run.rank is not None
    assert run.tag


@pytest.mark.parametrize(("name", "queries", "documents"), QRELS)
def test_judgments(name: str, queries: int, documents: int, shared: Path) -> None:
    qrels = read_qrels(shared / "data" / name)
    assert (len(qrels.queries), len(qrels.docs)) == (queries, documents)
    assert check(shared / "data" / name).num_problems == 0


def test_a_number_sign_is_a_comment_only_at_the_start_of_a_line(shared: Path) -> None:
    plain, commented = (
        read_qrels(shared / "data" / "trec_eval" / name) for name in ("qrels.test", "qrels.test.with-comments")
    )
    assert [doc.replace("#", "") for doc in sorted(commented.docs)] != sorted(commented.docs), "ids may have it inside"
    assert sorted(doc.replace("#", "") for doc in commented.docs) == sorted(plain.docs)
