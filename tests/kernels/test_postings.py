import itertools
import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from germane import kernels
from germane.kernels import reference_postings as reference
from germane.kernels.reference_postings import (
    GIVEN,
    LOGARITHM,
    NUM_PARAMETERS,
    POISSON,
    RATIONAL,
    Postings,
    Queries,
    Rankings,
)

both = pytest.mark.parametrize("engine", [kernels, reference], ids=["kernel", "reference"])
needs_kernel = pytest.mark.skipif(
    kernels.top_k_many is reference.top_k_many, reason="there is no compiled extension to compare with the reference"
)


def segment(documents: list[dict[int, int]], num_terms: int, tf_kind: str = "|u1", deleted: Any = None) -> Postings:
    """The postings of documents given as {term: frequency}; a document is two tokens longer than they sum up to."""
    rows = sorted((term, doc, tf) for doc, terms in enumerate(documents) for term, tf in terms.items())
    term, doc, tf = (np.asarray([row[i] for row in rows], dtype=np.int64) for i in range(3))
    length = np.asarray([sum(terms.values()) + 2 for terms in documents], dtype=np.int32)
    return with_bounds(np.searchsorted(term, np.arange(num_terms + 1)), doc, tf.astype(tf_kind), length, deleted)


def with_bounds(start: Any, doc: Any, tf: Any, length: Any, deleted: Any = None) -> Postings:
    max_tf, min_length = (np.zeros(len(start) - 1, dtype=np.int32) for _ in range(2))
    for term, (begin, end) in enumerate(itertools.pairwise(start)):
        max_tf[term] = tf[begin:end].max(initial=0)
        min_length[term] = length[doc[begin:end]].min(initial=np.iinfo(np.int32).max)
    mask = None if deleted is None else np.asarray(deleted, dtype=np.uint8)
    return Postings(start.astype(np.int64), doc.astype(np.int32), tf, length, max_tf, min_length, mask)


def one_query(terms: list[tuple[int, float, int, list[float]]], **arrays: Any) -> Queries:
    """A query of terms with weight, curve and parameters."""
    parameters = np.zeros((len(terms), NUM_PARAMETERS))
    for row, (*_, values) in enumerate(terms):
        parameters[row, : len(values)] = values
    return Queries(
        np.asarray([0, len(terms)], dtype=np.int64),
        np.asarray([term for term, *_ in terms], dtype=np.int64),
        np.asarray([weight for _, weight, *_ in terms], dtype=np.float64),
        np.asarray([curve for _, _, curve, _ in terms], dtype=np.int32),
        parameters,
        **arrays,
    )


def rows(found: Rankings) -> list[tuple[int, float]]:
    return list(zip(found.doc.tolist(), found.score.tolist(), strict=True))


SATURATION = [0, 1, 0, 0, 1, 0, 0.5]  # tf / (tf + length/2)
# Three documents of 4, 6 and 10 tokens, and one with no term of the query. Terms are 0 and 1.
PAPER = [{0: 2}, {0: 2, 1: 2}, {0: 5, 2: 3}, {2: 1}]
BY_HAND: list[tuple[list[Any], dict[int, Any], str]] = [
    ([(0, 1.0, RATIONAL, SATURATION)], {0: Fraction(2, 4), 1: Fraction(2, 5), 2: Fraction(5, 10)}, "tf/(tf + len/2)"),
    (
        [(1, 3.0, RATIONAL, SATURATION), (0, 1.0, RATIONAL, SATURATION)],
        {0: Fraction(2, 4), 1: 4 * Fraction(2, 5), 2: Fraction(5, 10)},
        "weights count",
    ),
    (
        [(0, 1.0, RATIONAL, [7, 3, 1, 2, 0, 0, 1])],
        {0: 7 + Fraction(6 + 1 + 8, 4), 1: 7 + Fraction(6 + 1 + 12, 6), 2: 7 + Fraction(15 + 1 + 20, 10)},
        "lift + (3 tf + 1 + 2 len) / len",
    ),
    ([(0, -2.0, RATIONAL, [0, 1, 0, 0, 0, 1])], {0: -4, 1: -4, 2: -10}, "minus twice the frequency"),
    ([(0, 1.0, LOGARITHM, [1, 0, 1, 0])], {d: 1 + math.log(tf) for d, tf in {0: 2, 1: 2, 2: 5}.items()}, "1 + log tf"),
    (
        [(0, 1.0, LOGARITHM, [0, 1, 3, 1])],
        {0: math.log(1 + 6 / 4), 1: math.log(1 + 6 / 6), 2: math.log(1 + 15 / 10)},
        "log(1 + 3 tf/len)",
    ),
    # With lambda = 1 and c = the document's length, tfn = tf = 2, and 2 * log2(2/1) is 2.
    (
        [(1, 1.0, POISSON, [1, 6])],
        {1: (2 + (1 + 1 / 24 - 2) * math.log2(math.e) + 0.5 * math.log2(4 * math.pi)) / 3},
        "PL2, tfn = 2 * log2(1 + 6/6) = 2",
    ),
    ([(0, 0.0, RATIONAL, SATURATION)], {0: 0, 1: 0, 2: 0}, "no weight, but they hold the term"),
    ([], {}, "no term"),
]


