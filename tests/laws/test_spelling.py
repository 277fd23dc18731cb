"""Law: what is typed by name is read by the same rules everywhere.

A name and a choice in any case; a parameter once; an unknown one refused with what there is; and what is printed reads
back as the same thing, to the last digit, so that two things that differ never share a name.
"""

from __future__ import annotations

import math
import typing
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, fields
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import germane as ge
from germane.errors import GermaneError
from germane.judging.consolidate import POLICIES, policy_of
from germane.judging.pooling.registry import all_methods as pooling_methods
from germane.judging.pooling.registry import method_of as pooling_method
from germane.learning.features import parse_feature
from germane.learning.learners import LEARNERS, learner_of
from germane.learning.strategies import parse_strategy
from germane.measures.agreement_registry import agreement_measure_of, all_agreement_measures
from germane.measures.deciding.rates import RATES, ChosenRate, parse_rate
from germane.measures.names import parse_measure
from germane.measures.registry import all_definitions
from germane.report.plots.registry import DECISION_PLOTS, PLOTS, decision_plot_kind, plot_kind
from germane.retrieval.engines.worth import METHODS as CALIBRATIONS
from germane.retrieval.engines.worth import CalibrationChoice
from germane.retrieval.feedback.registry import all_feedback, feedback_of
from germane.retrieval.fusion.registry import all_methods as fusion_methods
from germane.retrieval.fusion.registry import all_normalisations, normalisation_of
from germane.retrieval.fusion.registry import method_of as fusion_method
from germane.retrieval.models.names import parse_model
from germane.retrieval.models.registry import all_models, parameters_of
from germane.stats.coefficients import all_coefficients, coefficient_of
from germane.stats.proportions import PROPORTION_INTERVALS, proportion_interval_of
from germane.stats.threshold_aims import BestRule
from germane.stats.threshold_rules import parse_rule
from germane.tables.run import Run

FRACTIONS = (0.5, 0.1 + 0.2, 0.7000001, 1 / 3, 1e-7, 0.2)
NUMBERS = (*FRACTIONS, 60.0000001, 2.0000001, 1.0, 10.0)
Values = Mapping[str, tuple[str, ...]]
"""Texts to give to each parameter."""


@dataclass(frozen=True)
class TypedRule:
    """A rule as it is printed, and its numbers: the formula in it is not compared."""

    text: str
    numbers: tuple[tuple[str, float], ...]

    def __str__(self) -> str:
        return self.text


def typed_rule(text: str) -> TypedRule:
    rule = parse_rule(text)
    assert isinstance(rule, BestRule)
    return TypedRule(str(rule), tuple(sorted(rule.objective.parameters.items())))


@dataclass(frozen=True)
class Registry:
    """Things that are typed by name: how each is read, and what its parameters may be given."""

    parse: Callable[[str], Any]
    things: Mapping[str, Values]
    prefix: str = ""
    """What stands before the name."""

    def accepted(self, name: str, inside: str = "") -> Any | None:
        """The thing, or None where these values are out of range."""
        try:
            return self.parse(f"{self.prefix}{name}({inside})" if inside else f"{self.prefix}{name}")
        except GermaneError:
            return None


def texts(kind: Any, numbers: Iterable[float] = NUMBERS) -> tuple[str, ...]:
    """What to give to a parameter of this type."""
    choices = typing.get_args(kind)
    if typing.get_origin(kind) is typing.Literal:
        return tuple(map(str, choices))
    if choices:
        kind = next(each for each in choices if each is not type(None))
    if kind is bool:
        return ("true", "false")
    if kind is int:
        return ("3", "17")
    return tuple(map(repr, numbers)) if kind is float else ()


def of_function(function: Callable[..., Any]) -> Values:
    hints = typing.get_type_hints(function)
    return {name: texts(hint) for name, hint in hints.items() if name not in ("lists", "draws", "run", "return")}


OWN_TEXTS = {"gain": ("linear", "exp", "1:3/2:9.5"), "strata": ("10:1/100:0.25",), "model": ("QL(mu=100)", "bm25")}
"""Parameters with a form of their own."""


def with_texts(values: Values) -> Values:
    return {name: OWN_TEXTS.get(name) or found for name, found in values.items()}


def _feedback(cls: type) -> Values:
    hints = typing.get_type_hints(cls)
    return with_texts({field.name: texts(hints[field.name]) for field in fields(cls)})


