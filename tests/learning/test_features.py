"""Features of (query, document) pairs: by hand on three documents, and what holds for every one of them."""

from collections.abc import Iterator, Sequence
from math import log
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from germane.errors import GermaneError, InputError
from germane.learning.features.candidates import Candidates
from germane.learning.features.feature import FEATURES, Feature, Registered
from germane.learning.features.feature_set import (
    DEFAULT_FEATURES,
    compute_features,
    default_features,
    feature_matrix,
    parse_feature,
    parse_features,
)
from germane.learning.features.own_features import Column
from germane.learning.features.scaling import scale_by_query
from germane.retrieval.indexes.index import Index, Part
from germane.retrieval.models import MODELS
from germane.retrieval.search import search
from germane.tables.columns.ids import FloatArray

TEXTS = {
    "d1": "red roses and white wine",  # red 0, roses 1, and 2, white 3, wine 4
    "d2": "wine wine is red wine",     # wine 0 1 4, is 2, red 3
    "d3": "white roses",
}  # fmt: skip
INDEX = Index.of(TEXTS, analyser="plain", positions=True)
L, LN3 = log(3 / 2), log(3)  # red, wine, white and roses are in two of three documents; is and `and` in one

# fmt: off
BY_HAND = [
    # feature       query                   d1            d2              d3      why
    ("omega",       "red wine",             (5,           2,              3),     "lacking: places + 1"),
    ("omega",       "wine",                 (1,           1,              3),     "one word"),
    ("omega",       "is wine",              (6,           2,              3),     "d1 lacks `is`: 5 + 1"),
    ("omega",       "wine wine red none",   (5,           2,              3),     "each once, known ones"),
    ("omega",       "none",                 (6,           6,              3),     "all documents lack it"),
    ("proximity",   "red wine",             (2 / 5,       1,              0),     "words over window"),
    ("proximity",   "is wine",              (1,           1,              0),     "d1 holds one of them"),
    ("covered",     "red wine none",        (2,           2,              0),     "of those that are known"),
    ("coverage",    "red wine none",        (2 / 3,       2 / 3,          0),     "of all three"),
    ("length",      "red",                  (5,           5,              2),     ""),
    ("tf_sum",      "red wine",             (2,           4,              0),     ""),
    ("tf_min",      "red wine",             (1,           1,              0),     ""),
    ("tf_min",      "is wine",              (0,           1,              0),     "d1 lacks `is`"),
    ("tf_max",      "red wine",             (1,           3,              0),     ""),
    ("tf_mean",     "red wine none",        (1,           2,              0),     "over the two that are known"),
    ("tf_share",    "red wine",             (2 / 5,       4 / 5,          0),     ""),
    ("idf_sum",     "is wine",              (L,           LN3 + L,        0),     ""),
    ("idf_min",     "is wine",              (L,           L,              0),     "of the words in the document"),
    ("idf_max",     "is wine",              (L,           LN3,            0),     ""),
    ("idf_mean",    "is wine",              (L,           (LN3 + L) / 2,  0),     ""),
    ("tfidf_sum",   "is wine",              (L,           LN3 + 3 * L,    0),     ""),
    ("tfidf_min",   "is wine",              (0,           LN3,            0),     "ln 3 < 3 ln 1.5"),
    ("tfidf_max",   "is wine",              (L,           3 * L,          0),     ""),
    ("tfidf_mean",  "is wine",              (L / 2,       (LN3 + 3 * L) / 2, 0),  ""),
]
# fmt: on


@pytest.mark.parametrize(("name", "query", "expected", "why"), BY_HAND)
def test_by_hand(name: str, query: str, expected: tuple[float, ...], why: str) -> None:
    found = parse_feature(name).values([Candidates.of(INDEX, "q", query, np.arange(3))])
    assert found == pytest.approx(expected, abs=1e-15), why


def test_every_registered_feature_is_worked_out_by_hand() -> None:
    assert {name for name, *_ in BY_HAND} == {one.name for one in FEATURES}


def test_every_feature_says_what_it_is() -> None:
    for one in FEATURES:
        assert one.summary.endswith("."), one.name
        assert "Formula" in one.sections, one.name


@pytest.mark.parametrize("model", [cls.name for cls in MODELS])
def test_a_models_score_is_that_of_its_ranking(model: str) -> None:
    ranking = search(INDEX, "red wine", model)
    values = parse_feature(model).values([Candidates.of(INDEX, "q", "red wine", ranking.docs)])
    assert values.tolist() == ranking.scores.tolist()


def test_a_document_without_query_words_has_the_empty_sum() -> None:
    [likelihood] = parse_feature("QL(mu=10)").values([Candidates.of(INDEX, "q", "red wine", np.array([2]))])
    assert likelihood == pytest.approx(2 * log(10 / (10 + 2))), "|q| · ln(μ/(μ + |d|))"
    assert parse_feature("BM25").values([Candidates.of(INDEX, "q", "red wine", np.array([2]))]).tolist() == [0.0]


