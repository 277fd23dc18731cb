"""Law: whatever has a name and parameters is typed by the same rules.

A name and a choice in any case; a parameter once; an unknown one, a wrong value and a value without a name refused with
what there is; and what is printed reads back as the same thing, to the last bit, so that two things that differ never
share a name. Catalogues are found by looking, not listed.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from importlib import import_module
from pkgutil import walk_packages
from typing import Annotated, Any, Literal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import germane
import germane as ge
from germane.catalogue import REQUIRED, Catalogue, Choice, Entry, Parameter, Range, fold, spell, written
from germane.errors import GermaneError
from germane.learning.features.feature_set import parse_feature
from germane.learning.strategies.strategy import parse_strategy
from germane.measures.decisions.measure import DECISION_MEASURES
from germane.measures.decisions.names import canonical_name
from germane.measures.decisions.rates import RATES
from germane.measures.definition import MEASURES
from germane.retrieval.feedback import FEEDBACK
from germane.retrieval.models import MODELS
from germane.stats.thresholds.aims import BestRule
from germane.stats.thresholds.rules import parse_rule
from germane.tables.rankings.run import Run

Anything = Catalogue[Any, Any]
PACKAGES = ("measures", "stats", "retrieval", "learning", "judging", "output", "vectors", "formats")
OPTIONAL = ("torch", "triton", "pyspark", "starlette")


def catalogues() -> dict[str, Anything]:
    """Every catalogue that some module holds, by its place."""
    found: dict[str, Anything] = {}
    for package in PACKAGES:
        for module in walk_packages([f"{germane.__path__[0]}/{package}"], f"germane.{package}."):
            try:
                held = vars(import_module(module.name))
            except ImportError as error:
                if (error.name or "").partition(".")[0] not in OPTIONAL:
                    raise
                continue
            found |= {name: value for name, value in tuple(held.items()) if isinstance(value, Catalogue) and len(value)}
    return found


CATALOGUES = catalogues()
every_catalogue = pytest.mark.parametrize("catalogue", CATALOGUES.values(), ids=CATALOGUES)

TEXTS = {"gain": ("linear", "exp", "1:3/2:9.5"), "strata": ("10:1/100:0.25", "5:1"),
         "model": ("QL(mu=100)", "BM25(k1=0.9,b=0.4)", ""), "weighting": ("ltc.ltn", "nnn.ntc"),
         "rate": ("TPR", "F2", "cost(prevalence=.1)"), "limits": ("at_fpr=0.1", "at_tpr=.1, at_fpr=.2")}  # fmt: skip
"""Values of parameters whose text has a form of its own."""


def test_every_catalogue_is_found() -> None:
    known = {"MEASURES", "RATES", "DECISION_MEASURES", "AGREEMENT", "MODELS", "FEEDBACK", "FUSION", "NORMALISATIONS"}
    known |= {"POOLING", "OBJECTIVES", "LEARNERS", "FEATURES", "COEFFICIENTS", "CALIBRATIONS", "RANKERS", "POLICIES"}
    assert known <= set(CATALOGUES)


def values(parameter: Parameter) -> st.SearchStrategy[Any]:
    """Any value that a parameter can have."""
    if parameter.reader is not None:
        found: st.SearchStrategy[Any] = st.sampled_from(TEXTS[parameter.name])
    elif parameter.choices:
        found = st.sampled_from(parameter.choices)
    elif parameter.kind is bool:
        found = st.booleans()
    elif parameter.kind is int:
        found = st.integers(int(max(parameter.range.least, -(10**6))), int(min(parameter.range.greatest, 10**6)))
    else:
        low, high = (None if math.isinf(end) else end for end in (parameter.range.least, parameter.range.greatest))
        found = st.floats(low, high, allow_nan=False, allow_infinity=False).filter(parameter.fits)
    return st.none() | found if parameter.optional else found


def choices(entry: Entry) -> st.SearchStrategy[dict[str, Any]]:
    """Some of an entry's parameters, with values that each of them can have; those that must be given always."""
    needed = {name: values(each) for name, each in entry.parameters.items() if each.default is REQUIRED}
    others = {name: values(each) for name, each in entry.parameters.items() if each.default is not REQUIRED}
    return st.fixed_dictionaries(needed, optional=others)


def made(entry: Entry, chosen: Mapping[str, Any]) -> Any | None:
    """The thing, or None where these values exclude each other."""
    try:
        return entry.choose(**chosen)
    except GermaneError:
        return None


def needed(entry: Entry, *keys: str) -> dict[str, str]:
    """What has to be given beside some parameters."""
    texts = {name: "0.5" for name, each in entry.parameters.items() if each.default is REQUIRED}
    also = {"variant": "plus"} if entry.name == "BM25" and "delta" in keys else {}
    return {name: text for name, text in {**texts, **also}.items() if name not in keys}


