"""The code that a user of each other tool writes to evaluate a file: `python -m benchmarks.peers TOOL QRELS RUN`.

Prints the means as JSON. The four measures are defined alike in all tools as long as no two documents of a query have
the same score: on ties, ranx and the part of ir_measures that computes RR@k leave trec_eval's order.

numba keeps what it compiled of ranx, but not the inner parts of its typed dicts: some seconds of each ranx process are
compiling, however often it ran before. The benchmark says how many.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from importlib.util import find_spec

Means = dict[str, float]
MEASURES = ("AP", "nDCG@10", "RR", "R@1000")
PYTREC_EVAL_NAMES = {"AP": "map", "nDCG@10": "ndcg_cut.10", "RR": "recip_rank", "R@1000": "recall.1000"}


def pytrec_eval(qrels_path: str, run_path: str) -> Means:
    """Parse both files, evaluate, average."""
    import pytrec_eval

    with open(qrels_path) as qrels_file, open(run_path) as run_file:  # noqa: PTH123 - as its README has it
        qrels = pytrec_eval.parse_qrel(qrels_file)
        run = pytrec_eval.parse_run(run_file)
    return pytrec_eval_means(pytrec_eval.RelevanceEvaluator(qrels, set(PYTREC_EVAL_NAMES.values())).evaluate(run))


def pytrec_eval_means(by_query: dict[str, dict[str, float]]) -> Means:
    """Return the means over queries; pytrec_eval takes names with a dot and returns them with an underscore."""
    import pytrec_eval

    printed = {ours: theirs.replace(".", "_") for ours, theirs in PYTREC_EVAL_NAMES.items()}
    return {
        ours: float(pytrec_eval.compute_aggregated_measure(theirs, [values[theirs] for values in by_query.values()]))
        for ours, theirs in printed.items()
    }


def ir_measures(qrels_path: str, run_path: str) -> Means:
    """Read both files as iterators and aggregate."""
    import ir_measures
    from ir_measures import AP, RR, R, nDCG

    qrels = ir_measures.read_trec_qrels(qrels_path)  # type: ignore[no-untyped-call]
    run = ir_measures.read_trec_run(run_path)  # type: ignore[no-untyped-call]
    means = ir_measures.calc_aggregate([AP, nDCG @ 10, RR, R @ 1000], qrels, run)
    return {str(measure): float(value) for measure, value in means.items()}


def ranx(qrels_path: str, run_path: str) -> Means:
    """Read both files and evaluate."""
    from ranx import Qrels, Run, evaluate  # type: ignore[import-not-found]  # only where the benchmarks run

    qrels, run = Qrels.from_file(qrels_path, kind="trec"), Run.from_file(run_path, kind="trec")
    names = {"map": "AP", "ndcg@10": "nDCG@10", "mrr": "RR", "recall@1000": "R@1000"}
    means = evaluate(qrels, run, list(names))
    return {ours: float(means[theirs]) for theirs, ours in names.items()}


PEERS: dict[str, Callable[[str, str], Means]] = {"pytrec_eval": pytrec_eval, "ir_measures": ir_measures, "ranx": ranx}


def installed_peers() -> list[str]:
    """Return the peers that can be imported, and print those that cannot."""
    for peer in PEERS:
        if find_spec(peer) is None:
            print(f"{peer} is not installed: left out")
    return [name for name in PEERS if find_spec(name) is not None]


if __name__ == "__main__":
    json.dump(PEERS[sys.argv[1]](*sys.argv[2:]), sys.stdout)