def test_cosine_is_1_for_the_document_itself_and_0_for_nothing_in_common() -> None:
    cosine = parse_feature("cosine").values([Candidates.of(INDEX, "q", TEXTS["d3"], np.arange(3))])
    assert cosine[2] == pytest.approx(1)
    assert cosine[1] == 0


# Laws ------------------------------------------------------------------------------------------------------------

QUERIES = ["red wine", "is", "none", "white roses roses", "wine and none"]


def broken_values(features: Sequence[Feature]) -> Iterator[str]:
    """Each value that is not finite, or that depends on more than the query and the document."""
    for one in features:
        for query in QUERIES:
            alone = [float(one.values([Candidates.of(INDEX, "q", query, np.array([doc]))])[0]) for doc in range(3)]
            if not np.isfinite(alone).all():
                yield f"{one.name} of {query!r} is {alone}"
            backwards = one.values([Candidates.of(INDEX, "q", query, np.array([2, 1, 0]))])[::-1].tolist()
            others = [Candidates.of(INDEX, str(i), other, np.array([1])) for i, other in enumerate(QUERIES)]
            together = one.values([*others, Candidates.of(INDEX, "q", query, np.arange(3))])[-3:].tolist()
            if not (alone == backwards == together):
                yield f"{one.name} of {query!r} is {alone} alone, {backwards} backwards, {together} in company"


def everything() -> list[Feature]:
    return [*FEATURES, parse_feature("cosine"), *(parse_feature(cls.name) for cls in MODELS)]


def test_features_are_finite_and_depend_on_query_and_document_alone() -> None:
    assert list(broken_values(everything())) == []


@pytest.mark.parametrize(
    ("function", "why"),
    [
        (lambda pair: np.arange(len(pair)) + 0.0, "the rank among the candidates"),
        (lambda pair: pair.length / pair.length.max(), "scaled by its company"),
        (lambda pair: 1 / np.maximum(pair.tf.sum(axis=1) * 1.0, 0.0), "infinite without words"),
    ],
)
def test_the_law_catches_broken_features(function: object, why: str) -> None:
    with np.errstate(divide="ignore"):
        assert list(broken_values([Registered("specimen", function)])) != [], why  # type: ignore[arg-type]


def out_of_scale(scaled: FloatArray, query: FloatArray, scaling: str) -> Iterator[str]:
    """Each query's column that is not on the scale which was asked for."""
    for group in np.unique(query):
        for column in scaled[query == group].T:
            if scaling == "minmax" and (column.any() and (column.min(), column.max()) != (0, 1)):
                yield f"from {column.min()} to {column.max()}"
            if (
                scaling == "zscore"
                and column.any()
                and not np.allclose([column.mean(), column.std()], [0, 1], atol=1e-6)
            ):
                yield f"mean {column.mean()}, sd {column.std()}"


@settings(max_examples=50)
@given(
    rows=st.lists(st.tuples(st.integers(0, 3), st.integers(-50, 50), st.integers(0, 2)), min_size=1, max_size=20),
    scaling=st.sampled_from(["minmax", "zscore"]),
)
def test_scaled_features_are_on_the_scale(rows: list[tuple[int, int, int]], scaling: str) -> None:
    rows.sort()
    query, features = np.asarray([row[0] for row in rows]), np.asarray([row[1:] for row in rows], np.float64)
    scaled = scale_by_query(features, query, scaling)  # type: ignore[arg-type]
    assert list(out_of_scale(scaled, query, scaling)) == []


def test_the_law_of_scales_catches_a_scale_over_all_queries() -> None:
    features, query = np.array([[0.0], [1.0], [2.0], [4.0]]), np.array([0, 0, 1, 1])
    for scaling in ("minmax", "zscore"):
        over_all = scale_by_query(features, np.zeros(4, np.int64), scaling)
        assert list(out_of_scale(over_all, query, scaling)) != []
    assert scale_by_query(features, query, "none") is features


# Windows ---------------------------------------------------------------------------------------------------------


def shortest(words: str, query: str) -> int:
    """Every stretch tried."""
    spans = [
        end - begin + 1
        for begin in range(len(words))
        for end in range(begin, len(words))
        if set(query) <= set(words[begin : end + 1])
    ]
    return min(spans, default=len(words) + 1)


