"""Law of the engine of `classify`: every measure can be asked for with any parameter, and is what its function says."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import germane as ge
from germane.catalogue import REQUIRED, Parameter, spell
from germane.errors import GermaneError
from germane.measures.decisions.matrix import AVERAGES, averaged
from germane.measures.decisions.measure import DECISION_MEASURES, DecisionMeasure
from germane.measures.decisions.names import PARTS_OF_BRIER, entry_named
from germane.measures.decisions.rates import RATES, Rate
from germane.measures.decisions.requests import Request
from germane.tables.decisions.decisions import Decisions
from germane.tables.results.performance import Estimate, Performance

FEW: Any = {"resamples": 60}
OF_CLASSES = ("matrix", "scores", "probabilities")
Engine = Callable[..., Performance]


def values_of(parameter: Parameter) -> list[Any]:
    """Values that a parameter can take, its default among them."""
    if parameter.choices:
        return list(parameter.choices)
    tried: dict[type, list[Any]] = {float: [0.05, 0.3, 0.7, 2.0, 5.0], int: [1, 2, 7], bool: [False, True]}
    found = [value for value in tried.get(parameter.kind, []) if parameter.fits(value)]
    return found if parameter.default in (REQUIRED, None) else [parameter.default, *found]


def spellings(entry: Rate | DecisionMeasure) -> list[str]:
    """The entry without parameters, and with each value of each parameter; required ones have their first value."""
    required = {name: values_of(p)[0] for name, p in entry.parameters.items() if p.default is REQUIRED}
    chosen = [required]
    for name, parameter in entry.parameters.items():
        chosen += [{**required, name: value} for value in values_of(parameter)]
    return [spell(entry.name, given.items()) for given in chosen]


RATES_ASKED = [text for rate in RATES for text in spellings(rate)]
MEASURES_ASKED = [text for m in DECISION_MEASURES if m.of in OF_CLASSES for text in spellings(m)]
LONG = [*RATES_ASKED, *MEASURES_ASKED, *PARTS_OF_BRIER]


def of_scores(truth: Sequence[int], scores: Sequence[float], asked: Sequence[str]) -> Performance:
    return ge.classify(list(truth), y_score=list(scores), threshold=0.5, measures=asked, **FEW)[0]


def of_labels(truth: Sequence[str], said: Sequence[str], asked: Sequence[str]) -> Performance:
    return ge.classify(list(truth), list(said), measures=asked, **FEW)[0]


def ignoring_parameters(engine: Engine) -> Engine:
    """A broken engine: it computes a measure at its defaults, and gives it the name that was asked for."""

    def broken(truth: Any, said: Any, asked: Sequence[str]) -> Performance:
        plain = [text if entry_named(Request.of(text).name).name in ("F", "cost") else bare(text) for text in asked]
        found = engine(truth, said, plain)
        pairs = zip(asked, plain, strict=True)
        return replace(found, overall={str(Request.of(a)): found[str(Request.of(p))] for a, p in pairs})

    def bare(text: str) -> str:
        entry = entry_named(Request.of(text).name)
        return text if any(p.default is REQUIRED for p in entry.parameters.values()) else text.partition("(")[0]

    return broken


def differ(one: float, other: float) -> bool:
    return one != pytest.approx(other, rel=1e-10, abs=1e-10, nan_ok=True)


def outside(estimate: Estimate) -> bool:
    return estimate.has_interval and not estimate.low <= estimate.value <= estimate.high


def wrong_of_scores(engine: Engine, truth: Sequence[int], scores: Sequence[float]) -> Iterator[str]:
    asked = [*RATES_ASKED, *MEASURES_ASKED]
    found = engine(truth, scores, asked)
    decisions = Decisions.of(np.asarray(truth) == 1, np.asarray(scores))
    assert found.confusion is not None
    for text in asked:
        name = str(Request.of(text))
        entry = entry_named(name)
        given_to = {"matrix": found.confusion}.get(getattr(entry, "of", ""), decisions)
        expected = float(entry(decisions.at(0.5)) if isinstance(entry, Rate) else entry(given_to))
        yield from wrong(name, found.overall.get(name), expected)


def wrong_of_classes(engine: Engine, truth: Sequence[str], said: Sequence[str]) -> Iterator[str]:
    rates = [rate for text in RATES_ASKED if (rate := RATES.parse(text)).interval != "ratio"]
    matrix = [text for m in DECISION_MEASURES if m.of == "matrix" for text in spellings(m) if "(" in text]
    grouped = [f"{rate}[{group}]" for rate in rates for group in (*AVERAGES, "ape")]
    found = engine(truth, said, [*matrix, *grouped])
    assert found.confusion is not None
    for text in matrix:
        name = str(Request.of(text))
        yield from wrong(name, found.overall.get(name), DECISION_MEASURES.parse(text)(found.confusion))
    for rate in rates:
        for average in AVERAGES:
            expected = averaged(rate, found.confusion.counts, average).item()
            yield from wrong(f"{rate}[{average}]", found.overall.get(f"{rate}[{average}]"), expected)
            assert found[str(rate), average] == found[f"{rate}[{average}]"], "the two ways to name it agree"
        expected = rate(found.confusion.cells("ape")).item()
        yield from wrong(f"{rate}[ape]", found.overall.get(f"{rate}[ape]"), expected)


def wrong(name: str, found: Estimate | None, expected: float) -> Iterator[str]:
    if found is None:
        yield f"{name} was not computed"
    elif differ(found.value, expected):
        yield f"{name} is {found.value}, and its function gives {expected}"
    elif outside(found):
        yield f"{name}: {found.value} is not between {found.low} and {found.high}"
    elif not (found.has_interval or found.remark or math.isnan(found.value) or str(name) in WITHOUT_REMARK):
        yield f"{name} has no interval, and no reason"


WITHOUT_REMARK = ("hull_AUC", "AP(area=trapezoid)", "AP(area=interpolated)", "discrimination")
"""Usual measures without an interval, whose reason is in the reference."""

SCORED = st.lists(st.tuples(st.integers(0, 1), st.integers(0, 20)), min_size=2, max_size=30)
LABELLED = st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from("abc")), min_size=2, max_size=30)
MADE = np.random.default_rng(3)
TRUTH = [int(x) for x in MADE.random(60) < 0.4]
SCORES = [float(s) for s in np.round(np.clip(MADE.random(60) + 0.2 * np.asarray(TRUTH), 0, 1), 2)]
ANIMALS = [str(x) for x in MADE.choice(["ape", "bee", "cat"], 60)]
CALLED = [*ANIMALS[:36], *(str(x) for x in MADE.choice(["ape", "bee", "cat"], 24))]


@settings(max_examples=8)
@given(rows=SCORED)
@example(rows=[(0, 0), (1, 0), (1, 0), (1, 0), (1, 0), (1, 0), (1, 0)])  # a top with more hits than items, by rounding
def test_every_measure_of_scores_and_decisions_is_what_its_function_says(rows: list[tuple[int, int]]) -> None:
    truth = [0, 1, *(truth for truth, _ in rows)]
    scores = [0.25, 0.75, *(score / 20 for _, score in rows)]
    assert list(wrong_of_scores(of_scores, truth, scores)) == []


@settings(max_examples=8)
@given(rows=LABELLED)
def test_every_measure_of_classes_is_what_its_function_says(rows: list[tuple[str, str]]) -> None:
    names = {"a": "ape", "b": "bee", "c": "cat"}
    truth, said = (["ape", "bee", "cat", *(names[row[side]] for row in rows)] for side in (0, 1))
    assert list(wrong_of_classes(of_labels, truth, said)) == []


def test_the_law_catches_an_engine_that_ignores_parameters() -> None:
    assert list(wrong_of_scores(of_scores, TRUTH, SCORES)) == []
    caught = "\n".join(wrong_of_scores(ignoring_parameters(of_scores), TRUTH, SCORES))
    for measure in ("partial_AUC(max_fpr=0.3)", "MCE(bins=7)", "log_loss(clip=0.3)", "minDCF(prior=0.3)"):
        assert f"{measure} is" in caught
    assert list(wrong_of_classes(of_labels, ANIMALS, CALLED)) == []
    caught = "\n".join(wrong_of_classes(ignoring_parameters(of_labels), ANIMALS, CALLED))
    assert "kappa(weights=quadratic) is" in caught


def test_the_law_catches_a_value_outside_its_interval_and_one_without_a_reason() -> None:
    assert list(wrong("X", Estimate(0.9, 0.1, 0.8), 0.9)) != []
    assert list(wrong("X", Estimate(0.9), 0.9)) != []
    assert list(wrong("X", Estimate(0.5, 0.1, 0.8), 0.5)) == []


# Data that do not fit ---------------------------------------------------------------------------------------------


def of_kind(kind: str) -> list[str]:
    return [text for text in LONG if Request.of(text).kind == kind]


OF_SEVERAL = "probability table"
OTHER = [text for m in DECISION_MEASURES if m.of not in (*OF_CLASSES, OF_SEVERAL) for text in spellings(m)]
UNFIT: list[tuple[str, dict[str, Any], list[str]]] = [
    ("needs ", {"y_pred": TRUTH}, [text for text in MEASURES_ASKED if DECISION_MEASURES[text].of != "matrix"]),
    ("scores outside", {"y_score": [9 * s for s in SCORES]}, of_kind("probabilities")),
    ("needs decisions", {"y_score": [9 * s for s in SCORES]}, RATES_ASKED),
    ("requires --task", {"y_pred": TRUTH}, OTHER),
    (
        "three or more classes",
        {"y_score": SCORES},
        [x for m in DECISION_MEASURES if m.of == OF_SEVERAL for x in spellings(m)],
    ),
    ("whole matrix", {"y_pred": TRUTH}, [f"{text}[1]" for text in of_kind("matrix")]),
    ("unknown class", {"y_pred": TRUTH}, [f"{text}[fox]" for text in LONG]),
    ("expected a measure", {"y_pred": TRUTH}, [f"{text}[]" for text in LONG]),
]


@pytest.mark.parametrize(("why", "data", "asked"), UNFIT, ids=[f"{why} {list(data)}" for why, data, _ in UNFIT])
def test_what_does_not_fit_the_data_is_an_error_that_says_why(why: str, data: Any, asked: list[str]) -> None:
    assert asked
    for text in asked:
        with pytest.raises(GermaneError, match=why):
            ge.classify(TRUTH, **data, measures=[text], **FEW)


def test_a_missing_required_parameter_is_named() -> None:
    for entry in (*RATES, *(m for m in DECISION_MEASURES if m.of in OF_CLASSES)):
        required = [name for name, p in entry.parameters.items() if p.default is REQUIRED]
        if required:
            with pytest.raises(GermaneError, match=f"{entry.name} requires {required[0]}"):
                ge.classify(TRUTH, y_score=SCORES, threshold=0.5, measures=[entry.name], **FEW)


# Comparing --------------------------------------------------------------------------------------------------------


def test_whatever_is_asked_for_is_compared_with_the_values_of_each() -> None:
    data = {"truth": TRUTH, "a": SCORES, "b": [round(1 - s, 2) for s in SCORES]}
    asked = [*LONG, *(f"{rate}[macro]" for rate in RATES_ASKED if RATES.parse(rate).interval != "ratio"), "TPR[0]"]
    columns: Any = {"truth": "truth", "score": ["a", "b"], "positive": 1, "threshold": 0.5}
    found = ge.classify(data, measures=asked, **columns, **FEW)
    assert found.comparison is not None
    first, second = found
    compared = {str(Request.of(pair.measure)): pair for pair in found.comparison.pairs}
    assert set(compared) == set(first.overall)
    for name, pair in compared.items():
        assert not differ(pair.value_a, first[name].value), name
        assert not differ(pair.value_b, second[name].value), name