MODELS = {
    cls.name: {p.typed: p.choices or texts(p.kind) for p in parameters_of(cls) if p.typed != "weighting"}
    for cls in all_models()
}
FEEDBACK = {method.name: _feedback(type(method)) for method in all_feedback()}
REGISTRIES = {
    "measures": Registry(
        parse_measure,
        {
            d.name: with_texts({n: p.choices or texts(p.kind) for n, p in d.parameters.items()})
            for d in all_definitions()
        },
    ),
    "rates": Registry(parse_rate, {r.name: dict.fromkeys(r.defaults, texts(float)) for r in RATES.values()}),
    "rules": Registry(
        typed_rule,
        {
            **{r.name: dict.fromkeys(r.defaults, texts(float)) for r in RATES.values()},
            "weighted": {"tpr": texts(float)},
            "youden": {},
            "closest": {},
        },
    ),
    "models": Registry(parse_model, MODELS),
    "feedback": Registry(feedback_of, FEEDBACK),
    "fusion": Registry(fusion_method, {m.name: dict.fromkeys(m.defaults, texts(float)) for m in fusion_methods()}),
    "pooling": Registry(pooling_method, {m.name: with_texts(of_function(m.function)) for m in pooling_methods()}),
    "strategies": Registry(parse_strategy, FEEDBACK, prefix="BM25(k1=0.9000001)+"),
    "calibrations": Registry(
        CalibrationChoice.parse,
        {name: {"normalise": ("zscore", "none"), "unjudged": ("left-out", "non-relevant")} for name in CALIBRATIONS},
    ),
    "features": Registry(parse_feature, {name: {} for name in ("omega", "cosine", "tf_sum")}),
}
WITHOUT_PARAMETERS: dict[str, tuple[Callable[[str], Any], Iterable[str]]] = {
    "learners": (learner_of, LEARNERS),
    "normalisations": (normalisation_of, [each.name for each in all_normalisations()]),
    "coefficients": (coefficient_of, [each.name for each in all_coefficients()]),
    "agreement": (agreement_measure_of, [each.name for each in all_agreement_measures()]),
    "policies": (policy_of, POLICIES),
    "intervals": (proportion_interval_of, PROPORTION_INTERVALS),
    "figures": (plot_kind, PLOTS),
    "figures of decisions": (decision_plot_kind, DECISION_PLOTS),
}


def other_cases(name: str) -> list[str]:
    return [name.upper(), name.lower(), name.swapcase()]


def needed(name: str, key: str) -> dict[str, str]:
    """What has to be given beside a parameter."""
    if name == "cost" and key != "prevalence":
        return {"prevalence": "0.5"}
    return {"variant": "plus"} if (name, key) == ("BM25", "delta") else {}


def inside(choice: Mapping[str, str]) -> str:
    return ", ".join(f"{key}={value}" for key, value in choice.items())


# What is printed reads back the same -------------------------------------------------------------------------------


def misread(registry: Registry, name: str, chosen: Mapping[str, str]) -> Iterator[str]:
    """Where a thing, printed and read again, is another one."""
    thing = registry.accepted(name, inside(chosen))
    if thing is None:
        return
    again = registry.parse(str(thing))
    if again != thing or str(again) != str(thing):
        yield f"{name}({inside(chosen)}) prints {thing}, which is {again}"


@pytest.mark.parametrize("kind", [kind for kind in REGISTRIES if kind != "features"])
@settings(max_examples=60)
@given(data=st.data())
def test_what_is_printed_reads_back_the_same(kind: str, data: st.DataObject) -> None:
    registry = REGISTRIES[kind]
    name = data.draw(st.sampled_from(sorted(registry.things)))
    chosen: dict[str, str] = {}
    for key, values in registry.things[name].items():
        value: str | None = data.draw(st.sampled_from((None, *values)))
        if value is not None:
            chosen[key] = value
    assert list(misread(registry, name, chosen)) == []


def test_every_parameter_of_every_thing_is_tried() -> None:
    for kind, registry in REGISTRIES.items():
        for name, values in registry.things.items():
            for key, tried in values.items():
                read = [v for v in tried if registry.accepted(name, inside({**needed(name, key), key: v})) is not None]
                assert read, f"no value of {key} of {name} ({kind}) is accepted"


