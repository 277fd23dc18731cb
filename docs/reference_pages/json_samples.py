"""JSON output of the commands on small data, with shortened lists, for the page that explains it."""

from __future__ import annotations

import contextlib
import json
import re
import tempfile
from collections.abc import Iterator
from importlib.resources import as_file, files
from pathlib import Path
from typing import Any

import numpy as np

import germane
from docs.examples import run_germane
from germane.api.learning.agent import Agent
from germane.api.retrieval.feedback import evaluate_feedback
from germane.api.retrieval.indexing import index as build_index
from germane.api.retrieval.retrieval import retrieve
from germane.formats.truth.pool_file import write_pool
from germane.output.rendering import render
from germane.retrieval.indexes.index import Index

KEPT = ("TPR", "AUC", "observed", "kappa")
"""Measures kept in the samples; the others look alike."""
FIRST = 3
"""Maximum number of entries shown of a list of numbers."""


def samples() -> dict[str, str]:
    """By the name that the template has for it, each sample."""
    with _in_exercise():
        shortened = _of_decisions() | _of_ground_truth() | _of_retrieval() | _of_learning()
        return {**_of_rankings(), **{name: _six_digits(sample) for name, sample in shortened.items()}}


def _of_rankings() -> dict[str, str]:
    """What `eval`, `compare` and `explain` print."""
    slices = {"Q1": "short", "Q2": "long", "Q3": "short"}
    scores = germane.evaluate("qrels.txt", ["system1.run"], "AP P@5", slices=slices, bounds=True, interval="t")
    plain = germane.evaluate("qrels.txt", ["system1.run"], "AP P@5")
    both = germane.evaluate("qrels.txt", ["system1.run", "system2.run"], "AP")
    comparison = germane.compare(both, equivalence=0.1, margin=0.1, difference=0.1)
    three = {"old": {"q1": 0.1, "q2": 0.5, "q3": 0.4}, "new": {"q1": 0.7, "q2": 0.9, "q3": 0.9}}
    many = germane.compare({**three, "other": {"q1": 0.6, "q2": 0.9, "q3": 0.7}}).to_dict()
    asked = "correlate system1.run system2.run --coefficient tau-b --coefficient rbo-a --format json"
    correlations = json.loads(run_germane(asked.split())[0])
    return {
        "EVAL": scores.to_json(per_query=True, aggregates=("mean", "micro")),
        "JSONL": render(plain, "jsonl", per_query=True),
        "EXPLAIN": germane.explain("AP", "qrels.txt", "system1.run", "Q1").to_json(),
        "COMPARE": _six_digits(comparison.to_dict()),
        "MANY": _six_digits({key: many[key] for key in ("variance", "letters")}),
        "CORRELATE": _six_digits(correlations | {"queries": {"Q1": correlations["queries"]["Q1"]}}),
        "APPROXIMATE": _six_digits(_of_an_index()),
    }


def _of_an_index() -> Any:
    """What `vectors --approximate` prints about an index that misses one of four neighbours."""
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        np.save("queries.npy", np.array([[1, 0], [0, 1]], dtype=np.float32))
        np.save("docs.npy", np.array([[2, 0], [1, 1], [0, 1]], dtype=np.float32))
        np.save("new.npy", np.array([[0, 2], [2, 1]]))
        Path("judged.txt").write_text("0 0 1 1\n1 0 1 1\n", encoding="utf-8")
        asked = "vectors judged.txt --queries queries.npy --docs docs.npy --approximate new.npy --top 2 -m AP"
        found = json.loads(run_germane([*asked.split(), "--format", "json"])[0])
    found["comparison"] = {key: found["comparison"][key] for key in ("test", "baseline", "means")}
    return found


def _of_decisions() -> dict[str, Any]:
    """What `classify`, `threshold` and `explain` print about six items, less most of the measures."""
    items = {"class": list("ppnpnn"), "new": [0.9, 0.8, 0.7, 0.6, 0.3, 0.2], "old": [0.9, 0.4, 0.8, 0.6, 0.5, 0.2]}
    both = germane.classify(items, truth="class", score=["new", "old"]).to_dict()
    both["classifiers"] = both["classifiers"][:1]
    for name in ("densities", "calibration"):
        both["classifiers"][0][name] = _first_numbers(both["classifiers"][0][name])
    both["comparison"]["pairs"] = both["comparison"]["pairs"][:1]
    rule = "rule-out TPR>=0.9, rule-in TNR>=0.9"
    chosen = germane.threshold(items, rule, truth="class", score="new", resamples=100)
    explained = germane.explain("AUC", items, truth="class", score="new")
    worked = explained.to_dict()
    return {
        "CLASSIFY": _fewer_measures(both),
        "THRESHOLD": _fewer_measures(chosen.to_dict()),
        "EXPLAINDATA": worked | {"rows": worked["rows"][:2]},
    }


