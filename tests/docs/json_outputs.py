"""Every output in JSON that germane has, in full: several of each, so that every optional key occurs."""

from __future__ import annotations

import contextlib
import functools
import json
import shlex
import tempfile
from collections.abc import Iterator
from importlib.resources import as_file, files
from pathlib import Path
from typing import Any

import numpy as np

import germane
from docs.examples import run_germane
from docs.reference_pages.json_samples import DOCUMENTS, JUDGED, TOPICS
from germane.api.learning.agent import Agent
from germane.api.retrieval.indexing import index as build_index
from germane.formats.truth.pool_file import write_pool
from germane.retrieval.indexes.index import Index
from tests.laws.retrieval_specimens import errors

Outputs = dict[str, list[Any]]


@functools.cache
def outputs() -> Outputs:
    """By the name of its schema, what germane writes; of a file of lines, each line."""
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        _copy_exercise(Path(folder))
        parts = (_of_rankings, _of_vectors, _of_decisions, _of_ground_truth, _of_retrieval, _of_learning, _of_exercises)
        return {name: found for part in parts for name, found in part().items()}


def _copy_exercise(folder: Path) -> None:
    with as_file(files("germane") / "data" / "lecture003") as exercise:
        for file in exercise.iterdir():
            (folder / file.name).write_bytes(file.read_bytes())


def printed(command: str) -> Any:
    """What a command prints, read back; notes go to standard error, which is the same stream here."""
    text = _run(command)
    value, end = json.JSONDecoder().raw_decode(text)
    assert all(line.startswith("note: ") for line in text[end:].splitlines() if line), text[end:]
    return value


def _run(command: str) -> str:
    text, status = run_germane(shlex.split(command))
    assert status == 0, text
    return text


def lines_of(path: str | Path) -> list[Any]:
    return [json.loads(line) for line in Path(path).read_text(encoding="utf-8").splitlines()]


def _of_rankings() -> Outputs:
    Path("slices.txt").write_text("Q1 short\nQ2 long\nQ3 short\n", encoding="utf-8")
    _three_runs()
    everything = (
        "-m 'AP P@5 NumRelRet' -q --aggregate mean --aggregate micro --aggregate gm --slices slices.txt --bounds"
    )
    everything = f"eval qrels.txt system1.run system2.run {everything} --interval t"
    both = "qrels.txt system1.run system2.run"
    return {
        "eval": [printed(f"{everything} --format json"), printed(f"eval {both} --format json")],
        "eval-line": [json.loads(line) for line in _run(f"{everything} --format jsonl").splitlines()],
        "compare": [
            printed(f"compare {both} --equivalence .1 --margin .1 --difference .1 --format json"),
            printed("compare qrels.txt a.run b.run c.run -m 'AP RR' --test nemenyi --format json"),
            printed("compare qrels.txt a.run b.run c.run --slices slices.txt --format json"),
        ],
        "correlate": [
            printed("correlate system1.run system2.run --coefficient tau-b --coefficient rbo-a --format json"),
            printed("correlate a.csv b.csv --format json"),
            printed("correlate --qrels qrels.txt a.run b.run c.run -m 'AP RR' --format json"),
        ],
        "measures": [printed("measures --format json"), printed("measures AP --format json")],
        "explain": [
            printed(f"explain {measure} qrels.txt system1.run --query Q1 --format json") for measure in ("AP", "nDCG")
        ],
    }


def _three_runs() -> None:
    for place, name in enumerate("abc"):
        rows = [
            f"{query} Q0 {doc} 1 {(7 * place + 3 * q + rank * (1 + place)) % 11} {name}\n"
            for q, query in enumerate(("Q1", "Q2", "Q3"))
            for rank, doc in enumerate(("Im38", "Im56", "Im09", "Im34", "Im94", "Im12"))
        ]
        Path(f"{name}.run").write_text("".join(rows), encoding="utf-8")
    for name, values in {"a": (0.1, 0.3, 0.2), "b": (0.4, 0.6, 0.7)}.items():
        scored = zip("xyz", values, strict=True)
        Path(f"{name}.csv").write_text(
            "run,AP\n" + "".join(f"{run},{value}\n" for run, value in scored), encoding="utf-8"
        )