def test_the_law_catches_a_name_that_is_rounded() -> None:
    @dataclass(frozen=True)
    class Rounded:
        k: float

        def __str__(self) -> str:
            return f"rounded(k={self.k:g})"

    def parse(text: str) -> Rounded:
        return Rounded(float(text.partition("=")[2].rstrip(")")))

    registry = Registry(parse, {"rounded": {"k": NUMBERS}})  # type: ignore[dict-item]
    assert list(misread(registry, "rounded", {"k": "60"})) == []
    assert list(misread(registry, "rounded", {"k": "60.0000001"})) != []


@given(limit=st.decimals(0, 1, allow_nan=False, allow_infinity=False, places=25))
def test_a_target_is_printed_to_the_last_digit(limit: Any) -> None:
    rule = parse_rule(f"TPR where TNR >= {limit:f}")
    again = parse_rule(str(rule))
    assert (again.targets[0].limit, str(again)) == (rule.targets[0].limit, str(rule))


# Two things that differ are two ------------------------------------------------------------------------------------

MERGED = [("RBP(p=0.7)", "RBP(p=0.7000001)"), ("F(beta=2)", "F(beta=2.0000001)"),
          ("PAtRecall@0.6666666", "PAtRecall@0.66666666"), ("IPrec@0.1", "IPrec@0.10000001")]  # fmt: skip


@pytest.mark.parametrize(("one", "other"), MERGED)
def test_two_measures_that_differ_are_two_columns(one: str, other: str) -> None:
    qrels, run = {"q1": {"d1": 1, "d3": 1}}, {"q1": {"d2": 2.0, "d1": 1.0}}
    scores = ge.evaluate(qrels, run, [one, other])
    assert list(scores.mean()["run"]) == [one, other]
    for name in (one, other):
        assert scores.mean()["run"][name] == ge.evaluate(qrels, run, name).mean()["run"][name]


@given(names=st.lists(st.sampled_from(["run", "run-2", "run-3", "run-2-2"]), min_size=1, max_size=6))
def test_runs_that_differ_are_two_rows(names: list[str]) -> None:
    """Also where the number that tells two runs apart makes the name of a third."""
    found = [Run.from_columns(["q1"], ["d1"], [1.0], name=name) for name in names]
    means = ge.evaluate({"q1": {"d1": 1}}, found, "RR").mean()
    assert len(means) == len(names)
    assert set(names) <= set(means)


# Once --------------------------------------------------------------------------------------------------------------


def repeated(registry: Registry) -> Iterator[str]:
    """Each parameter that may be given twice."""
    for name, values in registry.things.items():
        for key, tried in values.items():
            beside = needed(name, key)
            fine = [v for v in tried if registry.accepted(name, inside({**beside, key: v})) is not None]
            for second in (fine[0], fine[-1]):
                text = f"{registry.prefix}{name}({inside({**beside, key: fine[0]})}, {key}={second})"
                try:
                    registry.parse(text)
                    yield f"{text} is taken"
                except GermaneError as error:
                    if f"expected {key} once, found it twice" not in error.message:
                        yield f"{text}: {error.message}"


@pytest.mark.parametrize("kind", REGISTRIES)
def test_a_parameter_given_twice_is_an_error(kind: str) -> None:
    assert list(repeated(REGISTRIES[kind])) == []


def test_the_law_catches_a_reader_that_takes_the_last() -> None:
    def last(text: str) -> dict[str, str]:
        return dict(part.split("=") for part in text.partition("(")[2].rstrip(")").split(", "))

    assert list(repeated(Registry(last, {"thing": {"k": ("1", "2")}}))) != []


TWICE_IN_OTHER_WORDS = [
    # text                                    parameter
    ("P(cut=5)@10", parse_measure, "cut"),
    ("AP(rel=2)-l3", parse_measure, "rel"),
    ("nDCG(dcg=exp-log2, gain=linear)", parse_measure, "gain"),
    ("nDCG(gain=1:3/1:4)", parse_measure, "1"),
    ("F2(beta=3)", parse_rate, "beta"),
    ("BM25+(variant=lucene)", parse_model, "variant"),
    ("BM25(0.9, k1=1.2)", parse_model, "k1"),
    ("fuse(combsum,BM25,QL,normalise=max,normalise=zmuv)", parse_strategy, "normalise"),
]


@pytest.mark.parametrize(("text", "parse", "key"), TWICE_IN_OTHER_WORDS)
def test_the_same_in_other_words_is_twice_too(text: str, parse: Callable[[str], Any], key: str) -> None:
    with pytest.raises(GermaneError, match=f"expected {key} once, found it twice"):
        parse(text)


# Unknown -----------------------------------------------------------------------------------------------------------


