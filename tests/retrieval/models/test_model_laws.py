"""Laws that every ranking model keeps, over the registry; each with a specimen that breaks it."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from germane.catalogue import sections_of
from germane.retrieval.explain import explain_score
from germane.retrieval.indexes.index import Index, Part
from germane.retrieval.models import MODELS, VSM, Model
from germane.retrieval.models.curves import Curve, Rational
from germane.retrieval.query import Collection, Query, Relevance, TermStats
from germane.retrieval.search import search
from germane.tables.columns.ids import FloatArray

SAMPLES: dict[str, list[Any]] = {
    "weighting": ["ltc.ltn", "nnn.nnn", "bpn.btn", "atc.apc", "Lnu.ltn", "anu.bnc", "Ltn.Lnc", "apn.ann"],
    "prior_weight": [0.5, 3.0],
    "lambda": [0.7],
    "k3": [7.0],
}
"""Values to try of parameters that have no list of choices."""


def all_settings() -> Iterator[Model]:
    """Every model with its defaults, and with each of its switches set once."""
    for entry in MODELS:
        yield entry.choose()
        for parameter in entry.parameters.values():
            values = [True] if parameter.kind is bool else [*parameter.choices, *SAMPLES.get(parameter.name, [])]
            yield from (entry.choose(**{parameter.name: value}) for value in values if value != parameter.default)


SETTINGS = list(all_settings())
each_model = pytest.mark.parametrize("model", SETTINGS, ids=str)

COLLECTION = Collection(num_docs=100, num_tokens=2000)
NEAR_AVERAGE = np.array([15, 20, 30])
DOCUMENTS = {
    "wine1": "red wine and white wine",
    "wine2": "wine",
    "roses": "roses are red violets are blue red red",
    "long": "the winter of wine and the spring of roses came late that year and nobody knew why it had been so cold",
    "empty": "",
    "blue": "blue",
}
QUERIES = [
    Query.of(["red", "wine"]),
    Query.of(["wine", "wine", "roses", "nonesuch"]),
    Query({"wine": 0.7, "blue": 0.2}, is_vector=True),
    Query.of(["red", "roses"]).knowing(Relevance(2, {"red": 1, "roses": 1})),
]


def term(df: int, cf: int | None = None, relevant: tuple[int, int] = (0, 0)) -> TermStats:
    return TermStats("t", df, df if cf is None else cf, COLLECTION, *relevant)


def contributions(model: Model, stats: TermStats, tf: Any, length: Any) -> FloatArray:
    """What a term adds to documents where it stands so often."""
    query = Query({"t": 1.0})
    weight = model.query_weights(query, {"t": stats})["t"] * np.prod([*model.term_factors(stats).values()])
    return np.asarray(weight * model.curve(stats).values(np.asarray(tf), np.asarray(length)))


def made(documents: dict[str, str] = DOCUMENTS) -> Index:
    return Index.of(documents, analyser="plain")


def scores_by_id(index: Index, query: Query, model: Model) -> dict[str, float]:
    found = search(index, query, model, k=100)
    return {index.doc_id(doc): score for doc, score in zip(found.docs.tolist(), found.scores.tolist(), strict=True)}


# Finite


def infinite(model: Model) -> list[Any]:
    """Counts at which a contribution is no finite number; ends of every range included."""
    counts = [term(1), term(100), term(100, cf=2000), term(50, cf=60), term(1, 1, (1, 1)), term(100, 100, (100, 100))]
    counts += [term(99, 99, (1, 0)), term(60, 60, (40, 20))]
    grid = [(1, 1), (1, 5000), (7, 7), (7, 100)]
    values = ((stats, contributions(model, stats, *np.array(grid).T)) for stats in counts)
    return [stats for stats, found in values if not np.isfinite(found).all()]


@each_model
def test_contributions_are_finite(model: Model) -> None:
    assert infinite(model) == []


def test_the_law_catches_an_idf_of_documents_without_the_term() -> None:
    class Specimen(Model):
        name = "Specimen"

        def term_factors(self, term: TermStats) -> dict[str, float]:
            with np.errstate(divide="ignore"):
                return {"idf": float(np.log(term.num_docs - term.df))}

        def curve(self, term: TermStats) -> Curve:
            return Rational()

    assert infinite(Specimen()) != []


# More occurrences never count less; in a longer document they never count more


def lowered_by_frequency(model: Model) -> list[Any]:
    """Where one more occurrence lowers what a term adds, length and scale being the same."""
    tf = np.arange(1, 9)
    found = []
    for stats, length in itertools.product((term(1), term(5, 9), term(30, 40)), NEAR_AVERAGE.tolist()):
        values = contributions(model, stats, tf, np.full(len(tf), length))
        found += [(stats.df, length)] if (np.diff(values) < -1e-12).any() else []
    return found


def raised_by_length(model: Model) -> list[Any]:
    """Where the same frequency in a longer document adds more."""
    lengths = np.array([8, 15, 20, 100, 5000])
    cases = itertools.product((term(1), term(5, 9), term(30, 40)), (1, 3, 8))
    return [
        (stats.df, tf)
        for stats, tf in cases
        if (np.diff(contributions(model, stats, np.full(len(lengths), tf), lengths)) > 1e-12).any()
    ]


@each_model
def test_more_occurrences_never_count_less(model: Model) -> None:
    assert lowered_by_frequency(model) == []


@each_model
def test_the_same_in_a_longer_document_never_counts_more(model: Model) -> None:
    if model.name != "PL2":  # whose documentation says so
        assert raised_by_length(model) == []


def test_of_frequent_terms_pl2_keeps_neither_law_and_says_so() -> None:
    pl2, often = MODELS.parse("PL2"), term(90, cf=900)
    assert (np.diff(contributions(pl2, often, np.arange(1, 9), np.full(8, 20))) < 0).any()
    assert (np.diff(contributions(pl2, often, np.full(3, 2), NEAR_AVERAGE)) > 0).any()


def test_the_laws_of_frequency_and_length_catch_their_opposites() -> None:
    class Specimen(Model):
        name = "Specimen"

        def term_factors(self, term: TermStats) -> dict[str, float]:
            return {}

        def curve(self, term: TermStats) -> Curve:
            return Rational(over_tf=-1.0, over_length=1.0)

    assert lowered_by_frequency(Specimen()) != []
    assert raised_by_length(Specimen()) != []


# Rarer terms count more


def says_nothing_of_rarity(model: Model) -> bool:
    return isinstance(model, VSM) and model.weighting[1] == model.weighting[5] == "n"


def rarer_counts_less(model: Model) -> list[Any]:
    """Pairs of document frequencies (up to half of the documents) where the rarer term does not add more."""
    frequencies = (1, 2, 5, 20, 40)
    return [
        (rare, common)
        for rare, common in itertools.pairwise(frequencies)
        for tf in (1, 3)
        if contributions(model, term(rare, 2 * rare), [tf], [20])
        <= contributions(model, term(common, 2 * common), [tf], [20])
    ]


@each_model
def test_a_rarer_term_counts_more(model: Model) -> None:
    assert (rarer_counts_less(model) == []) is not says_nothing_of_rarity(model)


def test_the_law_of_rarity_catches_a_model_that_likes_frequent_terms() -> None:
    class Specimen(Model):
        name = "Specimen"

        def term_factors(self, term: TermStats) -> dict[str, float]:
            return {"df": float(term.df)}

        def curve(self, term: TermStats) -> Curve:
            return Rational()

    assert rarer_counts_less(Specimen()) != []


# An explanation is the score


def unexplained(model: Model) -> list[Any]:
    """Documents whose explanation does not end with their score, to the last digit."""
    index = made()
    found = []
    for query in QUERIES:
        ranked = search(index, query, model, k=100)
        scores = dict(zip(ranked.docs.tolist(), ranked.scores.tolist(), strict=True))
        for doc in range(index.num_places):
            explanation = explain_score(index, query, index.doc_id(doc), model=model)
            if explanation.score != scores.get(doc):
                found.append((doc, explanation.score, scores.get(doc)))
            last = str(explanation).rpartition("  ")[2]
            assert last == ("not ranked" if doc not in scores else f"{scores[doc]:.4f}")
    return found


@each_model
def test_an_explanation_adds_up_to_the_score(model: Model) -> None:
    assert unexplained(model) == []


def test_the_law_of_explanations_catches_a_weight_that_is_told_otherwise_each_time() -> None:
    told = itertools.count(1)

    class Specimen(Model):
        name = "Specimen"

        def term_factors(self, term: TermStats) -> dict[str, float]:
            return {"times asked": float(next(told))}

        def curve(self, term: TermStats) -> Curve:
            return Rational()

    with pytest.raises(AssertionError):
        assert unexplained(Specimen()) == []


# Where a document stands, in which segment, and beside which deleted ones, is all the same


def moved_by_place(model: Model) -> list[Any]:
    """Queries whose scores differ when documents come in another order, in two segments, with a deleted one between."""
    whole = made()
    turned = dict(reversed(DOCUMENTS.items()))
    first = made({**dict(list(turned.items())[:3]), "gone": "red wine wine roses nobody"})
    second = made(dict(list(turned.items())[3:]))
    deleted = np.array([0, 0, 0, 1], np.uint8)
    parts = [Part(first.parts[0].segment, 0, deleted), Part(second.parts[0].segment, 4)]
    split = Index(parts, whole.analyser)
    found = []
    for query in QUERIES:
        one, other = scores_by_id(whole, query, model), scores_by_id(split, query, model)
        if other != pytest.approx(one, rel=1e-12, abs=1e-12):
            found.append((one, other))
    return found


@each_model
def test_a_score_does_not_depend_on_the_place_in_the_index(model: Model) -> None:
    assert moved_by_place(model) == []


def test_the_law_of_places_catches_a_model_that_prefers_early_documents() -> None:
    class Specimen(Model):
        name = "Specimen"

        def term_factors(self, term: TermStats) -> dict[str, float]:
            return {}

        def curve(self, term: TermStats) -> Curve:
            return Rational()

        def offset(self, index: Index) -> FloatArray:
            return np.asarray(-np.arange(index.num_places), np.float64)

    assert moved_by_place(Specimen()) != []


# What is printed parses back


def misread(model: Model) -> bool:
    """Whether a model's text does not give the model again, in small letters too."""
    text = str(model)
    name, bracket, inside = text.partition("(")
    return any(MODELS.parse(t) != model for t in (text, f" {name.lower()}{bracket}{inside.replace(',', ' , ')} "))


@each_model
def test_a_model_is_written_as_it_is_read(model: Model) -> None:
    assert not misread(model)


def test_the_law_of_names_catches_a_forgotten_parameter() -> None:
    @dataclass(frozen=True)
    class Specimen(type(MODELS.parse("BM25"))):  # type: ignore[misc]
        def __str__(self) -> str:
            return "BM25"

    assert misread(Specimen(b=0.1))


# Each says what it is


@pytest.mark.parametrize("cls", MODELS, ids=lambda cls: str(cls.name))
def test_a_model_states_its_formula_reference_and_edge_cases(cls: type[Model]) -> None:
    assert {"Formula", "Reference", "Edge cases"} <= set(sections_of(cls))
    assert ">>>" in (cls.__doc__ or "")
