"""Scaling of the evaluation of a run on Spark, and the estimated cost of 10^11 rows.

Rows are made on the cluster: queries of 1,000 documents each, ids scattered over ten digits, scores of all 53 bits, so
that they compress no better than those of real runs; some scores are tied. Of each of 1,000 topics 50 documents are
judged; all other queries are unknown to the judgments, as in a log. For each size the script prints seconds, rows per
second and core, and bytes shuffled per row, as Spark counts them; then the same on paper for 10^11 rows and a stated
cluster.

    python benchmarks/spark_scaling.py                                  10^6, 10^7 and 10^8 rows
    python benchmarks/spark_scaling.py --rows 1e6 1e7 --master 'local[2]'
    python benchmarks/spark_scaling.py --json scaling.json              also as JSON
    python benchmarks/spark_scaling.py --one-query 1e7                  skew: a single query of so many rows

--rows ROWS …       how many rows, several sizes in one session (default: 1e6 1e7 1e8)
--one-query ROWS    instead, one run whose only query has all rows: time, and the memory that its worker needs
--master URL        where Spark runs (default: local-cluster[2,1,2048], two executor processes of one core each)
--partitions N      shuffle partitions (default: one for each million rows, at least two for each core)
--repeat N          how often each size is timed; the fastest counts (default: 1)
--paper-cores N     cores of the cluster on paper (default: 1024, that is 64 nodes of 16 cores)
--json FILE         write the figures there

Needs germane[spark] and Java 17.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np

DOCS_PER_QUERY = 1000
TOPICS = 1000
JUDGED = 50
PAPER_ROWS = 10**11
CORES_PER_NODE = 16


def main() -> None:
    """Measure, print, and calculate."""
    asked = arguments()
    spark = session(asked.master)
    try:
        if asked.one_query is not None:
            figures = [one_query(spark, int(asked.one_query))]
        else:
            warm_up(spark)
            figures = [measured(spark, int(rows), asked.partitions, asked.repeat) for rows in asked.rows]
            figures.append(on_paper(figures[-1], asked.paper_cores))
    finally:
        spark.stop()
    if asked.json:
        Path(asked.json).write_text(json.dumps(figures, indent=2) + "\n", encoding="utf-8")


def arguments() -> argparse.Namespace:
    """Parse the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=float, nargs="+", default=[1e6, 1e7, 1e8])
    parser.add_argument("--one-query", type=float)
    parser.add_argument("--master", default="local-cluster[2,1,2048]")
    parser.add_argument("--partitions", type=int)
    parser.add_argument("--repeat", type=int, default=1)
    parser.add_argument("--paper-cores", type=int, default=1024)
    parser.add_argument("--json")
    return parser.parse_args()


def session(master: str) -> Any:
    """A session whose executors run this Python and this germane."""
    from pyspark.sql import SparkSession

    import germane

    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    builder = SparkSession.builder.master(master).appName("germane: scaling")
    for name, value in {
        "spark.executorEnv.PYTHONPATH": str(Path(germane.__file__).parents[1]),
        "spark.ui.showConsoleProgress": "false",
        "spark.log.level": "ERROR",
        "spark.executor.memory": "2g",
    }.items():
        builder = builder.config(name, value)
    return builder.getOrCreate()


def judgments() -> Any:
    """Return judgments of every twentieth document of each topic."""
    import germane as ge

    step = DOCS_PER_QUERY // JUDGED
    places = [(q, q * DOCS_PER_QUERY + d * step, d % 3) for q in range(TOPICS) for d in range(JUDGED)]
    return ge.measures.load_qrels([(f"q{q}", f"doc{scattered(place)}", grade) for q, place, grade in places])


def scattered(place: Any) -> Any:
    """Permute the numbers below 2^32 so that neighbours are far apart; also for columns."""
    return place * 2_654_435_761 % 2**32


def run(spark: Any, rows: int, docs_per_query: int = DOCS_PER_QUERY) -> Any:
    """Rows made on the cluster; scores fall within a query, and some are tied."""
    from pyspark.sql import functions as F  # noqa: N812

    place = F.col("id") % docs_per_query
    return spark.range(rows).select(
        F.concat(F.lit("q"), F.floor(F.col("id") / docs_per_query).cast("long").cast("string")).alias("qid"),
        F.concat(F.lit("doc"), scattered(F.col("id")).cast("string")).alias("docno"),
        (-F.log1p(F.floor(place / 3) + F.floor(F.col("id") / docs_per_query) % 89)).alias("score"),
    )