def strange_parameters_taken(registry: Registry) -> Iterator[str]:
    for name in registry.things:
        try:
            registry.parse(f"{registry.prefix}{name}(zzz=1)")
            yield f"{name}(zzz=1) is taken"
        except GermaneError as error:
            if "zzz" not in error.message:
                yield f"{name}(zzz=1): {error.message}"


@pytest.mark.parametrize("kind", REGISTRIES)
def test_an_unknown_parameter_is_an_error(kind: str) -> None:
    assert list(strange_parameters_taken(REGISTRIES[kind])) == []


def test_the_law_catches_a_reader_that_drops_what_it_does_not_know() -> None:
    assert list(strange_parameters_taken(Registry(lambda text: text, {"thing": {}}))) != []


def test_a_wrong_value_fails_where_it_is_typed() -> None:
    for parse, text in (
        (parse_measure, "nDCG(gain=square)"),
        (parse_measure, "nDCG(gain=1:3/2:nan)"),
        (parse_measure, "AP(over=retrieved, empty=one)"),
        (parse_measure, "RBP(rel=1, by=query)"),
        (feedback_of, "rm3(model=BM52)"),
        (pooling_method, "stratified(strata=x)"),
        (pooling_method, "rrf(c=-1)"),
    ):
        with pytest.raises(GermaneError):
            parse(text)


# In any case -------------------------------------------------------------------------------------------------------


def missed_in_another_case(parse: Callable[[str], Any], names: Iterable[str], prefix: str = "") -> Iterator[str]:
    known = list(names)
    for name in known:
        own = parse(prefix + name)
        for spelled in other_cases(name):
            if spelled in known:
                continue  # which is another one
            try:
                if str(parse(prefix + spelled)) != str(own):
                    yield f"{spelled} is {parse(prefix + spelled)}, not {own}"
            except GermaneError as error:
                yield f"{spelled}: {error.message}"


@pytest.mark.parametrize("kind", REGISTRIES)
def test_names_are_read_in_any_case(kind: str) -> None:
    registry = REGISTRIES[kind]
    alone = [name for name in registry.things if registry.accepted(name) is not None]
    foreign = {"Rbp", "rbp"} if kind == "measures" else set()  # trec_eval's, to the letter
    found = missed_in_another_case(registry.parse, alone, registry.prefix)
    assert [line for line in found if line.split()[0] not in foreign] == []


@pytest.mark.parametrize("kind", WITHOUT_PARAMETERS)
def test_plain_names_are_read_in_any_case(kind: str) -> None:
    parse, names = WITHOUT_PARAMETERS[kind]
    assert list(missed_in_another_case(lambda text: id(parse(text)), names)) == []


def test_the_law_catches_a_reader_that_minds_the_case() -> None:
    def strict(text: str) -> str:
        if text != "rrf":
            raise GermaneError(f"no method is called {text}")
        return text

    assert list(missed_in_another_case(strict, ["rrf"])) != []


@pytest.mark.parametrize("text", ["RRF", "fuse(RRF, bm25+RM3, ql)", "bm25+RM3", "BM25+ROCCHIO(Beta=.5)"])
def test_methods_in_capitals(text: str) -> None:
    parse = fusion_method if text == "RRF" else parse_strategy
    if "Beta" in text:  # keys are exact, with a hint
        with pytest.raises(GermaneError, match="no parameter 'Beta'; did you mean beta"):
            parse(text)
    else:
        assert str(parse(text)) == str(parse(str(parse(text))))


def choices_missed_in_another_case() -> Iterator[str]:
    for kind, registry in REGISTRIES.items():
        for name, values in registry.things.items():
            for key, tried in values.items():
                for value in tried:
                    if not value.isalpha() or registry.accepted(name, f"{key}={value}") is None:
                        continue
                    read = registry.accepted(name, f"{key}={value.swapcase()}")
                    if str(read) != str(registry.accepted(name, f"{key}={value}")):
                        yield f"{kind}: {name}({key}={value.swapcase()}) is {read}"


def test_choices_are_read_in_any_case() -> None:
    assert list(choices_missed_in_another_case()) == []


def test_rates_leave_out_what_is_at_its_default() -> None:
    assert parse_rate("cost(cost_fp=1, prevalence=.1)") == parse_rate("cost(prevalence=10%)")
    assert ChosenRate(RATES["F"], {"beta": 1.0}) == parse_rate("F1") == parse_rate("F")
    assert math.isclose(parse_rate("F(beta=1e-07)").parameters["beta"], 1e-7)
