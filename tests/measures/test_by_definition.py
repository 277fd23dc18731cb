"""Measures that no oracle has, against their definitions written down once more: loops over ranks, exact fractions."""

import itertools
import math
from collections.abc import Callable, Sequence
from fractions import Fraction

import pytest
from hypothesis import given, settings

from germane.measures.definition import MEASURES, work
from tests.made_runs import COLLECTION_SIZE, SCALE, Topic, judged_run, topics

Grades = Sequence[int]
Value = Fraction | float
F = Fraction
NAN = float("nan")
DOCUMENTS = ("-", "-1", "0", "1", "1", "2", "3")


def grades(documents: Sequence[str]) -> list[int]:
    """Binary and graded measures see a document that nobody judged as one of grade 0."""
    return [0 if document == "-" else max(int(document), 0) for document in documents]


def satisfied(grade: int) -> Fraction:
    return F(2**grade - 1, 2 ** int(SCALE))


def err(ranking: Grades) -> Fraction:
    still_reading, total = F(1), F(0)
    for rank, grade in enumerate(ranking, start=1):
        total += still_reading * satisfied(grade) / rank
        still_reading *= 1 - satisfied(grade)
    return total


def nerr(ranking: Grades, missed: Grades, k: int) -> Fraction:
    ideal = err(sorted([*ranking, *missed], reverse=True)[:k])
    return err(ranking[:k]) / ideal if ideal else F(0)


def rbp(ranking: Grades, p: Fraction) -> Fraction:
    return (1 - p) * sum(F(grade, int(SCALE)) * p**i for i, grade in enumerate(ranking))


def q_measure(ranking: Grades, missed: Grades, beta: int) -> Fraction:
    ideal = sorted([*ranking, *missed], reverse=True) + [0] * len(ranking)
    relevant = sum(grade >= 1 for grade in ideal)
    blended = [
        F(sum(g >= 1 for g in ranking[:i]) + beta * sum(ranking[:i]), i + beta * sum(ideal[:i]))
        for i, grade in enumerate(ranking, start=1)
        if grade >= 1
    ]
    return sum(blended, F(0)) / relevant if relevant else F(0)


def points(ranking: Grades, missed: Grades) -> list[tuple[Fraction, Fraction]]:
    """Recall and precision at each relevant document."""
    relevant = sum(grade >= 1 for grade in [*ranking, *missed])
    at = [i for i, grade in enumerate(ranking, start=1) if grade >= 1]
    return [(F(found, relevant), F(found, rank)) for found, rank in enumerate(at, start=1)]


def interpolated(ranking: Grades, missed: Grades, level: Fraction) -> Fraction:
    return max((p for r, p in points(ranking, missed) if r >= level), default=F(0))


def interpolated_between(ranking: Grades, missed: Grades, level: Fraction) -> Fraction:
    for low in (level, *(F(i, 10) for i in range(11) if F(i, 10) > level)):
        if inside := [p for r, p in points(ranking, missed) if low <= r <= low + F(1, 10)]:
            return max(inside)
    return F(0)


def efficiency(ranking: Grades, missed: Grades) -> float:
    distances = [math.hypot(1 - r, 1 - p) for r, p in points(ranking, missed)]
    return 1 - min(distances) / math.sqrt(2) if distances else 0.0


def sawtooth(ranking: Grades, missed: Grades) -> Fraction:
    """The area under straight lines through (recall, precision) at every rank, beginning at precision 1."""
    relevant = sum(grade >= 1 for grade in [*ranking, *missed])
    curve = [(F(0), F(1))]
    for rank in range(1, len(ranking) + 1):
        found = sum(grade >= 1 for grade in ranking[:rank])
        curve.append((F(found, relevant or 1), F(found, rank)))
    return sum(((b[0] - a[0]) * (a[1] + b[1]) / 2 for a, b in itertools.pairwise(curve)), F(0))