@both
@pytest.mark.parametrize("tf_kind", ["|u1", "<u2", "<i4"])
@pytest.mark.parametrize(("terms", "expected", "why"), BY_HAND)
def test_scores_by_hand(engine: Any, tf_kind: str, terms: list[Any], expected: dict[int, Any], why: str) -> None:
    found = engine.top_k_many(segment(PAPER, 3, tf_kind), one_query(terms), 10)
    order = sorted(expected, key=lambda doc: (-expected[doc], doc))
    assert found.doc.tolist() == order, why
    assert found.score.tolist() == pytest.approx([float(expected[doc]) for doc in order]), why


@both
def test_contributions_that_are_given(engine: Any) -> None:
    query = one_query([(0, 2.0, GIVEN, [1.0])], given=np.asarray([99.0, 0.5, 0.25, 4.0]))
    assert rows(engine.top_k_many(segment(PAPER, 3), query, 10)) == [(2, 8.0), (0, 1.0), (1, 0.5)]


@both
def test_scale_and_offset(engine: Any) -> None:
    query = one_query(
        [(0, 1.0, RATIONAL, [0, 1, 0, 0, 0, 1])],
        scale=np.asarray([1.0, 4.0, 0.5, 9.0]),
        offset=np.asarray([-1.0, -2.0, 1.0, 9.0]),
        offset_times=np.asarray([3.0]),
    )
    assert rows(engine.top_k_many(segment(PAPER, 3), query, 10)) == [(2, 5.5), (1, 2.0), (0, -1.0)]
    assert engine.score_documents(segment(PAPER, 3), query, 0, np.asarray([1, 0], np.int32)).tolist() == [2.0, -1.0]


@both
def test_ties_at_the_cut_go_to_the_lower_number_and_the_deleted_are_passed_over(engine: Any) -> None:
    query = one_query([(0, 1.0, RATIONAL, [0, 1, 0, 0, 0, 1])])
    postings = segment([{0: 1}] * 6 + [{0: 2}], 1, deleted=[0, 1, 0, 0, 0, 0, 0])
    assert engine.top_k_many(postings, query, 3).doc.tolist() == [6, 0, 2]
    assert engine.top_k_many(postings, query, 0).doc.tolist() == []


@both
def test_documents_asked_for_by_name(engine: Any) -> None:
    query = one_query([(1, 3.0, RATIONAL, SATURATION), (0, 1.0, RATIONAL, SATURATION)])
    asked = np.asarray([3, 1, 2, 1], dtype=np.int32)
    parts = engine.contributions(segment(PAPER, 3), query, 0, asked)
    np.testing.assert_array_equal(parts, [[math.nan] * 2, [3 * 0.4, 0.4], [math.nan, 0.5], [3 * 0.4, 0.4]])
    scores = engine.score_documents(segment(PAPER, 3), query, 0, asked)
    np.testing.assert_array_equal(scores, [math.nan, 3 * 0.4 + 0.4, 0.5, 3 * 0.4 + 0.4])


@both
def test_several_queries_and_a_slice_of_them(engine: Any) -> None:
    parts = [one_query([]), one_query([(0, 1.0, RATIONAL, SATURATION)]), one_query([(1, 1.0, RATIONAL, SATURATION)])]
    ends = np.cumsum([0, *(len(part.term) for part in parts)], dtype=np.int64)
    queries = Queries(ends, *(np.concatenate([part[i] for part in parts]) for i in range(1, 5)))
    found = engine.top_k_many(segment(PAPER, 3), queries, 2)
    assert found.start.tolist() == [0, 0, 2, 3]
    assert rows(found) == [(0, 0.5), (2, 0.5), (1, 0.4)]
    found = engine.top_k_many(segment(PAPER, 3), queries, 2, 2, 3)
    assert (found.start.tolist(), rows(found)) == ([0, 1], [(1, 0.4)])