def _of_vectors() -> Outputs:
    np.save("queries.npy", np.array([[1, 0], [0, 1]], dtype=np.float32))
    np.save("docs.npy", np.array([[2, 0], [1, 1], [0, 1]], dtype=np.float32))
    np.save("new.npy", np.array([[0, 2], [2, 1]]))
    Path("judged.txt").write_text("0 0 1 1\n1 0 1 1\n", encoding="utf-8")
    asked = "--queries queries.npy --docs docs.npy"
    return {
        "vectors-approximate": [
            printed(f"vectors judged.txt {asked} --approximate new.npy --top 2 -m AP --format json"),
            printed(f"vectors {asked} --approximate new.npy --top 2 --format json"),
        ],
        "vectors": [printed(f"vectors judged.txt {asked} -m AP --format json")],
    }


def _of_decisions() -> Outputs:
    rows = zip("ppnpnn", (0.9, 0.8, 0.7, 0.6, 0.3, 0.2), (0.9, 0.4, 0.8, 0.6, 0.5, 0.2), "pcnpcn", strict=True)
    lines = ["class,new,old,guess", *(f"{truth},{new},{old},{guess}" for truth, new, old, guess in rows)]
    Path("items.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    two = "items.csv --truth class --score new"
    return {
        "classify": [
            printed(f"classify {two} --score old --format json"),
            printed("classify items.csv --truth class --predicted guess --format json"),
        ],
        "classify-at-thresholds": [printed(f"classify {two} --at-thresholds --format json")],
        "compare-classifiers": [germane.compare(**_two_classifiers()).to_dict()],
        "threshold": [
            printed(f"threshold {two} --rule 'rule-out TPR>=0.9, rule-in TNR>=0.9' --resamples 100 --format json"),
            printed(f"threshold {two} --test items.csv --rule 'TPR where TNR>=.5' --resamples 100 --format json"),
        ],
        "explain-decisions": [
            printed(f"explain {measure} {two} {at} --format json")
            for measure, at in (("AUC", ""), ("TPR", "--threshold .5"))
        ],
    }


def _two_classifiers() -> dict[str, Any]:
    columns = {"new": [0.9, 0.8, 0.7, 0.6, 0.3, 0.2], "old": [0.9, 0.4, 0.8, 0.6, 0.5, 0.2]}
    return {"data": [1, 1, 0, 1, 0, 0], "y_score": columns, "resamples": 50}


def _of_ground_truth() -> Outputs:
    runs = ["system1.run", "system2.run"]
    judgments = ["assessor,topic,doc,grade"]
    for assessor, grades in {"ann": (2, 0, 1, 0), "bob": (2, 1, 1, "")}.items():
        pairs = (("Q1", "Im38"), ("Q1", "Im94"), ("Q2", "Im56"), ("Q2", "Im12"))
        judgments += [f"{assessor},{topic},{doc},{grade}" for (topic, doc), grade in zip(pairs, grades, strict=True)]
    Path("judgments.csv").write_text("\n".join(judgments) + "\n", encoding="utf-8")
    pool = germane.pool(runs, "stratified(strata=1:1/3:0.5)", depth=3)
    write_pool(pool, Path("pool.jsonl"))
    germane.release("judgments.csv", Path("release"), pool=germane.pool(runs, "depth", depth=3))
    asked = "--resamples 100 --grades 0,1,2"
    replayed = "pool simulate qrels.txt system1.run system2.run --method depth --budgets 2"
    return {
        "pool": [germane.pool(["system1.run", "system2.run"], method).to_dict() for method in ("depth", "stratified")],
        "pool-line": lines_of("pool.jsonl"),
        "pool-simulate": [printed(f"{replayed} --leave-one-out --format json"), printed(f"{replayed} --format json")],
        "event": lines_of("release/events.jsonl"),
        "release": [printed("release judgments.csv -o released --format json")],
        "check": [
            printed("release --check release --format json"),
            printed("check qrels.txt system1.run --format json"),
        ],
        "release-manifest": [json.loads(Path("release/manifest.json").read_text(encoding="utf-8"))],
        "agree": [
            printed(f"agree judgments.csv {asked} --runs system1.run system2.run --format json"),
            printed(f"agree judgments.csv {asked} --format json"),
        ],
    }


def _of_retrieval() -> Outputs:
    build_index("library", DOCUMENTS)
    for name, texts in {"topics": TOPICS, "past": {"p1": "river otters", "p2": "java volcano"}}.items():
        Path(f"{name}.tsv").write_text("".join(f"{id_}\t{text}\n" for id_, text in texts.items()), encoding="utf-8")
    for name, judged in {"known": JUDGED, "past": {"p1": {"d2": 1}, "p2": {"d6": 1}}}.items():
        rows = (f"{query} 0 {doc} {grade}\n" for query, own in judged.items() for doc, grade in own.items())
        Path(f"{name}.txt").write_text("".join(rows), encoding="utf-8")
    Path("more.jsonl").write_text('{"id": "d8", "text": "otters"}\n', encoding="utf-8")
    _run("retrieve library topics.tsv -o plain.run --threads 1")
    _run(
        "retrieve library topics.tsv --costs=-3,1 --past-topics past.tsv --past-qrels past.txt -o dear.run --threads 1"
    )
    rank = "--model BM25 --threads 1 --overwrite --format json"
    index = Index.open("library")
    explained = [
        germane.explain(index, "river zebra", doc, model=model).to_dict()
        for doc, model in (("d2", "BM25"), ("d1", "QL"))
    ]
    return {
        "retrieve": [printed(f"retrieve library topics.tsv -o plain.run {rank}")],
        "rankings": [printed("fuse plain.run dear.run -o both.run --format json")],
        "explain-score": explained,
        "index": [printed("index other more.jsonl --format json")],
        "search": [printed("search library 'river bank' -k 2 --format json")],
        "retrieve-record": [json.loads(Path(f"{run}.run.json").read_text("utf-8")) for run in ("plain", "dear")],
        "feedback": [printed("feedback library topics.tsv known.txt --judged 1 -m AP --format json")],
    }


def _of_learning() -> Outputs:
    index = "library topics.tsv known.txt"
    learning = f"learn {index} --features cosine,length --learner linear --folds 2 -m AP"
    Agent.train(
        Index.of(DOCUMENTS, "words+fold+accents+stop(lucene)+stem(porter)"),
        *(TOPICS, JUDGED),
        space=["BM25", "QL"],
        folds=3,
        judged=1,
        feedback="rocchio",
    ).save("agent.json")
    found: Outputs = {
        "bias-variance": [errors(*labels).to_dict() for labels in ("abbc", (0.0, 2.0, 4.0, 6.0))],
        "tune": [printed(f"tune {index} --space 'BM25(b={{0,0.75}})' --folds 2 --curves --format json")],
        "learn": [printed(f"{learning} -o model.json --format json")],
        "model": [json.loads(Path("model.json").read_text(encoding="utf-8"))],
        "agent": [json.loads(Path("agent.json").read_text(encoding="utf-8"))],
        "agent-show": [printed("agent show agent.json --format json")],
        "agent-search": [printed("agent search agent.json library 'river bank' -k 1 --format json")],
        "agent-simulate": [printed(f"agent simulate agent.json {index} --rounds 1 --judged 1 --format json")],
    }
    return found


def _of_exercises() -> Outputs:
    _run("exercise make AP P@5 -o sheet.md")
    Path("class.csv").write_text("student,1,2\nann,0.5,1\nbob,0.5,\n", encoding="utf-8")
    return {"exercise-check": [printed("exercise check sheet.md class.csv --format json")]}


def values_in(value: Any) -> Iterator[Any]:
    """A value and all that it holds."""
    yield value
    for inner in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from values_in(inner)
