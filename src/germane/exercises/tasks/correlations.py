"""Tasks on two rankings of the same documents: correlations that can be computed by hand."""

from __future__ import annotations

import math
from itertools import combinations
from string import ascii_uppercase

import numpy as np

from germane.exercises.task import Kind, Mistake, Table, Task, chosen, definition, one_of
from germane.stats.rankings.coefficients import COEFFICIENTS, Coefficient
from germane.tables.results.columns import table_of_texts

CALLED = {"spearman": "Spearman's coefficient", "tau-a": "Kendall's tau", "tau-ap": "the AP correlation"}


def _draw(topic: str, rng: np.random.Generator) -> Task | None:
    coefficient = COEFFICIENTS.parse(topic)
    size = int(rng.integers(5, 8))
    truth = sorted(chosen(rng, ascii_uppercase, size))
    system = chosen(rng, truth, size)
    truth = chosen(rng, truth, size)
    value = coefficient(truth, system)
    if not 0.05 < value < 0.95:
        return None
    rows = tuple((str(rank), a, b) for rank, (a, b) in enumerate(zip(truth, system, strict=True), start=1))
    return Task(
        topic,
        f"The table shows the ideal ranking of {size} documents and the ranking of a system. What is {CALLED[topic]}?",
        (Table(("rank", "ideal", "system"), rows),),
        definition(coefficient),
        value,
        _solution(topic, truth, system, value),
        _mistakes(coefficient, truth, system),
    )


def _mistakes(coefficient: Coefficient, truth: list[str], system: list[str]) -> list[Mistake]:
    n, value = len(truth), coefficient(truth, system)
    if coefficient.name == "spearman":
        squares = (1 - value) * n * (n * n - 1) / 6
        found = [
            Mistake(
                "divided by M = n (n^2 - 1) / 3 without the 2 in the numerator", 1 - squares / (n * (n * n - 1) / 3)
            ),
            Mistake("not subtracted from 1", 1 - value),
            Mistake("given the sum of the squared differences", squares),
            Mistake("divided by n^3 - 1, not by n (n^2 - 1)", 1 - 6 * squares / (n**3 - 1)),
        ]
    elif coefficient.name == "tau-a":
        pairs = math.comb(n, 2)
        agreeing = (value + 1) / 2 * pairs
        found = [
            Mistake("given the share of concordant pairs, without subtracting the discordant ones", agreeing / pairs),
            Mistake("divided by n (n - 1), not by half of it", value / 2),
            Mistake("given the number of concordant minus discordant pairs", value * pairs),
            Mistake("given the share of discordant pairs", 1 - agreeing / pairs),
        ]
    else:
        found = [
            Mistake("walked down the ideal ranking, not that of the system", coefficient(system, truth)),
            Mistake("not doubled it and subtracted 1", (value + 1) / 2),
        ]
    others = {name: word for name, word in CALLED.items() if name != coefficient.name}
    return [*found, *(Mistake(f"given {word}", COEFFICIENTS[name](truth, system)) for name, word in others.items())]


def _solution(topic: str, truth: list[str], system: list[str], value: float) -> str:
    ideal, real = ({doc: rank for rank, doc in enumerate(docs, start=1)} for docs in (truth, system))
    n = len(truth)
    if topic == "spearman":
        apart = {doc: ideal[doc] - real[doc] for doc in sorted(truth)}
        rows = [[doc, str(ideal[doc]), str(real[doc]), str(d), str(d * d)] for doc, d in apart.items()]
        total = sum(d * d for d in apart.values())
        grid = table_of_texts(["document", "ideal", "system", "difference", "squared"], rows)
        return f"{grid}\nspearman = 1 - 6 * {total} / ({n} * ({n}^2 - 1)) = {value:.4f}"
    if topic == "tau-a":
        turned = [f"{a}{b}" for a, b in combinations(truth, 2) if real[a] > real[b]]
        pairs = math.comb(n, 2)
        return (
            f"{pairs} pairs; discordant: {', '.join(turned)} ({len(turned)}); concordant: {pairs - len(turned)}\n"
            f"tau-a = ({pairs - len(turned)} - {len(turned)}) / {pairs} = {value:.4f}"
        )
    rows, shares = [], []
    for rank, doc in enumerate(system[1:], start=2):
        right = [other for other in system[: rank - 1] if ideal[other] < ideal[doc]]
        shares.append(f"{len(right)}/{rank - 1}")
        rows.append([str(rank), doc, str(len(right)), shares[-1]])
    grid = table_of_texts(["rank", "document", "correctly above it", "share"], rows)
    return f"{grid}\ntau-ap = 2 / {n - 1} * ({' + '.join(shares)}) - 1 = {value:.4f}"


KINDS = (Kind("correlation", "Two rankings of the same documents", tuple(CALLED), one_of(CALLED), _draw),)