def an_example(parameter: Parameter) -> str:
    """A value as it is typed."""
    if parameter.reader is not None:
        return TEXTS[parameter.name][0]
    if parameter.choices:
        return written(parameter.choices[-1])
    if parameter.kind is bool:
        return "true"
    tried = ("3", "0.5", "0.25", "1.5")
    return next(text for text in tried if parameter.fits(parameter.read(text)))


def refused(catalogue: Anything, text: str, *names: str) -> Iterator[str]:
    """What is taken, or refused by an error that does not name these."""
    try:
        catalogue.parse(text)
        yield f"{text} is taken"
    except GermaneError as error:
        if not all(name in error.message for name in names):
            yield f"{text}: {error.message}"


# What is printed reads back the same -------------------------------------------------------------------------------


def misread(catalogue: Anything, thing: Any) -> Iterator[str]:
    """Where a thing, printed and read again, is another one."""
    again = catalogue.parse(str(thing))
    if again != thing or str(again) != str(thing) or type(again) is not type(thing):
        yield f"{thing} is read as {again}"


@every_catalogue
@settings(max_examples=120)
@given(data=st.data())
def test_what_is_printed_reads_back_the_same(catalogue: Anything, data: st.DataObject) -> None:
    entry = data.draw(st.sampled_from(list(catalogue)))
    thing = made(entry, data.draw(choices(entry)))
    if thing is not None and catalogue.what != "objective":  # which holds a formula, and prints as a rule does
        assert list(misread(catalogue, thing)) == []


@settings(max_examples=120)
@given(data=st.data())
def test_a_rule_that_is_printed_reads_back_the_same(data: st.DataObject) -> None:
    entry = data.draw(st.sampled_from(list(CATALOGUES["OBJECTIVES"]) + list(RATES)))
    chosen = data.draw(choices(entry))
    if made(entry, chosen) is None or getattr(entry, "better", "") == "neither":
        return
    rule = parse_rule(spell(entry.name, chosen.items()))
    again = parse_rule(str(rule))
    assert isinstance(rule, BestRule)
    assert isinstance(again, BestRule)
    assert (str(again), dict(again.objective.parameters)) == (str(rule), dict(rule.objective.parameters))


@settings(max_examples=60)
@given(data=st.data())
def test_a_strategy_that_is_printed_reads_back_the_same(data: st.DataObject) -> None:
    model, feedback = (data.draw(st.sampled_from(list(each))) for each in (MODELS, FEEDBACK))
    parts = [made(entry, data.draw(choices(entry))) for entry in (model, feedback)]
    if None not in parts:
        strategy = parse_strategy("+".join(map(str, parts)))
        assert parse_strategy(str(strategy)) == strategy
        assert parse_strategy(f"fuse(rrf, {strategy}, QL)").parts[0] == strategy.parts[0]


@given(limit=st.decimals(0, 1, allow_nan=False, allow_infinity=False, places=25))
def test_a_target_is_printed_to_the_last_digit(limit: Any) -> None:
    rule = parse_rule(f"TPR where TNR >= {limit:f}")
    again = parse_rule(str(rule))
    assert (again.targets[0].limit, str(again)) == (rule.targets[0].limit, str(rule))


class Rounding(Entry):
    """One that prints six digits of a number."""

    def __str__(self) -> str:
        return f"rounded(k={self.settings['k']:g})"


def specimen(kind: type[Entry] = Entry) -> Catalogue[Any, Any]:
    """A catalogue of one thing."""

    def rounded(*, k: Annotated[float, Range(0, 100)] = 60.0, how: Literal["some how", "other"] = "other") -> float:
        """Specimen."""
        return k

    found: Catalogue[Any, Any] = Catalogue("specimen", kind, kind, example="rounded")
    found.put(kind("rounded", rounded, names=("old name",), shorthands={"small": "k=1"}))
    return found


def test_the_law_catches_a_name_that_is_rounded() -> None:
    broken = specimen(Rounding)
    assert list(misread(broken, broken.parse("rounded"))) == []
    assert list(misread(broken, broken.parse("rounded(k=60.0000001)"))) != []


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


# Once, known, and of the right kind --------------------------------------------------------------------------------


