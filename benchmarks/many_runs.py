"""A folder of runs, evaluated by germane in one call and by pytrec_eval run by run.

The runs are those of one collection: the same documents were pooled and judged, and each run has its own order. Both
ways get the same files and the same measures, and each is a whole process that reads the judgments once. They print the
mean of each measure for each run, so that the benchmark can assert that they found the same.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import numpy as np

from benchmarks.peers import PYTREC_EVAL_NAMES, Means, pytrec_eval_means

POOLED = 3_000
"""Number of documents per query that runs can retrieve."""
ON_ONE_CORE = (
    "import os, sys; os.sched_setaffinity(0, [min(os.sched_getaffinity(0))]); os.execv(sys.argv[1], sys.argv[1:])"
)
"""Python code that runs the following command on a single core."""
JUDGED = 300
"""Number of these that are judged; Robust 2004 has 1,250 judged documents per query, deep learning tracks about 200."""


def make_folder(folder: Path, runs: int, queries: int, depth: int) -> tuple[Path, Path]:
    """Write judgments and a folder of runs. Scores are distinct integers within a query, so there are no ties."""
    rng = np.random.default_rng((9, queries, depth))
    docs = [
        [f"FT{doc // 1000:03}-{doc % 1000:05}" for doc in row] for row in rng.integers(0, 999_999, (queries, POOLED))
    ]
    topics = [str(301 + query) for query in range(queries)]
    qrels, run_folder = folder / "qrels", folder / "runs"
    grades = rng.integers(0, 3, (queries, JUDGED)) * (rng.random((queries, JUDGED)) < 0.25)
    with qrels.open("w") as file:
        for topic, names, row in zip(topics, docs, grades.tolist(), strict=True):
            file.writelines(f"{topic} 0 {doc} {grade}\n" for doc, grade in dict(zip(names, row, strict=False)).items())
    run_folder.mkdir()
    for number in range(runs):
        with (run_folder / f"input.system{number:03}").open("w") as file:
            for topic, names in zip(topics, docs, strict=True):
                # Judged documents come from runs, so they rank high in most of them.
                strength = rng.random(POOLED) + np.linspace(1, 0, POOLED)
                found = list(dict.fromkeys(names[i] for i in np.argsort(-strength)))[:depth]
                scores = (100_000 - rng.integers(1, 90, depth).cumsum()) / 1000
                file.writelines(
                    f"{topic} Q0 {doc} {rank} {score:.3f} system{number:03}\n"
                    for rank, (doc, score) in enumerate(zip(found, scores.tolist(), strict=False), start=1)
                )
    return qrels, run_folder


def by_pytrec_eval(qrels_path: str, folder: str) -> list[Means]:
    """The judgments once, then each run: parse, evaluate, average."""
    import pytrec_eval

    with open(qrels_path) as file:  # noqa: PTH123 - as its README has it
        evaluator = pytrec_eval.RelevanceEvaluator(pytrec_eval.parse_qrel(file), set(PYTREC_EVAL_NAMES.values()))
    found = []
    for path in sorted(Path(folder).iterdir()):
        with path.open() as file:
            found.append(pytrec_eval_means(evaluator.evaluate(pytrec_eval.parse_run(file))))
    return found


if __name__ == "__main__":
    json.dump(by_pytrec_eval(*sys.argv[1:]), sys.stdout)