def warm_up(spark: Any) -> None:
    """Start the workers, and trigger their one-off imports."""
    import germane as ge

    ge.measures.judge_run(judgments(), run(spark, 200_000))


def measured(spark: Any, rows: int, partitions: int | None, repeat: int) -> dict[str, float]:
    """Measure one size: the fastest of several times, and the bytes shuffled."""
    import germane as ge

    cores = spark.sparkContext.defaultParallelism
    spark.conf.set("spark.sql.shuffle.partitions", partitions or max(2 * cores, rows // 10**6))
    qrels, frame, seconds = judgments(), run(spark, rows), []
    before = shuffled_bytes(spark)
    for _ in range(repeat):
        start = time.perf_counter()
        found = ge.measures.judge_run(qrels, frame)
        seconds.append(time.perf_counter() - start)
    expected = min(TOPICS, rows // DOCS_PER_QUERY) * DOCS_PER_QUERY
    if int(found.num_retrieved.sum()) != expected:
        raise SystemExit(f"expected {expected} rows of judged queries, found {found.num_retrieved.sum()}")
    best = min(seconds)
    figures = {
        "rows": rows,
        "cores": cores,
        "seconds": best,
        "rows_per_second_and_core": rows / best / cores,
        "shuffled_bytes_per_row": (shuffled_bytes(spark) - before) / rows / repeat,
    }
    if rows:
        print(
            f"{rows:>14,} rows  {best:8.1f} s  {figures['rows_per_second_and_core']:>12,.0f} rows per second and core  "
            f"{figures['shuffled_bytes_per_row']:6.1f} bytes shuffled per row",
            flush=True,
        )
    return figures


def shuffled_bytes(spark: Any) -> int:
    """Return the bytes that all stages so far wrote for shuffles, from Spark's own metrics."""
    from urllib.request import urlopen

    context = spark.sparkContext
    with urlopen(f"{context.uiWebUrl}/api/v1/applications/{context.applicationId}/stages") as answer:
        return sum(stage["shuffleWriteBytes"] for stage in json.load(answer))


def one_query(spark: Any, rows: int) -> dict[str, float]:
    """Measure all rows in one query, which is a single task on any cluster."""
    import germane as ge

    qrels = ge.measures.load_qrels([("q0", f"doc{scattered(d)}", 1) for d in range(0, rows, rows // JUDGED)])
    start = time.perf_counter()
    found = ge.measures.judge_run(qrels, run(spark, rows, rows))
    seconds = time.perf_counter() - start
    if found.num_retrieved.tolist() != [rows] or not np.array_equal(np.sort(found.doc), np.arange(len(qrels.docs))):
        raise SystemExit("the rows of the query did not all arrive")
    peak = max(row.peak for row in spark.range(64).mapInArrow(_peak_memory, "peak bigint").collect())
    print(f"{rows:>14,} rows of one query  {seconds:8.1f} s  {peak / 2**20:,.0f} MiB at most in a Python worker")
    return {"rows": rows, "seconds": seconds, "peak_bytes": peak}


def _peak_memory(batches: Any) -> Any:
    """Return the peak memory of this worker; workers are reused."""
    import resource

    import pyarrow as pa

    for _ in batches:
        pass
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    yield pa.RecordBatch.from_pydict({"peak": pa.array([peak], pa.int64())})


def on_paper(largest: dict[str, float], cores: int) -> dict[str, float]:
    """Estimate the cost of 10^11 rows if each core is as fast as here."""
    core_hours = PAPER_ROWS / largest["rows_per_second_and_core"] / 3600
    figures = {
        "rows": PAPER_ROWS,
        "cores": cores,
        "hours": core_hours / cores,
        "node_hours": core_hours / CORES_PER_NODE,
        "shuffled_terabytes": PAPER_ROWS * largest["shuffled_bytes_per_row"] / 1e12,
    }
    print(
        f"{PAPER_ROWS:>14,} rows on paper: {core_hours:,.0f} core-hours, that is {figures['node_hours']:,.1f} "
        f"node-hours of {CORES_PER_NODE} cores, {60 * figures['hours']:,.0f} minutes on {cores:,} cores; "
        f"{figures['shuffled_terabytes']:.1f} TB shuffled"
    )
    return figures


if __name__ == "__main__":
    main()