def slips(catalogue: Anything) -> Iterator[str]:
    """What a catalogue takes and should not."""
    yield from refused(catalogue, "zzzqqq", "unknown", "zzzqqq")
    for entry in catalogue:
        beside = spell(entry.name, needed(entry).items()).removesuffix(")") or entry.name
        start = f"{beside}, " if "(" in beside else f"{entry.name}("
        yield from refused(catalogue, f"{start}zzz=1)", entry.name, "zzz")
        for name, parameter in entry.parameters.items():
            given_beside = [f"{key}={text}" for key, text in needed(entry, name).items()]
            typed = f"{name}={an_example(parameter)}"
            catalogue.parse(f"{entry.name}({', '.join([*given_beside, typed])})")
            yield from refused(
                catalogue,
                f"{entry.name}({', '.join([*given_beside, typed, typed])})",
                f"{entry.name}: expected {name} once, found it twice",
            )
            if parameter.kind is not str or parameter.choices:
                wrong = [*given_beside, f"{name}=?!"]
                yield from refused(catalogue, f"{entry.name}({', '.join(wrong)})", entry.name, "?!")
        if not entry.bare or not entry.parameters:
            yield from refused(catalogue, f"{entry.name}(3)", entry.name)


@every_catalogue
def test_a_slip_is_an_error_that_names_it(catalogue: Anything) -> None:
    assert list(slips(catalogue)) == []


@pytest.mark.parametrize("broken", ["takes the last", "drops what it does not know", "takes any value", "takes bare"])
def test_the_law_catches_a_catalogue_that(broken: str) -> None:
    class Lax(Catalogue[Entry, Entry]):
        def parse(self, text: str | Entry) -> Entry:
            try:
                return super().parse(text)
            except GermaneError as error:
                slips = {"takes the last": "twice", "drops what it does not know": "no parameter",
                         "takes any value": "?!", "takes bare": "parameter=value"}  # fmt: skip
                if slips[broken] in error.message:
                    return next(iter(self))
                raise

    lax = Lax("specimen", Entry, Entry, example="rounded")
    lax.put(next(iter(specimen())))
    assert list(slips(specimen())) == []
    assert list(slips(lax)) != []


TWICE_IN_OTHER_WORDS = [
    # text                                    parameter
    ("P(cut=5)@10", MEASURES.parse, "cut"),
    ("AP(rel=2)-l3", MEASURES.parse, "rel"),
    ("nDCG(dcg=exp-log2, gain=linear)", MEASURES.parse, "gain"),
    ("nDCG(gain=1:3/1:4)", MEASURES.parse, "1"),
    ("rrf(c=1, k=2)", CATALOGUES["POOLING"].parse, "k"),
    ("BM25(0.9, k1=1.2)", MODELS.parse, "k1"),
    ("fuse(combsum,BM25,QL,normalise=max,normalise=zmuv)", parse_strategy, "normalise"),
]


@pytest.mark.parametrize(("text", "parse", "key"), TWICE_IN_OTHER_WORDS)
def test_the_same_in_other_words_is_twice_too(text: str, parse: Any, key: str) -> None:
    with pytest.raises(GermaneError, match=f"expected {key} once, found it twice"):
        parse(text)


@pytest.mark.parametrize(
    ("text", "parse", "said"),
    [
        (
            "BM25+(variant=lucene)",
            MODELS.parse,
            r"BM25\+ already sets variant to plus",
        ),
        ("F2(beta=3)", RATES.parse, "F2 already sets beta to 2"),
        ("rbp(p=0.5)", MEASURES.parse, "rbp already sets p to 0.9"),
        ("f1(beta=2)", MEASURES.parse, "f1 already sets beta to 1"),
    ],
)
def test_what_a_name_implies_is_not_given_again(text: str, parse: Any, said: str) -> None:
    with pytest.raises(GermaneError, match=said):
        parse(text)


@pytest.mark.parametrize(
    ("parse", "text"),
    [
        (MEASURES.parse, "nDCG(gain=square)"),
        (MEASURES.parse, "nDCG(gain=1:3/2:nan)"),
        (MEASURES.parse, "AP(over=retrieved, empty=one)"),
        (MEASURES.parse, "RBP(rel=1, by=query)"),
        (FEEDBACK.parse, "rm3(model=BM52)"),
        (CATALOGUES["POOLING"].parse, "stratified(strata=x)"),
        (canonical_name, "EER(at=nowhere)"),
        (canonical_name, "AUC(x=1)"),
    ],
)
def test_a_wrong_value_fails_where_it_is_typed(parse: Any, text: str) -> None:
    with pytest.raises(GermaneError):
        parse(text)


# In any case, under any name ---------------------------------------------------------------------------------------


