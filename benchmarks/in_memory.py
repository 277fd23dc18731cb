"""Time only the call that evaluates, on data that is ready: `python -m benchmarks.in_memory FORM QUERIES DEPTH CALLS`.

Prints the seconds of each call and the means, as JSON. The judgments have the form of the run; germane takes them in
within the timed call, pytrec_eval before it.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks.peers import MEASURES, Means
from benchmarks.workloads import Array, QrelsColumns, RunColumns, Workload, make_qrels, make_run

Evaluation = Callable[[], Callable[[], Means]]
"""A call that evaluates; its result computes the means, untimed."""


def pytrec_eval_dicts(qrels: QrelsColumns, run: RunColumns) -> Evaluation:
    """The peer, with the only kind of data that it accepts."""
    import pytrec_eval

    names = {"map": "AP", "ndcg_cut_10": "nDCG@10", "recip_rank": "RR", "recall_1000": "R@1000"}
    evaluator = pytrec_eval.RelevanceEvaluator(_qrels_dict(qrels), {"map", "ndcg_cut.10", "recip_rank", "recall.1000"})
    scored = _run_dict(run)

    def evaluation() -> Callable[[], Means]:
        by_query = evaluator.evaluate(scored)
        return lambda: {
            ours: float(np.mean([values[theirs] for values in by_query.values()])) for theirs, ours in names.items()
        }

    return evaluation


def germane_dicts(qrels: QrelsColumns, run: RunColumns) -> Evaluation:
    """Dicts of dicts."""
    return _germane(_qrels_dict(qrels), _run_dict(run))


def germane_arrow(qrels: QrelsColumns, run: RunColumns) -> Evaluation:
    """Arrow tables whose ids are strings."""
    import pyarrow as pa

    judged = {"query_id": _strings(qrels.query), "doc_id": _strings(qrels.doc), "relevance": _grades(qrels)}
    scored = {"query_id": _strings(run.query), "doc_id": _strings(run.doc), "score": run.scores()}
    return _germane(pa.table(judged), pa.table(scored))


def germane_numpy_integers(qrels: QrelsColumns, run: RunColumns) -> Evaluation:
    """NumPy arrays whose ids are integers."""
    return _germane((qrels.query, qrels.doc, _grades(qrels)), (run.query, run.doc, run.scores()))


def germane_numpy_bytes(qrels: QrelsColumns, run: RunColumns) -> Evaluation:
    """NumPy arrays whose ids are bytes."""
    judged = (qrels.query.astype("S8"), qrels.doc.astype("S8"), _grades(qrels))
    return _germane(judged, (run.query.astype("S8"), run.doc.astype("S8"), run.scores()))


FORMS: dict[str, Callable[[QrelsColumns, RunColumns], Evaluation]] = {
    "pytrec_eval": pytrec_eval_dicts,
    "dicts": germane_dicts,
    "arrow": germane_arrow,
    "integers": germane_numpy_integers,
    "bytes": germane_numpy_bytes,
}


def _germane(qrels: Any, run: Any) -> Evaluation:
    import germane

    def evaluation() -> Callable[[], Means]:
        scores = germane.evaluate(qrels, run, MEASURES)
        return lambda: {measure: float(value) for measure, value in scores.mean()["run"].items()}

    return evaluation


def _run_dict(run: RunColumns) -> dict[str, dict[str, float]]:
    """Make every id a separate object, as a parser would."""
    begins = np.flatnonzero(np.diff(run.query, prepend=-1)).tolist()
    docs, scores = run.doc.tolist(), run.scores().tolist()
    return {
        str(run.query[begin]): dict(zip(map(str, docs[begin:end]), scores[begin:end], strict=True))
        for begin, end in zip(begins, [*begins[1:], len(docs)], strict=True)
    }


def _qrels_dict(qrels: QrelsColumns) -> dict[str, dict[str, int]]:
    judged: dict[str, dict[str, int]] = {}
    for query, doc in zip(qrels.query.tolist(), qrels.doc.tolist(), strict=True):
        judged.setdefault(str(query), {})[str(doc)] = 1
    return judged


def _grades(qrels: QrelsColumns) -> Array:
    return np.ones(len(qrels.doc), dtype=np.int64)


def _strings(values: Array) -> Any:
    import pyarrow as pa

    return pa.array(values).cast(pa.string())


def _main(form: str, queries: str, depth: str, calls: str) -> None:
    workload = Workload(int(queries), int(depth))
    evaluation = FORMS[form](make_qrels(workload), make_run(workload))
    seconds = []
    for _ in range(int(calls)):
        begin = time.perf_counter()
        means = evaluation()
        seconds.append(time.perf_counter() - begin)
    json.dump({"seconds": seconds, "means": means()}, sys.stdout)


if __name__ == "__main__":
    _main(*sys.argv[1:])