@both
def test_roots_of_sums_of_squares_by_hand(engine: Any) -> None:
    norms = engine.root_sums_of_squares(
        np.asarray([0, 2, 2, 3], dtype=np.int64),
        np.asarray([0, 1, 1], dtype=np.int32),
        np.asarray([3, 2, 5], dtype=np.uint8),
        np.asarray([5, 0, 5], dtype=np.int32),
        np.asarray([1.0, 2.0]),
        RATIONAL,
        np.asarray([0.0, 1, 0, 0, 0, 1, 0, 0]),
    )
    assert norms.tolist() == [5.0, 0.0, 10.0]  # sqrt(3² + (2·2)²), nothing, 2·5


class Case(NamedTuple):
    postings: Postings
    query: Queries
    k: int


NUMBER = st.sampled_from([0.0, 1.0, 0.5, 2.0, 1.2, 0.1])
CURVE = st.one_of(
    st.just((RATIONAL, SATURATION)),
    st.tuples(
        st.just(RATIONAL), st.tuples(NUMBER, NUMBER, NUMBER, NUMBER, NUMBER, st.sampled_from([0.3, 1.0]), NUMBER)
    ),
    # Higher for longer documents, lower for higher frequencies, or below zero.
    st.just((RATIONAL, [-1.0, 0, 1, 0.5, 1, 1, 0])),
    st.tuples(st.just(LOGARITHM), st.tuples(NUMBER, NUMBER, st.sampled_from([1.0, 30.0]), st.sampled_from([0, 1]))),
    st.tuples(st.just(POISSON), st.tuples(st.sampled_from([0.1, 2.0]), st.sampled_from([3.0, 50.0]))),
    st.just((GIVEN, [1.0])),
)


@st.composite
def cases(draw: st.DrawFn) -> Case:
    """Few values, so that there are many ties."""
    frequency = st.one_of(st.integers(1, 2), st.sampled_from([1, 3, 255]))
    documents = draw(st.lists(st.dictionaries(st.integers(0, 4), frequency, max_size=4), min_size=1, max_size=70))
    deleted = draw(st.none() | st.just(np.arange(len(documents)) % 3 == 1))
    postings = segment(documents, 5, draw(st.sampled_from(["|u1", "<u2", "<i4"])), deleted)
    weight = st.sampled_from([1.0, 1.0, 0.5, 0.0, -1.0, 3.7])
    terms = draw(st.lists(st.tuples(st.integers(0, 4), weight, CURVE), max_size=5))
    by_document = st.sampled_from([None, np.arange(len(documents)) % 4 / 2.0 - 0.5])
    query = one_query(
        [(term, number, curve, list(values)) for term, number, (curve, values) in terms],
        given=np.arange(len(documents) + 1) % 5 - 2.0,
        scale=draw(by_document),
        offset=draw(by_document),
        offset_times=draw(st.sampled_from([None, np.asarray([-2.0])])),
    )
    return Case(postings, query, draw(st.integers(0, 12) | st.just(100)))


@needs_kernel
@given(cases())
def test_the_kernel_ranks_as_the_reference(case: Case) -> None:
    found, expected = (engine.top_k_many(*case) for engine in (kernels, reference))
    assert rows(found) == rows(expected)
    assert found.start.tolist() == expected.start.tolist()


@needs_kernel
@given(cases())
def test_the_kernel_scores_named_documents_as_the_reference_and_as_it_ranks_them(case: Case) -> None:
    asked = np.arange(len(case.postings.length), dtype=np.int32)[::-1].copy()
    for name in ("contributions", "score_documents"):
        found, expected = (getattr(engine, name)(*case[:2], 0, asked) for engine in (kernels, reference))
        np.testing.assert_array_equal(found, expected)
    ranked = kernels.top_k_many(*case)
    scores = kernels.score_documents(*case[:2], 0, ranked.doc)
    assert scores.tolist() == ranked.score.tolist()


@needs_kernel
@given(cases(), CURVE.filter(lambda curve: curve[0] != GIVEN))
def test_the_kernel_adds_squares_as_the_reference(case: Case, curve: tuple[int, list[float]]) -> None:
    num_docs = len(case.postings.length)
    order = np.argsort(case.postings.doc, kind="stable")
    term: npt.NDArray[np.int32] = np.repeat(np.arange(5, dtype=np.int32), np.diff(case.postings.start))[order]
    start = np.searchsorted(case.postings.doc[order], np.arange(num_docs + 1)).astype(np.int64)
    parameters = np.zeros(NUM_PARAMETERS)
    parameters[: len(curve[1])] = curve[1]
    factor = np.asarray([1.0, 0.3, -2.0, 0.0, 1.7])
    twin = (start, term, case.postings.tf[order], case.postings.length, factor, curve[0], parameters)
    found, expected = (engine.root_sums_of_squares(*twin) for engine in (kernels, reference))
    assert found.tolist() == expected.tolist()


