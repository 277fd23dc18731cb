"""Rows to learn a ranking from: what they must be, and what can be taken of them."""

import re

import numpy as np
import pytest

from germane.errors import GermaneError, InputError
from germane.tables.rankings.ranking_data import RankingData

ROWS = [[0.9, 3.0], [0.2, 4.0], [0.4, 2.0]]


def data() -> RankingData:
    return RankingData.of(ROWS, ["q1", "q1", "q2"], grade=[1, 0, 1], docs=["a", "b", "a"], names=["α", "ω"])


WRONG = [
    # what is given                                                   what is said
    ({"features": [[1.0, np.nan], *ROWS[1:]]}, "expected finite features, found nan for ω of query 'q1', document 'a'"),
    ({"features": [[-np.inf, 1.0], *ROWS[1:]]}, "found -inf for α"),
    ({"grade": [1, np.nan, 1]}, "expected a finite grade, found nan for query 'q1', document 'b'"),
    ({"grade": [1, 0]}, "expected 3 grades, one per row, found 2"),
    (
        {"query": ["q1", "q2", "q1"], "docs": None},
        "expected rows grouped by query; query 'q1' occurs again at row 3",
    ),
    ({"docs": ["a", "a", "a"]}, "duplicate row: query 'q1', document 'a'"),
    ({"names": ["α"]}, "expected 2 feature names, found 1"),
    ({"names": ["α", "α"]}, "duplicate feature 'α'"),
    ({"features": np.zeros((0, 2)), "query": [], "grade": None, "docs": None}, "expected rows of features, found none"),
    (
        {"features": [1.0, 2.0, 3.0]},
        "ranking data: expected rows × columns of numbers as feature, found an array of shape (3,)",
    ),
]


@pytest.mark.parametrize(("change", "message"), WRONG)
def test_what_is_wrong_is_said(change: dict[str, object], message: str) -> None:
    given = {
        "features": ROWS,
        "query": ["q1", "q1", "q2"],
        "grade": [1, 0, 1],
        "docs": ["a", "b", "a"],
        "names": ["α", "ω"],
    }
    with pytest.raises(InputError, match=re.escape(message)):
        RankingData.of(**{**given, **change})  # type: ignore[arg-type]


def test_queries_are_taken_with_all_that_belongs_to_them() -> None:
    part = data().take_queries([1])
    assert (list(part.queries), part.query.tolist(), part.features.tolist()) == (["q2"], [0], [[0.4, 2.0]])
    assert part.docs is not None
    assert (list(part.docs), part.grades.tolist()) == (["a"], [1.0])


def test_a_column_by_name() -> None:
    assert data().column("ω").tolist() == [3.0, 4.0, 2.0]
    with pytest.raises(GermaneError, match="unknown feature 'W'"):
        data().column("W")


def test_grades_that_are_asked_for_must_be_there() -> None:
    with pytest.raises(InputError, match="expected a grade for each row, found none"):
        _ = RankingData.of(ROWS, ["q1", "q1", "q2"]).grades


def test_the_digest_tells_every_part_apart_and_not_the_name() -> None:
    one = data()
    assert one.digest() == data().digest()
    others = [
        one.with_features(np.add(one.features, 1e-9)),
        one.with_features(one.features, ["α", "o"]),
        RankingData.of(ROWS, ["q1", "q2", "q3"], grade=[1, 0, 1], docs=["a", "b", "a"], names=["α", "ω"]),
        RankingData.of(ROWS, ["q1", "q1", "q2"], grade=[1, 1, 1], docs=["a", "b", "a"], names=["α", "ω"]),
        RankingData.of(ROWS, ["q1", "q1", "q2"], grade=[1, 0, 1], docs=["a", "c", "a"], names=["α", "ω"]),
        RankingData.of(ROWS, ["q1", "q1", "q2"], grade=[1, 0, 1], names=["α", "ω"]),
    ]
    assert len({one.digest(), *(other.digest() for other in others)}) == 1 + len(others)
