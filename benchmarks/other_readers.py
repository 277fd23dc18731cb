"""Ways of pyarrow, polars and pandas to read the same file: `python -m benchmarks.other_readers WAY FILE …`.

Each is a whole process and prints JSON, so that the benchmark can assert that all tools saw the same.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from importlib.util import find_spec
from typing import Any


def pyarrow(run: str) -> dict[str, Any]:
    """Read the columns that an evaluation needs."""
    from pyarrow import parquet

    return {"rows": parquet.read_table(run, columns=["qid", "docno", "score"]).num_rows}


def polars(run: str, qrels: str) -> dict[str, Any]:
    """Rank the documents of each query and return the mean reciprocal rank of the judged ones."""
    import polars as pl  # type: ignore[import-not-found, unused-ignore]  # only where the benchmarks run

    judged = pl.scan_parquet(qrels)
    ranks = pl.scan_parquet(run).select(
        "qid", "docno", rank=pl.col("score").rank("ordinal", descending=True).over("qid")
    )
    best = judged.join(ranks, on=["qid", "docno"], how="left").group_by("qid").agg(rank=pl.col("rank").min())
    return {"RR": best.select((1 / pl.col("rank")).fill_null(0).mean()).collect().item()}


def pandas(labels: str) -> dict[str, Any]:
    """Read a file of labels and scores."""
    import pandas as pd

    return {"rows": len(pd.read_csv(labels))}


WAYS: dict[str, Callable[..., dict[str, Any]]] = {"pyarrow": pyarrow, "polars": polars, "pandas": pandas}


def has(way: str) -> bool:
    """Return whether the library is installed, and print it if not."""
    if find_spec(way) is None:
        print(f"  {way} is not installed: left out")
    return find_spec(way) is not None


if __name__ == "__main__":
    json.dump(WAYS[sys.argv[1]](*sys.argv[2:]), sys.stdout)