@settings(max_examples=80)
@given(
    docs=st.lists(st.text("abcd", min_size=1, max_size=12), min_size=1, max_size=5),
    query=st.text("abc", min_size=1, max_size=4),
    parts=st.booleans(),
)
def test_omega_is_the_shortest_of_all_stretches(docs: list[str], query: str, parts: bool) -> None:
    texts = {str(place): " ".join(words) for place, words in enumerate(docs)}
    index = Index.of(texts, analyser="plain", positions=True)
    if parts:  # the same documents, each a segment of its own
        own = [
            Index.of({name: text}, analyser="plain", positions=True).parts[0].segment for name, text in texts.items()
        ]
        index = Index([Part(segment, place) for place, segment in enumerate(own)], index.analyser)
    known = "".join(letter for letter in query if any(letter in words for words in docs))
    found = parse_feature("omega").values([Candidates.of(index, "q", " ".join(query), np.arange(len(docs)))])
    assert found.tolist() == [shortest(words, known) if known else len(words) + 1 for words in docs]


# Choosing, and features of one's own -----------------------------------------------------------------------------


def test_defaults_are_what_the_index_can_give() -> None:
    assert [one.name for one in default_features(INDEX)] == list(DEFAULT_FEATURES)
    bare = Index.of(TEXTS, analyser="plain")
    assert {one.name for one in default_features(bare)} == set(DEFAULT_FEATURES) - {"omega", "proximity"}
    with pytest.raises(GermaneError, match="windows require word positions"):
        compute_features(bare, parse_features("omega"), {"q": "red"}, {"q": np.array([0])})


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("omga", "unknown feature 'omga'; did you mean omega"),
        ("BM52", "unknown feature 'BM52'; did you mean BM25"),
        ("BM25(k1=-1)", "expected a number of 0 or more for k1"),
        ("omega, omega", "duplicate feature omega"),
        ("", "expected at least one feature"),
        ("rank=nowhere.tsv", "no such file"),
        ("rank=germane.nowhere:f", "cannot import germane.nowhere:f"),
    ],
)
def test_wrong_names(text: str, message: str) -> None:
    with pytest.raises(GermaneError, match=message):
        parse_features(text)


def test_a_column_by_document_and_by_pair(tmp_path: Path) -> None:
    (tmp_path / "rank.tsv").write_text("# PageRank\nd1\t0.5\n*\t0.1\n")
    (tmp_path / "clicks.tsv").write_text("q1 d1 3\nq2 d1 4\n* 0\n")
    chosen = parse_features([f"rank={tmp_path / 'rank.tsv'}", f"clicks={tmp_path / 'clicks.tsv'}"])
    batch = [Candidates.of(INDEX, query, "red", np.array([0, 1])) for query in ("q1", "q2")]
    assert feature_matrix(chosen, batch).tolist() == [[0.5, 3], [0.1, 0], [0.5, 4], [0.1, 0]]
    assert chosen[0].spelled == f"rank={tmp_path / 'rank.tsv'}"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("d1 0.5\nd1 1\n", "2: duplicate entry d1"),
        ("d1 nan\n", "1: expected a finite number, found 'nan'"),
        ("d1 0.5\nq d1 0.5\n", "2: expected `document value` or"),
        ("d1\n", "1: expected `document value` or"),
        ("", "expected lines `document value`, found none"),
    ],
)
def test_wrong_columns(tmp_path: Path, content: str, message: str) -> None:
    (tmp_path / "rank").write_text(content)
    with pytest.raises(InputError, match=message):
        Column.read("rank", tmp_path / "rank")


def test_a_document_without_a_value_is_an_error_that_counts() -> None:
    with pytest.raises(GermaneError, match=r"rank has no value for 2 of 3 candidates: d2 \(query q\), d3 \(query q\)"):
        Column("rank", {"d1": 1.0}).values([Candidates.of(INDEX, "q", "red", np.arange(3))])


def test_functions_of_ones_own() -> None:
    chosen = parse_features({"letters": lambda query, doc: len(query) + int(doc[1:]), "rank": {"*": 2.0}})
    batch = [Candidates.of(INDEX, "q", "red", np.array([0, 2]))]
    assert feature_matrix(chosen, batch).tolist() == [[4.0, 2.0], [6.0, 2.0]]
    for wrong in (float("nan"), "many", None):
        with pytest.raises(GermaneError, match="letters: expected a finite number for document 'd1'"):
            feature_matrix(parse_features({"letters": lambda query, doc, wrong=wrong: wrong}), batch)


def test_a_registered_feature_of_ones_own_that_is_not_finite_is_named() -> None:
    @FEATURES.add("odd")
    def odd(pair: Candidates) -> FloatArray:
        """Not finite for the second document."""
        return np.where(pair.docs == 1, np.nan, 1.0)

    try:
        with pytest.raises(GermaneError, match="odd: expected finite values, found nan for query 'q', document 'd2'"):
            feature_matrix(parse_features("odd"), [Candidates.of(INDEX, "q", "red", np.arange(3))])
    finally:
        FEATURES.unregister("odd")
