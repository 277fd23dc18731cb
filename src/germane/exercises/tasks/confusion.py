"""Tasks on a confusion matrix: any rate of two classes; for three classes, overall or one against the rest."""

from __future__ import annotations

import math

import numpy as np

from germane.exercises.task import Kind, Mistake, Table, Task, definition, distinct_mistakes, understood_by
from germane.measures.decisions.explain import explain_cells
from germane.measures.decisions.measure import DECISION_MEASURES
from germane.measures.decisions.rates import RATES, Rate, reported_rates
from germane.measures.explain import values_named
from germane.tables.decisions.confusion import Cells, Confusion

RATE_TOPICS = (
    *("TPR", "TNR", "PPV", "NPV", "FNR", "FPR", "FDR", "FOR", "ACC", "rates:ERR", "prevalence", "rates:F1", "MCC"),
    *("LR+", "LR-", "DOR", "informedness"),
)
CLASSES = ("classes:ACC", "classes:BA", "classes:PPV", "classes:TPR", "classes:TNR")


_rate_known_as = understood_by(RATES.parse)


def _draw_rate(topic: str, rng: np.random.Generator) -> Task | None:
    rate = RATES.parse(topic)
    right, wrong = rng.integers(10, 60, 2).tolist(), rng.integers(2, 25, 2).tolist()
    cells = Cells(right[0], wrong[0], wrong[1], right[1] * int(rng.integers(1, 5)))
    value = rate(cells).item()
    others = [other for other in reported_rates() if str(other) != str(rate)]
    if any(math.isclose(other(cells).item(), value, abs_tol=0.002) for other in others if _same_scale(other, rate)):
        return None
    return Task(
        topic,
        f"A detector was tested on items with known labels. What is its {_called(rate)}?",
        (_matrix(cells),),
        (rate.summary, *_formula(rate)),
        value,
        "\n".join(explain_cells(topic, cells).lines),
        _rate_mistakes(rate, others, cells),
    )


def _same_scale(other: Rate, rate: Rate) -> bool:
    """Whether two rates differ in general; those that always have the same value do not make a task ambiguous."""
    asked, alike = str(rate), {"informedness": "BA", "HTER": "BA"}
    return alike.get(str(other)) != asked and alike.get(asked) != str(other)


def _rate_mistakes(rate: Rate, others: list[Rate], cells: Cells) -> list[Mistake]:
    turned = Cells(cells.TP, cells.FN, cells.FP, cells.TN)
    return [
        Mistake("exchanged rows and columns: the rows are the true labels", rate(turned).item()),
        *(Mistake(f"given the {_called(other)}: {other.formula}", other(cells).item()) for other in others),
    ]


def _called(rate: Rate) -> str:
    name = str(rate)
    return name if name == rate.title else f"{name} ({rate.title})"


def _formula(rate: Rate) -> tuple[str, ...]:
    values = values_named(rate.formula, rate.filled())
    return tuple(filter(None, (f"{rate} = {rate.formula}", values)))


def _matrix(cells: Cells) -> Table:
    rows = (("positive", str(cells.TP), str(cells.FN)), ("negative", str(cells.FP), str(cells.TN)))
    return Table(("true label", "predicted positive", "predicted negative"), rows)


OF_ALL = {"ACC": "accuracy", "BA": "balanced accuracy"}
NAMES = ("cat", "dog", "rabbit")


def _classes_known_as(topic: str) -> str | None:
    name = topic.removeprefix("classes:")
    return name if name in OF_ALL else _rate_known_as(name)


def _draw_classes(topic: str, rng: np.random.Generator) -> Task | None:
    counts = rng.integers(1, 6, (3, 3)) + np.diag(rng.integers(5, 30, 3))
    confusion = Confusion.of_matrix(counts.tolist(), NAMES)
    if topic in OF_ALL:
        asked, value = OF_ALL[topic], DECISION_MEASURES[topic](confusion)
    else:
        rate = RATES.parse(topic)
        asked, value = f"{_called(rate)} of the class {NAMES[0]}", rate(confusion.cells(NAMES[0])).item()
    rows = tuple((name, *map(str, row)) for name, row in zip(NAMES, counts.tolist(), strict=True))
    mistakes = distinct_mistakes(value, _class_mistakes(topic, confusion))
    if len(mistakes) < 3:
        return None
    return Task(
        topic,
        f"Rows are true classes, columns are the classes that a classifier predicted. What is its {asked}?",
        (Table(("true class", *NAMES), rows),),
        _class_definition(topic),
        float(value),
        _class_solution(topic, confusion, float(value)),
        mistakes,
    )


def _class_definition(topic: str) -> tuple[str, ...]:
    if topic in OF_ALL:
        return definition(DECISION_MEASURES[topic])
    rate = RATES.parse(topic)
    return f"{rate.summary.removesuffix('.')}: {NAMES[0]} is positive, all others negative.", *_formula(rate)


def _class_mistakes(topic: str, confusion: Confusion) -> list[Mistake]:
    cells = confusion.cells(NAMES[0])
    other_words = {name: word for name, word in OF_ALL.items() if name != topic}
    overall = [Mistake(f"given the {word}", DECISION_MEASURES[name](confusion)) for name, word in other_words.items()]
    if topic in OF_ALL:
        of_classes = [RATES["PPV"](confusion.cells(name)).item() for name in NAMES]
        return [
            *overall,
            Mistake("given the error rate", 1 - DECISION_MEASURES[topic](confusion)),
            Mistake("averaged the precision of the classes", math.fsum(of_classes) / len(of_classes)),
            Mistake(f"given the accuracy of {NAMES[0]} against the rest", RATES["ACC"](cells).item()),
        ]
    rate = RATES.parse(topic)
    others = [other for other in reported_rates() if str(other) != topic]
    of_others = [Mistake(f"given the value of {name}", rate(confusion.cells(name)).item()) for name in NAMES[1:]]
    return [*_rate_mistakes(rate, others, cells), *of_others, *overall]


def _class_solution(topic: str, confusion: Confusion, value: float) -> str:
    if topic not in OF_ALL:
        cells = confusion.cells(NAMES[0])
        named = ", ".join(f"{name} = {count:g}" for name, count in cells._asdict().items())
        return "\n".join([f"{NAMES[0]} against the rest: {named}", *explain_cells(topic, cells).lines])
    right = [f"{confusion.counts[place, place]:g}" for place in range(len(NAMES))]
    if topic == "ACC":
        return f"ACC = ({' + '.join(right)}) / {confusion.total:g} = {value:.4f}"
    shares = [f"{hits}/{size:g}" for hits, size in zip(right, confusion.support.tolist(), strict=True)]
    return f"BA = ({' + '.join(shares)}) / {len(NAMES)} = {value:.4f}"


KINDS = (
    Kind("rates", "Confusion matrix", RATE_TOPICS, _rate_known_as, _draw_rate),
    Kind("classes", "Three classes", CLASSES, _classes_known_as, _draw_classes),
)
