"""Recall of an approximate index, and what the approximation costs."""

from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

import germane as ge
from germane.api.vectors.approximation import approximation
from germane.api.vectors.nearest import nearest
from germane.errors import GermaneError, InputError


def floats(values: object) -> npt.NDArray[np.float32]:
    return np.asarray(values, dtype=np.float32)


LINE = floats([[0], [1], [2], [3], [-3], [9]])
RECALL_BY_HAND = [
    # found           k  recall  why: from 0.1, the exact order is 0, 1, 2, 3, 4, 5
    ([0, 1, 2], 3, 1, "all three"),
    ([2, 0, 1], 3, 1, "in any order"),
    ([0, 5, -1], 3, 1 / 3, "one of three"),
    ([-1, 2, -1], 3, 1 / 3, "gaps count as nothing"),
    ([5, 4, 0], 2, 0, "only the first two are asked for"),
    ([3, 2, 1, 0, 4, 5], 9, 1, "there are only six"),
]


@pytest.mark.parametrize(("found", "k", "recall", "why"), RECALL_BY_HAND)
def test_recall_by_hand(found: list[int], k: int, recall: float, why: str) -> None:
    # The second query, found in full, is there because an interval takes two.
    rows = np.array([found, [5, 3, 2, 1, 0, 4][: len(found)]])
    result = approximation(rows, floats([[0.1], [9]]), LINE, k=k, similarity="euclidean")
    assert result.recall["approximate", f"R@{k}"] == {"0": pytest.approx(recall), "1": pytest.approx(1)}, why
    assert result.comparison is None


EQUAL_TO_THE_LAST = [
    # found      recall  why: from 0, document 0 comes first, then 1 and 2, equally far; with k = 2 one of them is in
    ([0, 2], 1, "the rule for ties takes 2"),
    ([0, 1], 1, "1 is as good as 2"),
    ([1, 2], 0.5, "but two of them do not make up for the better one"),
    ([0, 3], 0.5, "3 is worse"),
]


@pytest.mark.parametrize(("found", "recall", "why"), EQUAL_TO_THE_LAST)
def test_a_document_as_good_as_the_last_one_stands_for_it(found: list[int], recall: float, why: str) -> None:
    docs = floats([[0], [1], [-1], [5]])
    rows = np.array([found, found])
    result = approximation(rows, floats([[0], [0]]), docs, k=2, similarity="euclidean")
    assert result.recall.mean() == {"approximate": {"R@2": recall}}, why


def collection() -> tuple[npt.NDArray[np.float32], npt.NDArray[np.float32], dict[str, dict[str, int]]]:
    rng = np.random.default_rng(3)
    docs = rng.standard_normal((300, 8)).astype(np.float32)
    queries = rng.standard_normal((30, 8)).astype(np.float32)
    qrels = {str(q): {str(d): 1 for d in np.argsort(-docs @ queries[q])[:25:3]} for q in range(30)}
    return queries, docs, qrels


def test_the_exact_top_as_its_own_approximation_costs_nothing() -> None:
    queries, docs, qrels = collection()
    exact = nearest(queries, docs, k=10)
    result = approximation({"index": exact}, queries, docs, k=10, qrels=qrels)
    assert result.recall.mean() == {"index": {"R@10": 1}}
    assert result.comparison is not None
    pair = result.comparison["nDCG@10", "exact", "index"]
    assert pair.difference == 0
    assert pair.mean_a == ge.vectors.evaluate(qrels, queries, docs, "nDCG@10").mean()["vectors"]["nDCG@10"]


def test_what_is_lost_is_the_difference_of_the_two_rankings(tmp_path: Path) -> None:
    queries, docs, qrels = collection()
    exact = nearest(queries, docs, k=10)
    rows = np.asarray([int(d) for d in exact.docs]).reshape(30, 10)
    rows[:, 1] = -1  # the second best is never found
    np.save(tmp_path / "lossy.npy", rows)
    result = approximation(tmp_path / "lossy.npy", queries, docs, k=10, qrels=qrels, measures=["nDCG@10", "P@5"])
    assert result.recall.mean()["lossy"]["R@10"] == pytest.approx(0.9)
    written = {str(q): {str(d): -float(i) for i, d in enumerate(row) if d >= 0} for q, row in enumerate(rows.tolist())}
    both = ge.evaluate(qrels, {"exact": exact, "lossy": written}, ["nDCG@10", "P@5"])
    assert result.comparison is not None
    for measure in ("nDCG@10", "P@5"):
        pair = result.comparison[measure, "exact", "lossy"]
        means = both.mean()
        assert pair.difference == pytest.approx(means["lossy"][measure] - means["exact"][measure])
        assert pair.low <= pair.difference <= pair.high
    assert [note.count for note in result.notes if note.code == "fewer-than-k"] == [30]


