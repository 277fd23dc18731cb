"""`fuse`: combine several runs into one, by rank or by score."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack, overload

from germane.api.options import FusionOptions
from germane.api.rankings.evaluation import named_runs
from germane.arguments import checked
from germane.distributed.spark_run import FusedFrame, lies_on_spark
from germane.errors import GermaneError
from germane.formats.rankings.ranking_files import read_run
from germane.formats.rows.columns import reject_duplicates
from germane.formats.rows.memory import run_from
from germane.retrieval.fusion import FUSION, Method, fuse_runs
from germane.tables.rankings.run import Run
from germane.tables.results.rankings import Rankings

if TYPE_CHECKING:
    from germane.types import RunsLike, SparkRunsLike


@overload
def fuse(  # type: ignore[overload-overlap] # a Spark frame is a frame, too
    runs: SparkRunsLike, method: str | Method = ..., **options: Unpack[FusionOptions]
) -> FusedFrame: ...
@overload
def fuse(runs: RunsLike, method: str | Method = ..., **options: Unpack[FusionOptions]) -> Rankings: ...
@checked
def fuse(
    runs: SparkRunsLike | RunsLike,
    method: str | Method = "rrf",
    *,
    weights: Mapping[str, float] | None = None,
    normalise: str | None = None,
    depth: int | None = None,
    k: int | None = None,
    ties: str = "docno",
    run_format: str | None = None,
) -> Rankings | FusedFrame:
    """Fuse two or more runs into one.

    `runs` is a list of paths, dicts, rows, arrays or data frames, or a dict of these by name. `method` is one of
    `germane.retrieval.FUSION`, with parameters as in ``rrf(k=10)``. Methods that use
    scores normalise them by `normalise` (one of `NORMALISATIONS`, by default minmax); `weights` has a number for each
    run by name. `depth` is the number of documents used per run and query, `k` the maximum per query in the fused run.
    A query that some runs lack is fused from those that have it. `ties` breaks ties of scores in a run: by document id
    as in evaluation (docno), by input order (order), or by the rank column (rank).

    Data frames of Spark are fused where they are: the result is a `FusedFrame`, whose `frame` is a data frame, too.

    Otherwise the result is a run, with queries in byte order and documents by rank; its tag says how it was made.

    >>> runs = {"bm25": {"q1": {"d1": 9.0, "d2": 7.0}}, "dense": {"q1": {"d2": 0.8, "d3": 0.5}}}
    >>> fused = fuse(runs, "rrf(k=0)")
    >>> fused, list(fused.docs), fused.score
    (<rrf(k=0): 1 query, 3 documents>, ['d2', 'd1', 'd3'], array([1.5, 1. , 0.5]))
    """
    named = named_runs(runs)
    lie_on_spark = [lies_on_spark(source) for _, source in named]
    if any(lie_on_spark):
        from germane.distributed.fused_runs import fuse_on_spark

        if not all(lie_on_spark):
            (info, _) = named[lie_on_spark.index(False)]
            hint = "convert it to a Spark data frame, or the others to local ones"
            raise GermaneError(f"expected all runs as Spark data frames, found {info.name} elsewhere", hint=hint)
        runs_there = [(info.name, source) for info, source in named]
        return fuse_on_spark(runs_there, method, weights, normalise, depth=depth, k=k, ties=ties)
    if len(named) < 2:
        hint = "use germane convert to write one run in another format"
        raise GermaneError("expected two runs or more to fuse, found one", hint=hint)
    loaded = [replace(_load(source, info.name, run_format), name=info.name) for info, source in named]
    return fuse_runs(loaded, FUSION.parse(method), weights=weights, normalise=normalise, depth=depth, k=k, ties=ties)


def _load(source: Any, name: str, format: str | None) -> Run:  # noqa: A002
    if isinstance(source, str | Path):
        return read_run(source, format=format)
    run = run_from(source, name=name)
    if isinstance(source, Run):  # its rows have not been checked yet
        reject_duplicates(run)
    return run
