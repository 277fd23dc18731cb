"""The survey of rows: the kernel against its reference, however the rows are divided into pieces."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from germane import kernels
from germane.kernels import reference_survey
from germane.tables.columns.ids import Ids

Row = tuple[int, str, int, float, float]
DOCS = st.sampled_from(["d", "e", "abcdefgh", "abcdefghi", "0123456789abcdef", "é" * 30, ""]) | st.integers(0, 99).map(
    str
)
ROWS = st.lists(
    st.tuples(st.integers(0, 3), DOCS, st.integers(0, 1), st.integers(0, 5).map(float), st.integers(0, 3).map(float)),
    max_size=60,
)


def surveyed(engine: Any, rows: list[Row], *, cut: int, ranked: bool, grouped: bool) -> Any:
    survey, found = engine.Survey(), []
    for start in range(0, len(rows), cut):
        part = rows[start : start + cut]
        query, doc, group, score, rank = zip(*part, strict=True)
        heads = np.flatnonzero(np.append(True, np.diff(query) != 0))
        ids = Ids.of(doc)
        found += [
            np.add(each, offset).tolist()
            for each, offset in zip(
                survey.add(
                    np.array(query)[heads],
                    np.append(heads, len(part)),
                    *(ids.data, ids.offsets, np.array(group) if grouped else None),
                    *(np.array(score), np.array(rank) if ranked else None, np.arange(start, start + len(part))),
                ),
                (start, 0),
                strict=True,
            )
        ]
    repeated = [each for rows in found[::2] for each in rows], [each for rows in found[1::2] for each in rows]
    return repeated, survey.totals() if rows else None


@settings(max_examples=200)
@given(rows=ROWS, cut=st.integers(1, 60), ranked=st.booleans(), grouped=st.booleans())
def test_the_kernel_finds_what_the_reference_finds(rows: list[Row], cut: int, ranked: bool, grouped: bool) -> None:
    rows = sorted(rows, key=lambda row: row[0])
    ours = surveyed(kernels, rows, cut=cut, ranked=ranked, grouped=grouped)
    assert ours == surveyed(reference_survey, rows, cut=60, ranked=ranked, grouped=grouped)


# fmt: off
BY_HAND = [
    # score and rank of each row          tied  contradicted  why
    ([(3, 1), (2, 2), (1, 3)],            0,    0,            "as it should be"),
    ([(2, 1), (2, 2), (1, 3)],            2,    0,            "two share a score"),
    ([(1, 3), (2, 2), (2, 1)],            2,    0,            "the same from below"),
    ([(2, 2), (2, 1), (2, 3)],            3,    0,            "ties are ordered by rank, so nothing contradicts it"),
    ([(3, 2), (2, 1)],                    0,    1,            "the higher score has the lower rank"),
    ([(1, 1), (2, 2), (2, 3), (1, 0)],    4,    1,            "unsorted, two pairs"),
]
# fmt: on


@pytest.mark.parametrize("engine", [kernels, reference_survey])
@pytest.mark.parametrize(("rows", "tied", "contradicted", "why"), BY_HAND)
def test_ties_and_ranks_by_hand(engine: Any, rows: Any, tied: int, contradicted: int, why: str) -> None:
    made = [(0, str(doc), 0, float(score), float(rank)) for doc, (score, rank) in enumerate(rows)]
    _, totals = surveyed(engine, made, cut=2, ranked=True, grouped=False)
    scores = [score for score, _ in rows]
    assert totals == (len(rows), tied, contradicted, min(scores), max(scores), False), why


@pytest.mark.parametrize("engine", [kernels, reference_survey])
def test_scores_that_are_only_ranks(engine: Any) -> None:
    rows = [(0, str(rank), 0, -float(rank), float(rank)) for rank in range(1, 5)]
    assert surveyed(engine, rows, cut=3, ranked=True, grouped=False)[1][-1] is True
    assert surveyed(engine, rows, cut=3, ranked=False, grouped=False)[1][-1] is False


def test_many_rows_of_one_query() -> None:
    rows = [(0, f"document-{doc % 4999}", 0, float(doc % 7), 0.0) for doc in range(5000)]
    ours = surveyed(kernels, rows, cut=777, ranked=False, grouped=False)
    assert ours == surveyed(reference_survey, rows, cut=5000, ranked=False, grouped=False)
    assert ours[0] == ([4999], [0])