def _of_ground_truth() -> dict[str, Any]:
    """What `agree`, `release` and `pool` write about a few judgments of the exercise."""
    runs = ["system1.run", "system2.run"]
    judges = {
        "ann": {"Q1": {"Im38": 2, "Im94": 0}, "Q2": {"Im56": 1, "Im12": 0}},
        "bob": {"Q1": {"Im38": 2, "Im94": 1}, "Q2": {"Im56": 1, "Im12": None}},
    }
    report = germane.agree(judges, grades=[0, 1, 2], runs=runs, resamples=100)
    agreement = report.to_dict()
    for values in (agreement["agreement"], agreement["pairs"][0]["agreement"], *agreement["topics"].values()):
        for name in [name for name in values if name not in (*KEPT, "num_docs")]:
            del values[name]
    agreement["topics"] = {"Q1": agreement["topics"]["Q1"]}
    agreement["by_assessor"] = agreement["by_assessor"][:1]
    agreement["systems"]["means"] = {"ann": agreement["systems"]["means"]["ann"]}
    simulation = germane.truth.simulate_pools("qrels.txt", runs, ["depth"], [2], leave_one_out=True)
    replayed = simulation.to_dict()
    with tempfile.TemporaryDirectory() as folder:
        pool = germane.pool(runs, "stratified(strata=1:1/3:0.5)", depth=3)
        write_pool(pool, Path(folder) / "pool.jsonl")
        made = germane.release(judges, Path(folder) / "release", pool=germane.pool(runs, "depth", depth=3))
        pooled, events = (_lines_of(Path(folder) / name) for name in ("pool.jsonl", "release/events.jsonl"))
    manifest = dict(made.manifest)
    manifest["files"] = {"qrels.txt": manifest["files"]["qrels.txt"]}
    left = next(line for line in pooled if "sampled" in line)
    return {
        "AGREE": agreement,
        "SIMULATE": replayed | {"leave_one_out": replayed["leave_one_out"][:1]},
        "MANIFEST": manifest,
        "POOL": [*pooled[:2], left],
        "EVENTS": events[:1],
    }


DOCUMENTS = {
    "d1": "bank loans",
    "d2": "a bank with willows, by the river",
    "d3": "the bank where otters dig",
    "d4": "the bank at Willow Street, open on Mondays",
    "d5": "java lessons",
    "d6": "the island of Java, a volcano",
    "d7": "java coffee, of that island",
}


def _of_retrieval() -> dict[str, Any]:
    """What `index`, `search`, `feedback` and `retrieve` print or write about seven documents."""
    judged = {"1": {"d1": 0, "d2": 1, "d3": 1, "d4": 0}, "2": {"d5": 0, "d6": 1, "d7": 1}}
    topics = {"1": "bank", "2": "java"}
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        made = build_index("library", DOCUMENTS)
        found = json.loads(run_germane(["search", "library", "river bank", "-k", "2", "--format", "json"])[0])
        Path("topics.tsv").write_text("".join(f"{id_}\t{text}\n" for id_, text in topics.items()), encoding="utf-8")
        past, past_qrels = {"p1": "river bank", "p2": "java island"}, {"p1": {"d2": 1}, "p2": {"d6": 1}}
        retrieve(
            "library", "topics.tsv", past_topics=past, past_qrels=past_qrels, costs="-3,1", output="bm25.run", threads=1
        )
        record = json.loads(Path("bm25.run.json").read_text(encoding="utf-8"))
        trials = evaluate_feedback("library", topics, judged, judged=2, measures="AP")
    return {
        "INDEX": made.to_dict(),
        "SEARCH": found,
        "RECORD": _made_up_times(record),
        "FEEDBACK": trials.to_dict(),
    }


TOPICS = {"1": "river bank", "2": "java island", "3": "willows", "4": "volcano"}
JUDGED = {
    "1": {"d1": 0, "d2": 1, "d3": 1, "d4": 0},
    "2": {"d5": 0, "d6": 1, "d7": 1},
    "3": {"d2": 1, "d4": 0},
    "4": {"d6": 1, "d7": 0},
}


