"""Match runs in Spark frames with judgments in one job; other runs are passed through."""

from __future__ import annotations

from typing import Any

from germane.distributed.frames import called, require_distinct
from germane.distributed.judged_runs import judge_on_spark
from germane.distributed.spark_run import SparkRun, lies_on_spark
from germane.errors import InputError
from germane.tables.rankings.judged_run import JudgedRun, Ties
from germane.tables.rankings.qrels import Qrels
from germane.tables.results.scores import RunInfo

Named = list[tuple[RunInfo, Any]]


def judged_where_they_lie(qrels: Qrels, named: Named, ties: Ties, score_type: str) -> Named:
    """Return the runs in the same order, each Spark frame matched with the judgments on the cluster.

    A frame with several tags is several runs, named by tag; beside other runs, by frame and tag.
    """
    frames = [(info, source) for info, source in named if lies_on_spark(source)]
    judged: dict[str, list[JudgedRun]] = {info.name: [] for info, _ in frames}
    sources = [(info.name, source) for info, source in frames]
    for number, run in judge_on_spark(qrels, sources, ties=ties, score_type=score_type):
        judged[frames[number][0].name].append(run)
    result: Named = []
    for info, source in named:
        several = judged.get(info.name, [source])
        path = source.path if isinstance(source, SparkRun) else info.path
        for run in several:
            name = info.name if len(several) == 1 else called(info.name, run.name, beside=len(named) > 1)
            result.append((RunInfo(name, path), run))
    require_distinct(info.name for info, _ in result)
    return result


def one_run_where_it_lies(qrels: Qrels, run: Any, name: str, ties: Ties, score_type: str) -> JudgedRun:
    """Match a Spark frame that holds one run."""
    judged = [found for _, found in judge_on_spark(qrels, [(name, run)], ties=ties, score_type=score_type)]
    if len(judged) > 1:
        tags = ", ".join(found.name for found in judged[:3])
        hint = "keep the rows of one of them: frame.where(...)"
        raise InputError(name, None, f"expected one run, found {len(judged)} tags: {tags}", hint=hint)
    return judged[0]