def operating_points(ranking: Grades, missed: Grades) -> list[tuple[Fraction, Fraction]]:
    """(false acceptance rate, false rejection rate) as the threshold falls; at the end all others come in at once."""
    relevant = sum(grade >= 1 for grade in [*ranking, *missed])
    others = COLLECTION_SIZE - relevant
    found = [sum(grade >= 1 for grade in ranking[:k]) for k in range(len(ranking) + 1)]
    down = [(F(k - hits, others), 1 - F(hits, relevant)) for k, hits in enumerate(found)]
    return [*down, (F(1), F(0))]


def auc(ranking: Grades, missed: Grades) -> Value:
    if not any(grade >= 1 for grade in [*ranking, *missed]):
        return NAN
    curve = operating_points(ranking, missed)
    return sum(((b[0] - a[0]) * ((1 - a[1]) + (1 - b[1])) / 2 for a, b in itertools.pairwise(curve)), F(0))


def eer(ranking: Grades, missed: Grades) -> Value:
    if not any(grade >= 1 for grade in [*ranking, *missed]):
        return NAN
    curve = operating_points(ranking, missed)
    for (far, frr), (next_far, next_frr) in itertools.pairwise(curve):
        if next_far >= next_frr:
            # far - frr grows along this line, from at most 0 to at least 0: it is 0 after this share of it.
            share = (frr - far) / ((next_far - next_frr) - (far - frr))
            return far + share * (next_far - far)
    raise AssertionError("the curve ends at (1, 0)")


def at_level(
    definition: Callable[[Grades, Grades, Fraction], Fraction], level: Fraction
) -> Callable[[Grades, Grades], Value]:
    return lambda ranking, missed: definition(ranking, missed, level)


def mean_of_eleven(
    definition: Callable[[Grades, Grades, Fraction], Fraction],
) -> Callable[[Grades, Grades], Value]:
    return lambda ranking, missed: sum((definition(ranking, missed, level) for level in LEVELS), F(0)) / 11


LEVELS = [F(i, 10) for i in range(11)]

# fmt: off
DEFINITIONS: list[tuple[str, Callable[[Grades, Grades], Value]]] = [
    ("ERR",                   lambda ranking, missed: err(ranking)),
    ("ERR@2",                 lambda ranking, missed: err(ranking[:2])),
    ("nERR",                  lambda ranking, missed: nerr(ranking, missed, 99)),
    ("nERR@2",                lambda ranking, missed: nerr(ranking, missed, 2)),
    ("RBP",                   lambda ranking, missed: rbp(ranking, F(8, 10))),
    ("RBP(p=0.5)@3",          lambda ranking, missed: rbp(ranking[:3], F(1, 2))),
    ("Q",                     lambda ranking, missed: q_measure(ranking, missed, 1)),
    ("Q(beta=10)",            lambda ranking, missed: q_measure(ranking, missed, 10)),
    *((f"IPrec@{float(level)}",             at_level(interpolated, level)) for level in LEVELS),
    *((f"IPrec(to=between)@{float(level)}", at_level(interpolated_between, level)) for level in LEVELS),
    ("IPrecAvg",              mean_of_eleven(interpolated)),
    ("IPrecAvg(to=between)",  mean_of_eleven(interpolated_between)),
    ("Efficiency",            efficiency),
    ("AP(area=sawtooth)",     sawtooth),
    ("AUC",                   auc),
    ("EER",                   eer),
]
# fmt: on


@settings(max_examples=60)
@given(topic=topics(documents=DOCUMENTS, tied=False, max_size=7))
def test_measures_do_what_they_are_defined_to_do(topic: Topic) -> None:
    run = judged_run([topic])
    for name, definition in DEFINITIONS:
        [value] = work(MEASURES.parse(name), run).value
        expected = float(definition(grades(topic.documents), grades(topic.missed)))
        assert value == pytest.approx(expected, abs=1e-12, nan_ok=True), name