BEYOND = [
    # what is changed                                        the error
    ({"doc": [1, 0, 2, 0]},                                  "documents of term 0 to ascend within 0 to 2"),
    ({"doc": [0, 0, 2, 0]},                                  "documents of term 0 to ascend within 0 to 2"),
    ({"doc": [-1, 1, 2, 0]},                                 "documents of term 0 to ascend within 0 to 2"),
    ({"doc": [0, 1, 3, 0]},                                  "documents of term 0 to ascend within 0 to 2"),
    ({"doc": [0, 1, 1 << 30, 0]},                            "documents of term 0 to ascend within 0 to 2"),
    ({"start": [0, 5, 5]},                                   "documents of term 0 to ascend within 0 to 2"),
    ({"start": [-1, 3, 4]},                                  "documents of term 0 to ascend within 0 to 2"),
    ({"start": [3, 0, 4]},                                   "documents of term 0 to ascend within 0 to 2"),
    ({"length": [3, 3], "deleted": [0, 0]},                  "documents of term 0 to ascend within 0 to 1"),
    ({"tf": [1, 1, 1]},                                      "found arrays of other lengths"),
    ({"deleted": [0, 0]},                                    "found arrays of other lengths"),
    ({"max_tf": [1]},                                        "found arrays of other lengths"),
    ({"checked": [0]},                                       "found arrays of other lengths"),
]  # fmt: skip


def changed_postings(changed: dict[str, list[int]]) -> Postings:
    postings = segment([{0: 1, 1: 2}, {0: 1}, {0: 1}], 2, deleted=[0, 0, 0])._replace(checked=np.zeros(2, np.uint8))
    return postings._replace(**{n: np.asarray(v, getattr(postings, n).dtype) for n, v in changed.items()})


@both
@pytest.mark.parametrize(("changed", "message"), BEYOND)
def test_postings_beyond_their_bounds_are_an_error(engine: Any, changed: dict[str, list[int]], message: str) -> None:
    postings, query = changed_postings(changed), one_query([(0, 1.0, RATIONAL, [0, 1, 0, 0, 1, 1, 0])])
    docs = np.array([0], np.int32)
    attempts: list[Callable[[], object]] = [
        lambda: engine.top_k_many(postings, query, 5),
        lambda: engine.contributions(postings, query, 0, docs),
        lambda: engine.score_documents(postings, query, 0, docs),
    ]
    for attempt in attempts:
        with pytest.raises(ValueError, match=message):
            attempt()


@both
@pytest.mark.parametrize("term", [-1, 2, 1 << 40])
def test_terms_beyond_the_segment_are_an_error(engine: Any, term: int) -> None:
    postings, query = changed_postings({}), one_query([(term, 1.0, RATIONAL, [0, 1, 0, 0, 1, 1, 0])])
    with pytest.raises(reference.PostingsError, match=f"documents of term {term} to ascend"):
        engine.top_k_many(postings, query, 5)


@both
def test_postings_are_compared_with_their_bounds_once(engine: Any) -> None:
    postings = changed_postings({})
    assert postings.checked is not None
    engine.check_postings(postings, np.array([1]))
    assert postings.checked.tolist() == [0, 1]
    bad = changed_postings({"doc": [2, 1, 0, 0]})
    with pytest.raises(reference.PostingsError):
        engine.check_postings(bad, np.array([1, 0]))
    assert bad.checked is not None
    assert bad.checked.tolist() == [0, 1], "what was found to be beyond is never marked"


@both
@pytest.mark.parametrize(
    ("start", "term", "message"),
    [
        ([0, 2, 1], [0, 1], "rows of documents to ascend"),
        ([1, 1, 2], [0, 1], "rows of documents to ascend"),
        ([0, 1, 3], [0, 1], "rows of documents to ascend"),
        ([0, 2], [0, 1], "rows of documents to ascend"),
        ([0, 1, 2], [0, 2], "numbers of terms"),
        ([0, 1, 2], [-1, 1], "numbers of terms"),
    ],
)
def test_a_twin_beyond_its_bounds_is_an_error(engine: Any, start: list[int], term: list[int], message: str) -> None:
    tf, length, factor = np.ones(2, np.uint8), np.ones(2, np.int32), np.ones(2)
    with pytest.raises(ValueError, match=message):
        engine.root_sums_of_squares(
            np.asarray(start, np.int64), np.asarray(term, np.int32), tf, length, factor, RATIONAL, np.ones(8)
        )
