"""Tasks on two assessors of the same documents: agreement measures for two grades."""

from __future__ import annotations

import numpy as np

from germane.exercises.task import Kind, Mistake, Table, Task, definition, near, one_of
from germane.measures.agreement.kappa import Chance, agreement, agreement_by_chance
from germane.measures.agreement.measure import AGREEMENT, AgreementMeasure

TOPICS = ("kappa_pooled", "kappa")
CHANCE: dict[str, Chance] = {"kappa_pooled": "pooled", "kappa": "own"}


def _measures() -> dict[str, AgreementMeasure]:
    """Return the measures that apply to two grades."""
    return {measure.name: measure for measure in AGREEMENT if not measure.weighted}


def _draw(topic: str, rng: np.random.Generator) -> Task | None:
    measure = _measures()[topic]
    # Counts small enough to square by hand: large agreements, small and unequal disagreements.
    agreed, differed = rng.integers(4, 31, 2).tolist(), rng.integers(1, 11, 2).tolist()
    table = np.array([[agreed[0], differed[0]], [differed[1], agreed[1]]])
    if differed[0] == differed[1] or table.sum() % 10:
        return None
    ratings = np.array([[1 - i, 1 - j] for i in (0, 1) for j in (0, 1) for _ in range(table[i, j])], np.float64)
    value = measure(ratings, grades=(0, 1))
    twin = _measures()["kappa" if topic == "kappa_pooled" else "kappa_pooled"](ratings, grades=(0, 1))
    if not 0.1 < value < 0.95 or near(value, twin):
        return None  # the task is about which marginals to use
    others = [other for other in _measures().values() if other.name != topic]
    observed, expected = agreement(table).item(), agreement_by_chance(table, chance=CHANCE[topic]).item()
    words = ("relevant", "non-relevant")
    rows = tuple((words[i], words[j], str(table[i, j])) for i in (0, 1) for j in (0, 1))
    return Task(
        topic,
        f"Two assessors judged the same {table.sum()} documents. What is {measure.title.partition(' (')[0]}?",
        (Table(("assessor 1", "assessor 2", "documents"), rows),),
        definition(measure),
        value,
        _solution(topic, table, observed, expected, value),
        [
            *(Mistake(f"given {other.title.partition(' (')[0]}", other(ratings, grades=(0, 1))) for other in others),
            Mistake("given P(E)", expected),
            Mistake("not divided by 1 - P(E)", observed - expected),
        ],
    )


def _solution(topic: str, table: np.ndarray, observed: float, expected: float, value: float) -> str:
    n = int(table.sum())
    marginals = zip(table.sum(axis=1).tolist(), table.sum(axis=0).tolist(), strict=True)
    pooled = CHANCE[topic] == "pooled"
    terms = [f"(({a} + {b}) / {2 * n})^2" if pooled else f"{a}/{n} * {b}/{n}" for a, b in marginals]
    return (
        f"P(A) = ({table[0, 0]} + {table[1, 1]}) / {n} = {observed:.4f}\n"
        f"P(E) = {' + '.join(terms)} = {expected:.4f}\n"
        f"{topic} = (P(A) - P(E)) / (1 - P(E)) = ({observed:.4f} - {expected:.4f}) / (1 - {expected:.4f}) = {value:.4f}"
    )


KINDS = (Kind("agreement", "Two assessors", TOPICS, one_of(TOPICS), _draw),)
