"""Tasks on several queries: means over queries, and micro-averaged precision and recall."""

from __future__ import annotations

import math

import numpy as np

from germane.api.explanation import explain
from germane.api.rankings.evaluation import evaluate
from germane.exercises.task import Kind, Mistake, Table, Task, near
from germane.exercises.tasks.rankings import definition_lines
from germane.measures.definition import MEASURES
from germane.tables.results.scores import Scores

MEANS = {"MAP": "AP", "MRR": "RR"}
POOLED = {"micro-P": "P", "micro-R": "R"}
ASKED = {"micro-P": "the micro-averaged precision", "micro-R": "the micro-averaged recall"}
AVERAGING = {
    "mean": "The mean over the queries, all with the same weight.",
    "micro": "The sum of the numerators of all queries, divided by the sum of their denominators.",
}

Judgments = dict[str, dict[str, int]]
Rankings = dict[str, dict[str, float]]


def _known_as(topic: str) -> str | None:
    return {name.casefold(): name for name in (*MEANS, *POOLED)}.get(topic.casefold())


def _draw(topic: str, rng: np.random.Generator) -> Task | None:
    name = {**MEANS, **POOLED}[topic]
    how = "mean" if topic in MEANS else "micro"
    qrels, run = _drawn(rng)
    scores = evaluate(qrels, run, [name])
    by_query = scores["run", name]
    value = _aggregate(scores, name, how)
    if not all(0 < one < 1 for one in by_query.values()) or len(set(by_query.values())) < 2:
        return None
    if how == "micro" and near(value, _aggregate(scores, name, "mean")):
        return None  # the mistake that the task is about must be detectable
    return Task(
        topic,
        f"A system returned these rankings for {len(run)} queries. What is {ASKED.get(topic, topic)}?",
        (_table(qrels, run),),
        (*definition_lines(MEASURES.parse(name)), AVERAGING[how]),
        value,
        _solution(topic, name, qrels, run, value),
        _mistakes(name, how, qrels, run, scores),
    )


def _aggregate(scores: Scores, name: str, how: str) -> float:
    return scores.aggregate(how)["run"][name]


def _mistakes(name: str, how: str, qrels: Judgments, run: Rankings, scores: Scores) -> list[Mistake]:
    found = {query: {doc: grade for doc, grade in docs.items() if doc in run[query]} for query, docs in qrels.items()}
    found_only = _aggregate(evaluate(found, run, [name]), name, how)
    without = Mistake("ignored relevant documents that were not retrieved", found_only)
    values = list(scores["run", name].values())
    if how == "micro":
        macro = _aggregate(scores, name, "mean")
        other, word = ("R", "recall") if name == "P" else ("P", "precision")
        return [
            Mistake("averaged over queries, which gives the macro average", macro),
            without,
            Mistake(f"given the {word}", _aggregate(evaluate(qrels, run, [other]), other, how)),
        ]
    if name == "RR":
        mean_rank = math.fsum(1 / one for one in values) / len(values)
        return [
            without,
            Mistake("used the reciprocal of the mean rank, not the mean reciprocal rank", 1 / mean_rank),
            Mistake("given the mean rank", mean_rank),
        ]
    weighed = float(np.average(values, weights=[sum(docs.values()) for docs in qrels.values()]))
    return [
        Mistake("used the geometric mean over queries", _aggregate(scores, name, "gm")),
        without,
        Mistake("weighted queries by their number of relevant documents", weighed),
    ]


def _drawn(rng: np.random.Generator) -> tuple[Judgments, Rankings]:
    qrels: Judgments = {}
    run: Rankings = {}
    for number in range(1, 4):
        size, hits, missed = (int(rng.integers(low, high)) for low, high in ((3, 7), (1, 3), (1, 4)))
        places = set(np.argsort(rng.random(size), kind="stable")[:hits].tolist())
        docs = [f"D{place + 1}" for place in range(size)]
        qrels[f"Q{number}"] = {doc: int(place in places) for place, doc in enumerate(docs)}
        qrels[f"Q{number}"] |= {f"M{place + 1}": 1 for place in range(missed)}
        run[f"Q{number}"] = {doc: float(size - place) for place, doc in enumerate(docs)}
    return qrels, run


def _table(qrels: Judgments, run: Rankings) -> Table:
    depth = max(map(len, run.values()))

    def cell(query: str, rank: int) -> str:
        docs = list(run[query])
        return "" if rank > len(docs) else "relevant" if qrels[query][docs[rank - 1]] else "non-relevant"

    rows = [(str(rank), *(cell(query, rank) for query in run)) for rank in range(1, depth + 1)]
    total = ("relevant in total", *(str(sum(docs.values())) for docs in qrels.values()))
    return Table(("rank", *run), (*rows, total))


def _solution(topic: str, name: str, qrels: Judgments, run: Rankings, value: float) -> str:
    worked = {query: explain(name, qrels, run, query) for query in qrels}
    lines = [f"{query}: {one.last_line}" for query, one in worked.items()]
    if topic in MEANS:
        fraction = f"({' + '.join(f'{one.value:.4f}' for one in worked.values())}) / {len(worked)}"
    else:
        above = " + ".join(str(round(one.value * one.denominator)) for one in worked.values())
        fraction = f"({above}) / ({' + '.join(str(round(one.denominator)) for one in worked.values())})"
    return "\n".join([*lines, f"{topic} = {fraction} = {value:.4f}"])


KINDS = (Kind("queries", "Several queries", (*MEANS, *POOLED), _known_as, _draw),)
