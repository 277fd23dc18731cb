"""Tasks on predicted numbers or probabilities: the mean loss of a few items."""

from __future__ import annotations

import math

import numpy as np

from germane.exercises.task import Kind, Mistake, Table, Task, definition, one_of
from germane.measures.decisions.measure import DECISION_MEASURES
from germane.tables.decisions.decisions import Decisions
from germane.tables.results.columns import table_of_texts

TOPICS = ("MSE", "log_loss")


def _draw(topic: str, rng: np.random.Generator) -> Task | None:
    return _squared_errors(rng) if topic == "MSE" else _surprises(rng)


def _squared_errors(rng: np.random.Generator) -> Task | None:
    size = int(rng.integers(4, 7))
    truth, error = rng.integers(5, 30, size), rng.integers(-4, 5, size)
    predicted = truth + error
    if not error.any() or abs(int(error.sum())) == int(np.abs(error).sum()):
        return None
    value = DECISION_MEASURES["MSE"](truth, predicted)
    root, absolute, bias = (DECISION_MEASURES[name](truth, predicted) for name in ("RMSE", "MAE", "bias"))
    mistakes = [
        Mistake("taken the square root, which gives RMSE", root),
        Mistake("used absolute errors, not squared errors, which gives MAE", absolute),
        Mistake("averaged the errors with their signs", bias),
        Mistake("not divided by the number of items", value * size),
        Mistake("divided by n - 1", value * size / (size - 1)),
        Mistake("squared the mean error", bias**2),
    ]
    columns = zip(truth.tolist(), predicted.tolist(), error.tolist(), strict=True)
    rows = [[str(t), str(p), str(e), str(e * e)] for t, p, e in columns]
    squares = " + ".join(row[3] for row in rows)
    return Task(
        "MSE",
        "A model predicted these numbers. What is its MSE?",
        (Table(("true", "predicted"), tuple((row[0], row[1]) for row in rows)),),
        definition(DECISION_MEASURES["MSE"]),
        value,
        f"{table_of_texts(['true', 'predicted', 'error', 'squared'], rows)}\nMSE = ({squares}) / {size} = {value:.4f}",
        mistakes,
    )


def _surprises(rng: np.random.Generator) -> Task | None:
    size = int(rng.integers(4, 6))
    happened, claims = (rng.random(size) < 0.5).tolist(), (rng.integers(1, 10, size) / 10).tolist()
    if len(set(claims)) < size or len(set(happened)) < 2:
        return None
    value = DECISION_MEASURES["log_loss"](Decisions.of(happened, claims))
    given = [p if yes else 1 - p for yes, p in zip(happened, claims, strict=True)]
    of_positives = [math.log(p) for yes, p in zip(happened, claims, strict=True) if yes]
    mistakes = [
        Mistake("used logarithms to base 2", value / math.log(2)),
        Mistake("used logarithms to base 10", value / math.log(10)),
        Mistake("used p where the event did not happen, not 1 - p", -math.fsum(map(math.log, claims)) / size),
        Mistake("ignored the items where the event did not happen", -math.fsum(of_positives) / size),
        Mistake("not divided by the number of items", value * size),
        Mistake("given the Brier score", DECISION_MEASURES["Brier"](Decisions.of(happened, claims))),
    ]
    rows = [
        ["yes" if yes else "no", f"{p:.1f}", f"{q:.1f}", f"{-math.log(q):.4f}"]
        for yes, p, q in zip(happened, claims, given, strict=True)
    ]
    total = " + ".join(row[3] for row in rows)
    grid = table_of_texts(["happened", "p", "p of what happened", "-ln"], rows)
    return Task(
        "log_loss",
        "A model predicted these probabilities of an event. What is its log loss?",
        (Table(("happened", "p"), tuple((row[0], row[1]) for row in rows)),),
        definition(DECISION_MEASURES["log_loss"]),
        value,
        f"{grid}\nlog_loss = ({total}) / {size} = {value:.4f}",
        mistakes,
    )


KINDS = (Kind("predictions", "Numbers and probabilities", TOPICS, one_of(TOPICS), _draw),)
