"""Fusion against a plain second implementation with dicts, on runs of many queries, and on runs of TREC."""

from pathlib import Path

import numpy as np
import pytest

from germane.api.rankings.evaluation import evaluate
from germane.api.retrieval.fusion import fuse
from germane.retrieval.fusion import FUSION, NORMALISATIONS, Method, Normalisation, fuse_runs
from germane.tables.rankings.run import Run
from tests.retrieval.fusion_by_hand import PLAIN_NORMALISATIONS, Ranked, plain_fusion


def made_runs(seed: int, num_runs: int = 3, num_queries: int = 12) -> list[dict[str, dict[str, float]]]:
    """Runs that lack some queries, have lists of different lengths and a few ties."""
    rng = np.random.default_rng(seed)
    runs = []
    for _ in range(num_runs):
        queries = [f"q{i}" for i in range(num_queries) if rng.random() < 0.9]
        docs = {query: rng.choice(25, rng.integers(1, 20), replace=False) for query in queries}
        runs.append({q: {f"d{d}": float(rng.integers(1, 60)) / 4 for d in own} for q, own in docs.items()})
    return runs


WEIGHTS = {"a": 0.7, "b": 0.2, "c": 0.1}
CASES = [
    (method, entry, weights)
    for method in FUSION
    for entry in (NORMALISATIONS if method.uses == "scores" else [None])
    for weights in (None, WEIGHTS)
    if method.weights == "optional" or (weights is None) == (method.weights == "refused")
]


@pytest.mark.parametrize(("method", "entry", "weights"), CASES)
def test_the_plain_second_implementation_agrees(
    method: Method, entry: Normalisation | None, weights: dict[str, float] | None
) -> None:
    runs = dict(zip("abc", made_runs(seed=len(method.name)), strict=True))
    tables = [Run.from_dict(run, name=name) for name, run in runs.items()]
    fused = by_query(fuse_runs(tables, method, weights=weights, normalise=None if entry is None else entry.name))
    for query, found in fused.items():
        having = [name for name in runs if query in runs[name]]
        lists = [plain_list(runs[name][query], entry) for name in having]
        expected = plain_fusion(method.name, lists, [(weights or dict.fromkeys(runs, 1.0))[name] for name in having])
        assert found == pytest.approx(expected, abs=1e-12)
        assert list(found.values()) == sorted(found.values(), reverse=True)


def plain_list(scores: dict[str, float], entry: Normalisation | None) -> Ranked:
    """In order, and normalised."""
    ranked = sorted(sorted(scores, reverse=True), key=lambda doc: -scores[doc])
    falling = [scores[doc] for doc in ranked]
    values = falling if entry is None else PLAIN_NORMALISATIONS[entry.name](falling)
    return list(zip(ranked, values, strict=True))


def by_query(run: Run) -> dict[str, dict[str, float]]:
    names = list(run.queries)
    found: dict[str, dict[str, float]] = {query: {} for query in names}
    for query, doc, score in zip(run.query.tolist(), run.docs, run.score.tolist(), strict=True):
        found[names[query]][doc] = score
    return found


ROBUST03 = [
    # runs and their MAP        that of both, fused by rrf
    ("pircRBa1", 0.3101, "aplrob03a", 0.2998, 0.3265),
    ("InexpC2", 0.2249, "THUIRr0301", 0.2597, 0.2583),
]


@pytest.mark.shared
@pytest.mark.parametrize(("one", "ap_one", "two", "ap_two", "ap_both"), ROBUST03)
def test_runs_of_trec(shared: Path, one: str, ap_one: float, two: str, ap_two: float, ap_both: float) -> None:
    data = shared / "data" / "robust03"
    paths = [str(data / "runs" / f"{name}.gz") for name in (one, two)]
    fused = fuse(paths)
    assert (len(fused.queries), fused.tag, fused.notes) == (100, "rrf(k=60)", ())
    runs: list[str | Run] = [*paths, fused]
    found = evaluate(data / "qrels.txt.gz", runs, ["AP"]).mean()
    assert [mean["AP"] for mean in found.values()] == pytest.approx([ap_one, ap_two, ap_both], abs=0.00005)