def test_a_run_and_rows_of_neighbours_mean_the_same(tmp_path: Path) -> None:
    queries, docs, qrels = collection()
    run = nearest(queries, docs, k=7, similarity="dot")  # another order than the one it is measured against
    ge.write_run(run, tmp_path / "dot.run")
    rows = np.asarray([int(d) for d in run.docs]).reshape(30, 7)
    given = {"file": tmp_path / "dot.run", "rows": rows, "run": run}
    result = approximation(given, queries, docs, k=10, qrels=qrels)
    assert len({str(value) for value in result.recall.mean().values()}) == 1
    assert 0 < result.recall.mean()["rows"]["R@10"] < 0.7
    assert result.comparison is not None
    assert len({pair.difference for pair in result.comparison.pairs}) == 1


def test_an_index_that_returns_the_query_itself_is_told_so() -> None:
    points = floats([[0], [1], [2], [4]])
    rows = np.array([[0, 1], [1, 0], [2, 1], [3, 2]])
    result = approximation(rows, points, k=1, similarity="euclidean")
    assert result.recall.mean() == {"approximate": {"R@1": 1}}
    assert [(note.code, note.count) for note in result.notes] == [("excluded-documents", 4)]


def test_nothing_is_said_of_unjudged_documents() -> None:
    """What is not in the exact top k is wrong, and nobody had to judge it."""
    for rows in (np.array([[0, 5], [5, 0]]), np.array([[5, 4], [0, 4]])):
        result = approximation(rows, floats([[0.1], [9]]), LINE, k=2, similarity="euclidean")
        assert result.recall.mean()["approximate"]["R@2"] < 1
        assert result.recall.notes == ()


def test_recall_names_the_file_of_the_index(tmp_path: Path) -> None:
    np.save(tmp_path / "index.npy", np.array([[0, 1], [5, 3]]))
    given = {"file": tmp_path / "index.npy", "rows": np.array([[0, 1], [5, 3]])}
    result = approximation(given, floats([[0.1], [9]]), LINE, k=2, similarity="euclidean")
    assert [(run.name, run.path) for run in result.recall.runs] == [
        ("file", str(tmp_path / "index.npy")),
        ("rows", None),
    ]


def test_queries_without_ids_share_none_with_the_judgments() -> None:
    rows = np.array([[0], [1]])
    with pytest.raises(InputError, match=r"vectors are numbered 0, 1, …; qrels has q1\nHint: .*`query_ids=…`"):
        approximation(rows, floats([[0], [9]]), LINE, k=1, qrels={"q1": {"0": 1}}, similarity="euclidean")


WRONG = [
    (np.array([[0, 1]]), "one row for each of 2 queries, found int64 of shape"),
    (np.array([[0.0], [1.0]]), "expected integers"),
    (np.array([[0], [6]]), r"row numbers of 6 documents \(from 0\), or -1 for none, found 6 in row 1"),
    (np.array([[0, 1], [3, 3]]), "duplicate document 3 in row 1"),
    ({"0": {"5": 1.0}, "1": {"17": 1.0}}, "no vector for document '17'"),
    ({"0": {"5": 1.0}, "x": {"1": 1.0}}, "no vector for query 'x'"),
]


@pytest.mark.parametrize(("rows", "message"), WRONG)
def test_what_cannot_be_the_answer_of_an_index_is_refused(rows: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        approximation({"index": rows}, floats([[0], [9]]), LINE, similarity="euclidean")


def test_measures_need_judgments() -> None:
    with pytest.raises(GermaneError, match="measures require judgments, found none"):
        approximation(np.array([[0], [1]]), floats([[0], [9]]), LINE, measures="AP")
