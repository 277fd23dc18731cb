"""Measures that are asked for by name and parameters equal those of scikit-learn on its own definitions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn import metrics

import germane as ge

CLASSES = list("abcd")
ITEMS = st.lists(st.tuples(st.sampled_from(CLASSES), st.sampled_from(CLASSES)), min_size=1, max_size=40)
SCORED = st.lists(st.tuples(st.integers(0, 1), st.integers(0, 20)), min_size=1, max_size=40)
FEW: Any = {"resamples": 40, "zero_division": 0.0}


def f(beta: float, average: str) -> Callable[..., float]:
    return lambda truth, said: metrics.fbeta_score(truth, said, beta=beta, average=average, zero_division=0)


OF_CLASSES: list[tuple[str, Callable[..., float]]] = [
    ("kappa(weights=linear)", lambda t, s: metrics.cohen_kappa_score(t, s, weights="linear")),
    ("kappa(weights=quadratic)", lambda t, s: metrics.cohen_kappa_score(t, s, weights="quadratic")),
    *((f"F{beta}[{average}]", f(beta, average)) for beta in (0.5, 1, 3) for average in ("macro", "micro", "weighted")),
    ("Jaccard[macro]", lambda t, s: metrics.jaccard_score(t, s, average="macro", zero_division=0)),
    ("PPV[b]", lambda t, s: metrics.precision_score(t, s, labels=["b"], average="macro", zero_division=0)),
    ("F2[c]", lambda t, s: metrics.fbeta_score(t, s, beta=2, labels=["c"], average="macro", zero_division=0)),
]
OF_SCORES: list[tuple[str, Callable[..., float]]] = [
    ("partial_AUC(max_fpr=0.2)", lambda t, s: metrics.roc_auc_score(t, s, max_fpr=0.2)),
    ("partial_AUC(max_fpr=0.75)", lambda t, s: metrics.roc_auc_score(t, s, max_fpr=0.75)),
    ("log_loss(clip=1e-15)", lambda t, s: metrics.log_loss(t, np.clip(s, 1e-15, 1 - 1e-15))),
    ("log_loss(clip=0.01)", lambda t, s: metrics.log_loss(t, np.clip(s, 0.01, 0.99))),
    ("kappa(chance=own)", lambda t, s: metrics.cohen_kappa_score(t, s >= 0.5)),
    ("F0.5", lambda t, s: metrics.fbeta_score(t, s >= 0.5, beta=0.5)),
]


@settings(max_examples=30)
@given(rows=ITEMS)
def test_measures_of_classes_equal_those_of_scikit_learn(rows: list[tuple[str, str]]) -> None:
    # Every class is there, once right and once wrong: scikit-learn leaves out classes that nobody names.
    rows = [*zip(CLASSES, CLASSES, strict=True), *zip(CLASSES, CLASSES[::-1], strict=True), *rows]
    truth, said = map(list, zip(*rows, strict=True))
    (found,) = ge.classify(truth, said, measures=[name for name, _ in OF_CLASSES], **FEW)
    for name, oracle in OF_CLASSES:
        assert found[name].value == pytest.approx(oracle(truth, said), rel=1e-10, abs=1e-10), name


@settings(max_examples=30)
@given(rows=SCORED)
def test_measures_of_scores_equal_those_of_scikit_learn(rows: list[tuple[int, int]]) -> None:
    truth = np.asarray([0, 1, *(row[0] for row in rows)])
    scores = np.asarray([0.0, 1.0, *(row[1] / 20 for row in rows)])
    (found,) = ge.classify(truth, y_score=scores, measures=[name for name, _ in OF_SCORES], **FEW)
    for name, oracle in OF_SCORES:
        assert found[name].value == pytest.approx(oracle(truth, scores), rel=1e-10, abs=1e-10), name


@settings(max_examples=20)
@given(rows=st.lists(st.tuples(st.integers(0, 2), *[st.integers(0, 9)] * 3), min_size=1, max_size=30))
def test_log_loss_of_many_classes_equals_that_of_scikit_learn(rows: list[tuple[int, int, int, int]]) -> None:
    table = np.asarray([(1, 0, 0), (0, 1, 0), (0, 0, 1), *(row[1:] for row in rows)], dtype=float)
    table[table.sum(axis=1) == 0] = 1
    table /= table.sum(axis=1, keepdims=True)
    truth = [0, 1, 2, *(row[0] for row in rows)]
    (found,) = ge.classify(truth, y_proba=table, measures=["log_loss(clip=0.001)"], **FEW)
    clipped = np.clip(table[np.arange(len(truth)), truth], 0.001, 0.999)
    assert found["log_loss(clip=0.001)"].value == pytest.approx(-np.log(clipped).mean(), rel=1e-10, abs=1e-10)
    inside = np.clip(table, 0.05, 1) / np.clip(table, 0.05, 1).sum(axis=1, keepdims=True)
    (found,) = ge.classify(truth, y_proba=inside, measures=["log_loss(clip=1e-12)"], **FEW)
    assert found["log_loss(clip=1e-12)"].value == pytest.approx(metrics.log_loss(truth, inside), rel=1e-10, abs=1e-10)
