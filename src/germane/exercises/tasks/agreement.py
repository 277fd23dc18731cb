"""Tasks on two judges of the same documents: any measure of agreement of two grades."""

from __future__ import annotations

import numpy as np

from germane.exercises.task import Kind, Mistake, Table, Task, definition, near, one_of
from germane.measures.agreement.kappa import Chance, agreement, agreement_by_chance
from germane.measures.agreement.measure import AGREEMENT, AgreementMeasure

TOPICS = ("kappa_pooled", "kappa")
CHANCE: dict[str, Chance] = {"kappa_pooled": "pooled", "kappa": "own"}


def _measures() -> dict[str, AgreementMeasure]:
    """Those that two grades tell apart."""
    return {measure.name: measure for measure in AGREEMENT if not measure.weighted}


def _draw(topic: str, rng: np.random.Generator) -> Task | None:
    measure = _measures()[topic]
    # Counts that a person can square: the two that agree are large, the two that do not are small and unequal.
    agreed, differed = rng.integers(4, 31, 2).tolist(), rng.integers(1, 11, 2).tolist()
    table = np.array([[agreed[0], differed[0]], [differed[1], agreed[1]]])
    if differed[0] == differed[1] or table.sum() % 10:
        return None
    ratings = np.array([[1 - i, 1 - j] for i in (0, 1) for j in (0, 1) for _ in range(table[i, j])], np.float64)
    value = measure(ratings, grades=(0, 1))
    twin = _measures()["kappa" if topic == "kappa_pooled" else "kappa_pooled"](ratings, grades=(0, 1))
    if not 0.1 < value < 0.95 or near(value, twin):
        return None  # which marginals are meant is what the task is about
    others = [other for other in _measures().values() if other.name != topic]
    mistakes = [Mistake(f"given {other.title.partition(' (')[0]}", other(ratings, grades=(0, 1))) for other in others]
    mistakes.append(Mistake("given P(E)", agreement_by_chance(table, chance=CHANCE[topic]).item()))
    plain = agreement(table).item() - agreement_by_chance(table, chance=CHANCE[topic]).item()
    mistakes.append(Mistake("not divided by 1 - P(E)", plain))
    return Task(
        topic,
        f"Two judges graded the same {table.sum()} documents. What is {measure.title.partition(' (')[0]}?",
        (_table(table.tolist()),),
        definition(measure),
        value,
        _solution(topic, table, value),
        mistakes,
    )


def _table(table: list[list[int]]) -> Table:
    words = ("relevant", "not relevant")
    rows = [(words[i], words[j], str(table[i][j])) for i in (0, 1) for j in (0, 1)]
    return Table(("judge 1", "judge 2", "documents"), tuple(rows))


def _solution(topic: str, table: np.ndarray, value: float) -> str:
    observed, expected = agreement(table).item(), agreement_by_chance(table, chance=CHANCE[topic]).item()
    n = int(table.sum())
    rows, columns = (table.sum(axis=axis).tolist() for axis in (1, 0))
    if CHANCE[topic] == "pooled":
        terms = " + ".join(f"(({a} + {b}) / {2 * n})^2" for a, b in zip(rows, columns, strict=True))
    else:
        terms = " + ".join(f"{a}/{n} * {b}/{n}" for a, b in zip(rows, columns, strict=True))
    return "\n".join(
        [
            f"P(A) = ({table[0, 0]} + {table[1, 1]}) / {n} = {observed:.4f}",
            f"P(E) = {terms} = {expected:.4f}",
            f"{topic} = (P(A) - P(E)) / (1 - P(E)) = ({observed:.4f} - {expected:.4f}) / (1 - {expected:.4f})"
            f" = {value:.4f}",
        ]
    )


KIND = Kind("agreement", "Two judges", TOPICS, one_of(TOPICS), _draw)