def missed(catalogue: Anything) -> Iterator[str]:
    """Names and choices in another case, or with another sign between their words, that are not read as their own."""
    for entry in catalogue:
        for name in (*entry.aliases, *entry.shorthands):
            for other in (name, name.upper(), name.lower(), name.swapcase(), *joined(name)):
                if other in FOREIGN or (other in catalogue.names and other != name):
                    continue  # which is another one
                if catalogue.find(other) is not entry:
                    yield f"{other} is {catalogue.find(other)}, not {entry.name}"
        for key, parameter in entry.parameters.items():
            beside = {**needed(entry, key)}
            for choice in parameter.choices:
                typed = {**beside, key: written(choice).swapcase()}
                if (own := made(entry, {**beside, key: choice})) is not None and own != made(entry, typed):
                    yield f"{entry.name}({key}={typed[key]}) is not {choice}"


def joined(name: str) -> list[str]:
    """A name with each of the signs between its words."""
    return [fold(name).replace(" ", sign) for sign in "-_ "]


FOREIGN = ("Rbp", "rbp")
"""Those of trec_eval, to the letter."""


@every_catalogue
def test_names_and_choices_are_read_in_any_case(catalogue: Anything) -> None:
    assert list(missed(catalogue)) == []


def test_the_law_catches_a_catalogue_that_minds_the_case() -> None:
    class Strict(Catalogue[Entry, Entry]):
        def find(self, name: str) -> Entry | None:
            return super().find(name) if name == name.lower() else None

    strict = Strict("specimen", Entry, Entry, example="rounded")
    strict.put(next(iter(specimen())))
    assert list(missed(specimen())) == []
    assert list(missed(strict)) != []


@every_catalogue
def test_every_shorthand_is_the_thing_it_stands_for(catalogue: Anything) -> None:
    for entry in catalogue:
        for name, implied in entry.shorthands.items():
            assert catalogue.parse(name) == catalogue.parse(f"{entry.name}({implied})")


@pytest.mark.parametrize("text", ["RRF", "fuse(RRF, bm25+RM3, ql)", "bm25+RM3", "BM25+ROCCHIO(Beta=.5)"])
def test_methods_in_capitals(text: str) -> None:
    parse = CATALOGUES["FUSION"].parse if text == "RRF" else parse_strategy
    if "Beta" in text:  # keys are exact, with a hint
        with pytest.raises(GermaneError, match="no parameter 'Beta'; did you mean beta"):
            parse(text)
    else:
        assert str(parse(text)) == str(parse(str(parse(text))))


def test_features_are_read_in_any_case() -> None:
    assert [parse_feature(name).name for name in ("OMEGA", "Tf-Sum", "COSINE", "bm25")] == [
        *("omega", "tf_sum", "cosine", "BM25")
    ]


# Entries -----------------------------------------------------------------------------------------------------------


@every_catalogue
def test_every_entry_has_a_page(catalogue: Anything) -> None:
    for entry in catalogue:
        assert entry.summary.endswith("."), entry.name
        assert all(entry.facts.values()), entry.name


def test_a_name_belongs_to_one_entry_and_can_be_taken_back() -> None:
    found = specimen()
    other = replace(next(iter(found)), name="other", target=len, names=("OLD_name",), shorthands={})
    with pytest.raises(GermaneError, match="specimen 'OLD_name' is already registered"):
        found.put(other)
    found.unregister("rounded")
    assert found.find("small") is None
    assert found.put(other) is other


def test_a_value_of_the_wrong_kind_is_refused_in_python_too() -> None:
    @dataclass(frozen=True)
    class Thing(Choice):
        k: Annotated[float | None, Range(0)] = 1.0

    found: Catalogue[Entry, Thing] = Catalogue("thing", Entry, Thing, example="thing")
    found.add("thing")(Thing)
    assert str(Thing(None)) == "thing(k=none)"
    assert found.parse("Thing(k=ALL)") == Thing(None)
    for wrong in (True, "1", -1.0, math.nan):
        with pytest.raises(GermaneError, match="thing: expected a number of 0 or more for k"):
            Thing(wrong)  # type: ignore[arg-type]
    with pytest.raises(GermaneError, match=r"expected a thing as text, found 3 \(int\)"):
        found.parse(3)  # type: ignore[arg-type]


def test_rates_leave_out_what_is_at_its_default() -> None:
    assert RATES.parse("cost(cost_fp=1, prevalence=.1)") == RATES.parse("cost(prevalence=10%)")
    assert RATES["F"].choose(beta=1.0) == RATES.parse("F1") == RATES.parse("F")
    assert math.isclose(RATES.parse("F(beta=1e-07)").settings["beta"], 1e-7)


def test_a_measure_of_decisions_keeps_what_was_typed() -> None:
    assert canonical_name("Partial_auc( max_fpr = .1 )") == "partial_AUC(max_fpr=0.1)"
    assert str(DECISION_MEASURES.parse("partial_AUC(max_fpr=.1)")) == "partial_AUC"