def _of_learning() -> dict[str, Any]:
    """What `tune`, `learn` and `agent` print about the same documents: one entry of each list, as a rule."""
    index = Index.of(DOCUMENTS, "words+fold+accents+stop(lucene)+stem(porter)")
    tuning = germane.tune(index, TOPICS, JUDGED, space="BM25(b={0,0.75})", folds=2)
    tuned = tuning.to_dict()
    tuned["procedures"], tuned["strategies"] = tuned["procedures"][:1], tuned["strategies"][:1]
    tuned["procedures"][0]["by_fold"] = tuned["procedures"][0]["by_fold"][:1]
    ranking = germane.learn(index, TOPICS, JUDGED, features="cosine,length", learner="linear", folds=2, measures="AP")
    learned = ranking.to_dict()
    learned["folds"], learned["notes"] = learned["folds"][:1], learned["notes"][:1]
    learned["queries"] = {"1": learned["queries"]["1"]}
    agent = Agent.train(index, TOPICS, JUDGED, space=["BM25", "QL"], folds=3, judged=1, feedback="rocchio")
    simulated = agent.simulate(TOPICS, JUDGED, rounds=1, judged=1).to_dict()
    simulated["rounds"], simulated["queries"] = simulated["rounds"][1:], {"1": simulated["queries"]["1"]}
    answer = agent.search("river bank", k=1).to_dict()
    agent.learn("river bank", {"d2": True})
    return {
        "TUNE": tuned,
        "LEARN": learned,
        "AGENT": _one_of_each(agent.describe().to_dict()),
        "ANSWER": answer,
        "ROUNDS": simulated,
    }


def _one_of_each(agent: Any) -> Any:
    """An agent with the first entries of what was tried, and of what it knows of itself."""
    choice = agent["choice"]
    choice["strategies"], choice["held_out"]["folds"] = choice["strategies"][:1], choice["held_out"]["folds"][:1]
    for tried in (choice["evidence"], choice["reranking"], choice["feedback"]):
        tried["trials"] = tried["trials"][-1:]
    for decided in agent["decisions"].values():
        decided["weak_spots"] = decided["weak_spots"][:1]
        decided["rates"] = {"PPV": decided["rates"]["PPV"]}
    return agent


def _made_up_times(record: Any) -> Any:
    """The record of a run with what differs each time, and from machine to machine, replaced."""
    for name, value in {"mean": 2e-4, "median": 2e-4, "p95": 3e-4, "max": 3e-4}.items():
        record["measures"]["time_per_query"][name] = value
    record["measures"]["time_per_query"]["by_query"] = {"1": 1e-4, "2": 3e-4}
    record["measures"]["queries_per_second"]["value"] = 5000.0
    record["run"]["sha256"] = record["topics"]["sha256"] = "0123…"
    record["checksum"] = "0123…"
    return record


def _lines_of(path: Path) -> list[Any]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def _first_numbers(columns: Any) -> Any:
    """The same with the first few numbers of each list."""
    return {name: value[:FIRST] if isinstance(value, list) else value for name, value in columns.items()}


def _fewer_measures(value: Any) -> Any:
    """The same without the measures that look like those that stay."""
    if isinstance(value, list):
        return [_fewer_measures(inner) for inner in value]
    if not isinstance(value, dict):
        return value
    return {name: _fewer_measures(inner) for name, inner in value.items() if not _is_estimate(inner) or name in KEPT}


def _is_estimate(value: Any) -> bool:
    return isinstance(value, dict) and "method" in value and "value" in value


def _six_digits(value: Any) -> str:
    """JSON that is the same under every version of scipy, whose last digits differ; a list of objects is JSON lines."""

    def rounded(part: Any) -> Any:
        if isinstance(part, dict):
            return {key: rounded(inner) for key, inner in part.items()}
        if isinstance(part, list):
            return [rounded(inner) for inner in part]
        return float(f"{part:.6g}") if isinstance(part, float) else part

    if isinstance(value, list):
        return "".join(json.dumps(rounded(line)) + "\n" for line in value)
    text = json.dumps(rounded(value), indent=1, ensure_ascii=False)
    # Numbers of a list on one line: a column of them says no more.
    return re.sub(r"\[([^\[\]{}\"]+)\]", lambda found: f"[{' '.join(found[1].split())}]", text) + "\n"


@contextlib.contextmanager
def _in_exercise() -> Iterator[None]:
    with as_file(files("germane") / "data" / "lecture003") as folder, contextlib.chdir(folder):
        yield
