"""Runs on a cluster of two executors: what comes back is, bit for bit, what one machine finds in the same rows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import fields
from functools import partial
from pathlib import Path
from typing import Any, get_args

import numpy as np
import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

import germane as ge
from germane.distributed import judged_runs, large_queries
from germane.distributed.judged_runs import judge_on_spark
from germane.distributed.matching_tasks import MatchingTask
from germane.errors import GermaneError, InputError
from germane.tables.rankings.judged_run import JudgedRun, Ties
from tests.distributed.lost_executors import lethal, was_killed

QRELS = ge.measures.load_qrels({f"q{q}": {f"d{d}": (d * q) % 4 - 1 for d in range(q, 30, 3)} for q in range(2, 9)})
TIES = [rule for rule in get_args(Ties) if rule != "order"]
RUN = "qid string, docno string, score double"
Row = tuple[str, str, float]


def on_one_machine(rows: Sequence[tuple[Any, ...]], ties: Ties = "docno", **how: Any) -> JudgedRun:
    columns = dict(zip(("qid", "docno", "score", "rank"), map(list, zip(*rows, strict=True)), strict=False))
    return ge.measures.judge_run(QRELS, columns, ties=ties, **how)


def differences(found: JudgedRun, expected: JudgedRun) -> list[str]:
    """The fields in which two judged runs differ, in value or in type."""
    return [
        field.name
        for field in fields(JudgedRun)
        if field.name not in ("qrels", "name")
        and not (
            np.array_equal(getattr(found, field.name), getattr(expected, field.name))
            and np.asarray(getattr(found, field.name)).dtype == np.asarray(getattr(expected, field.name)).dtype
        )
    ]


def test_a_difference_in_one_rank_is_seen() -> None:
    run = on_one_machine([("q2", "d2", 3.0), ("q2", "d5", 2.0)])
    swapped = on_one_machine([("q2", "d2", 2.0), ("q2", "d5", 3.0)])
    assert differences(run, run) == []
    assert differences(run, swapped) != []


# Runs made up by hypothesis: many in one job, since a job takes a second.
RANKINGS = st.dictionaries(
    st.sampled_from([f"q{q}" for q in range(12)]),
    st.dictionaries(
        st.integers(0, 40).map(lambda d: f"d{d}"),
        st.one_of(st.integers(-2, 2).map(float), st.floats(allow_nan=False, allow_infinity=False, width=32)),
        min_size=1,
        max_size=25,
    ),
    min_size=1,
)


@st.composite
def runs(draw: st.DrawFn) -> list[tuple[str, str, float, int]]:
    """The rows of a run, queries in any order or mixed, with a rank of their own."""
    rankings = {"q2": {"d2": 1.0}} | draw(RANKINGS)
    rows = [(query, doc, score) for query, ranking in rankings.items() for doc, score in ranking.items()]
    if draw(st.booleans()):
        rows = draw(st.permutations(rows))
    ranks = draw(st.lists(st.integers(1, 5), min_size=len(rows), max_size=len(rows)))
    return [(*row, rank) for row, rank in zip(rows, ranks, strict=True)]


@pytest.mark.parametrize("ties", TIES)
@pytest.mark.parametrize("score_type", ["float64", "float32"])
@settings(
    max_examples=2,
    phases=[Phase.generate],
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.function_scoped_fixture],
)
@given(made=st.lists(runs(), min_size=10, max_size=20))
def test_a_cluster_finds_what_one_machine_finds(
    spark: Any, ties: Ties, score_type: str, made: list[list[tuple[str, str, float, int]]]
) -> None:
    rows = [(f"run{number:02}", *row) for number, run in enumerate(made) for row in run]
    frame = spark.createDataFrame(rows, "tag string, qid string, docno string, score double, rank int")
    found = judge_on_spark(QRELS, [("all", frame)], ties=ties, score_type=score_type)
    assert [run.name for _, run in found] == [f"run{number:02}" for number in range(len(made))]
    for (_, run), own in zip(found, made, strict=True):
        assert differences(run, on_one_machine(own, ties, score_type=score_type)) == [], own


ROWS = [(f"q{q}", f"d{d}", float((d * 7 + q) % 10)) for q in range(12) for d in range(30 - 2 * q)]
OTHER = [(query, doc, -score) for query, doc, score in ROWS]


def test_scores_are_those_of_one_machine(spark: Any, tmp_path: Path) -> None:
    slices = tmp_path / "slices.tsv"
    slices.write_text("".join(f"q{q}\t{'even' if q % 2 == 0 else 'odd'}\n" for q in range(2, 9)))
    how: dict[str, Any] = {"interval": "bca", "bounds": True, "slices": slices}
    measures = ["DCG@10", "AP", "P@5", "RBP"]
    frame = spark.createDataFrame(ROWS, RUN)
    local = ge.evaluate(
        QRELS,
        {"qid": [r[0] for r in ROWS], "docno": [r[1] for r in ROWS], "score": [r[2] for r in ROWS]},
        measures,
        **how,
    )
    found = ge.evaluate(QRELS, frame, measures, **how)
    assert found.runs == local.runs
    assert found.notes == local.notes
    for name in ("values", "numerator", "denominator", "low", "high"):
        assert np.array_equal(getattr(found, name), getattr(local, name), equal_nan=True)
    assert found.intervals is not None
    assert local.intervals is not None
    for label, ends in local.intervals.ends.items():
        assert np.array_equal(found.intervals.ends[label], ends, equal_nan=True)


def test_several_frames_are_one_job(spark: Any) -> None:
    frames = {
        "a": spark.createDataFrame(ROWS, RUN),
        "b": spark.createDataFrame(OTHER, "q_id string, pid string, score double"),
    }
    local = {name: [(q, d, s) for q, d, s in rows] for name, rows in (("a", ROWS), ("b", OTHER))}
    tracker = spark.sparkContext.statusTracker()
    spark.sparkContext.setJobGroup("several frames", "test")
    found = ge.evaluate(QRELS, frames, ["AP"])
    assert len(tracker.getJobIdsForGroup("several frames")) == 2  # shuffle and result: adaptive execution counts both
    assert found.mean() == ge.evaluate(QRELS, local, ["AP"]).mean()


def test_a_frame_beside_a_dict(spark: Any) -> None:
    run = {"q2": {"d2": 1.0, "d3": 2.0}}
    frame = spark.createDataFrame(OTHER, RUN)
    means = ge.evaluate(QRELS, {"mine": run, "theirs": frame}, ["AP"]).mean()
    assert list(means) == ["mine", "theirs"]
    assert means["mine"] == ge.evaluate(QRELS, {"mine": run}, ["AP"]).mean()["mine"]


TAGGED = [("a", *row) for row in ROWS] + [("b", *row) for row in OTHER]


def test_tags_are_runs(spark: Any) -> None:
    frame = spark.createDataFrame(TAGGED, f"system string, {RUN}")
    assert [run.name for run in ge.evaluate(QRELS, frame, ["AP"]).runs] == ["a", "b"]
    both = ge.evaluate(QRELS, {"x": frame, "y": frame.where("system = 'a'")}, ["AP"])
    assert [run.name for run in both.runs] == ["x/a", "x/b", "y"]
    beside = ge.evaluate(
        QRELS, {"x": frame, "untagged": frame.drop("system").where("qid = 'q2'").dropDuplicates(["docno"])}, ["AP"]
    )
    assert [run.name for run in beside.runs] == ["x/a", "x/b", "untagged"]
    with pytest.raises(InputError, match="expected one run, found 2 tags: a, b"):
        ge.measures.judge_run(QRELS, frame)


def test_whole_numbers_and_bytes_are_ids(spark: Any) -> None:
    qrels = ge.measures.load_qrels([(7, 2**40, 1), (10, 3, 1)])
    numbers = spark.createDataFrame([(7, 2**40, 5), (10, 4, 1)], "qid int, docno bigint, score int")
    bytes_ = spark.createDataFrame(
        [(bytearray(b"7"), bytearray(str(2**40).encode()), 5.0)], "qid binary, docno binary, score float"
    )
    assert ge.measures.judge_run(qrels, numbers).rank.tolist() == [1]
    assert ge.measures.judge_run(qrels, bytes_).rank.tolist() == [1]


def test_ranks_alone_are_a_run(spark: Any) -> None:
    rows = [("q2", "d2", 3), ("q2", "d5", 1), ("q2", "d9", 2)]
    expected = ge.measures.judge_run(QRELS, {"qid": ["q2"] * 3, "docno": ["d2", "d5", "d9"], "rank": [3, 1, 2]})
    frame = spark.createDataFrame(rows, "qid string, docno string, rank int")
    assert differences(ge.measures.judge_run(QRELS, frame), expected) == []


# What is wrong with the input ------------------------------------------------------------------------------------

GOOD = ("q2", "d2", 1.0)
WRONG = [
    # rows                                          said
    (
        [GOOD, ("q3", "d7", 1.0), ("q3", "d7", 2.0)],
        "duplicate document 'd7' for query 'q3'",
    ),
    (
        [GOOD, ("q99", "d7", 1.0), ("q99", "d7", 2.0)],
        "duplicate document 'd7' for query 'q99'",
    ),
    (
        [GOOD, ("q3", "d7", float("nan"))],
        "expected a finite number as score in every row, found nan for document 'd7' of query 'q3'",
    ),
    (
        [GOOD, ("q3", "d7", float("-inf"))],
        "expected a finite number as score in every row, found -inf for document 'd7' of query 'q3'",
    ),
    ([GOOD, ("q3", "d7", None)], "expected a score in every row, found none (null) for document 'd7' of query 'q3'"),
    ([GOOD, ("q3", None, 1.0)], "expected a document in every row, found none (null) for query 'q3'"),
    ([GOOD, (None, "d7", 1.0)], "expected a query in every row, found none (null) for document 'd7'"),
    ([GOOD, ("q3", "", 1.0)], "expected the id of a document in every row, found an empty one for query 'q3'"),
    ([("x1", "d7", 1.0)], "run and qrels share no query: the run has x1, qrels has q2, q3, q4"),
    ([GOOD, ("Q3", "d7", 1.0)], "query 'Q3' is not in qrels; did you mean 'q3'?"),
    ([], "expected rows, found none"),
]


@pytest.mark.parametrize(("rows", "said"), WRONG, ids=[said[:60] for _, said in WRONG])
def test_what_is_wrong_with_rows(spark: Any, rows: list[Any], said: str) -> None:
    with pytest.raises(InputError) as caught:
        ge.evaluate(QRELS, {"bm25": spark.createDataFrame(rows, RUN)}, ["AP"])
    assert caught.value.message == f"bm25: {said}"


def test_duplicates_are_told_in_the_words_of_one_machine(spark: Any) -> None:
    rows = [GOOD, ("q3", "d7", 1.0), ("q3", "d7", 2.0)]
    with pytest.raises(InputError) as here:
        on_one_machine(rows)
    with pytest.raises(InputError) as there:
        ge.measures.judge_run(QRELS, spark.createDataFrame(rows, RUN))
    assert str(there.value) == str(here.value)


COLUMNS = [
    # schema                                    said
    ("qid string, docno string", "expected a score column"),
    ("qid string, score double", "expected a document column"),
    ("qid string, docno string, relevance int", "expected a score column"),
    ("qid double, docno string, score double", "expected text as query ids, found a column of double"),
    ("qid string, docno string, score string", "expected numbers as score, found a column of string"),
]


@pytest.mark.parametrize(("schema", "said"), COLUMNS)
def test_what_is_wrong_with_columns(spark: Any, schema: str, said: str) -> None:
    frame = spark.createDataFrame([], schema)
    with pytest.raises(InputError) as there:
        ge.measures.judge_run(QRELS, frame)
    with pytest.raises(InputError) as here:
        ge.measures.judge_run(QRELS, frame.toArrow())
    assert str(there.value) == str(here.value)
    assert said in str(there.value)


def test_a_problem_is_found_once_not_tried_again(spark: Any) -> None:
    spark.sparkContext.setJobGroup("a problem", "test")
    with pytest.raises(InputError):
        ge.measures.judge_run(QRELS, spark.createDataFrame([GOOD, ("q3", "d7", None)], RUN))
    tracker = spark.sparkContext.statusTracker()
    stages = [stage for job in tracker.getJobIdsForGroup("a problem") for stage in tracker.getJobInfo(job).stageIds]
    assert stages
    assert sum(tracker.getStageInfo(stage).numFailedTasks for stage in stages if tracker.getStageInfo(stage)) == 0


def test_rows_without_an_order_have_no_ties_by_order(spark: Any) -> None:
    with pytest.raises(GermaneError, match="is not supported on a cluster, where rows have no order"):
        ge.evaluate(QRELS, spark.createDataFrame(ROWS, RUN), ["AP"], ties="order")
    with pytest.raises(InputError, match="expected a rank column for ties=rank, found none"):
        ge.evaluate(QRELS, spark.createDataFrame(ROWS, RUN), ["AP"], ties="rank")


def test_what_goes_wrong_in_the_frame_itself_is_told_in_a_line(spark: Any) -> None:
    def broken(batches: Iterator[Any]) -> Iterator[Any]:
        yield from batches
        raise RuntimeError("the disk is gone")

    frame = spark.createDataFrame(ROWS, RUN).mapInArrow(broken, RUN)
    with pytest.raises(GermaneError) as caught:
        ge.measures.judge_run(QRELS, frame)
    assert caught.value.message == "Spark job failed: RuntimeError: the disk is gone"


# A lost executor -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("worker", [False, True], ids=["executor", "Python worker"])
def test_a_lost_executor_costs_a_retry_not_the_result(spark: Any, tmp_path: Path, worker: bool) -> None:
    """The last task of the first stage kills the executor that it runs on, and with it what that one had done."""
    frame = lethal(spark.createDataFrame(ROWS, RUN), tmp_path / "killed", worker=worker)
    found = ge.evaluate(QRELS, frame, ["AP", "nDCG"])
    assert was_killed(tmp_path / "killed")
    assert found.mean() == ge.evaluate(QRELS, {"run": ROWS}, ["AP", "nDCG"]).mean()


def test_a_large_query_is_counted_in_pieces(spark: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of each ranking of more than 5 rows, pieces of about 4 rows are counted in another job."""
    monkeypatch.setattr(judged_runs, "MatchingTask", partial(MatchingTask, limit=5))
    monkeypatch.setattr(large_queries, "PIECE_ROWS", 4)
    frame = spark.createDataFrame(TAGGED, f"system string, {RUN}").repartition(3)
    for (_, found), rows in zip(judge_on_spark(QRELS, [("all", frame)]), (ROWS, OTHER), strict=True):
        expected = on_one_machine(rows)
        assert [name for name in differences(found, expected) if name != "rising_queries"] == []
