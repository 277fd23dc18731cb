"""Whatever threshold is printed, typed in again it gives the counts printed beside it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner
from hypothesis import example, given
from hypothesis import strategies as st

import germane as ge
from germane.api.reports.decisions import decision_numbers
from germane.cli import group
from germane.learning.agent.answers import Answer, AnswerLine
from germane.measures.decisions.at_thresholds import rates_at_thresholds
from germane.output.rendering import render
from germane.output.rendering.notebook import mime_bundle
from germane.output.reports.classification_page import _written_stops
from germane.tables.decisions.decisions import Decisions
from germane.tables.decisions.threshold_text import threshold_text
from germane.tables.results.performances import AtThresholds
from germane.tables.results.result import Style

CLOSE = [
    1.0000004,
    1.0000001,
    1.0,
    0.9999999,
    0.99999989,
    0.5,
    0.30000001192092896,
    0.3,
    1e-300,
    0.0,
    -0.0,
    -1e9,
    -1e9 - 1e-6,
]
"""Scores that six digits would merge, or push to the other side of their neighbour."""

SCORES = st.lists(
    st.one_of(
        st.sampled_from(CLOSE),
        st.floats(-1e3, 1e3, width=32),
        st.floats(allow_nan=False, allow_infinity=False),
        st.integers(-3, 3).map(float),
    ),
    min_size=1,
    max_size=30,
)


def misprints(text: Callable[[Decisions, float], str], scores: list[float]) -> Iterator[tuple[float, str]]:
    """Thresholds whose text decides otherwise, as 64-bit numbers or in the precision of the scores."""
    seen = Decisions.of([i % 2 == 0 for i in range(len(scores))], scores)
    for threshold in seen.thresholds.tolist():
        written = text(seen, threshold)
        if seen.at(float(written)) != seen.at(threshold):
            yield threshold, written


@given(SCORES)
@example(CLOSE)
def test_a_printed_threshold_reproduces_its_counts(scores: list[float]) -> None:
    assert list(misprints(Decisions.text, scores)) == []


def test_the_law_catches_a_threshold_rounded_to_six_digits() -> None:
    assert list(misprints(lambda _, threshold: f"{threshold:.6g}", CLOSE)) != []


@given(st.lists(st.floats(0, 1, width=32), min_size=2, max_size=30, unique=True))
def test_a_printed_threshold_separates_scores_held_in_single_precision(scores: list[float]) -> None:
    column = np.array(scores, dtype=np.float32)
    falling = np.sort(column.astype(np.float64))[::-1]
    for threshold in falling.tolist():
        typed = np.float32(threshold_text(threshold, falling))
        assert (column >= typed).sum() == (column >= np.float32(threshold)).sum()


def test_a_threshold_is_short_where_scores_are_far_apart() -> None:
    assert threshold_text(0.30000001192092896, np.array([0.9, 0.30000001192092896, 0.1])) == "0.3"
    assert threshold_text(0.87654321, np.array([0.87654321, 0.1])) == "0.8765", "four digits, to resemble the score"


# The doors ---------------------------------------------------------------------------------------------------------


def close_items(size: int = 200) -> dict[str, Any]:
    """Scores of float32 models near 1, where four or six digits merge most of them."""
    rng = np.random.default_rng(8)
    truth = rng.random(size) < 0.45
    latent = 14 + 2.0 * rng.normal(size=size) + 1.5 * truth
    return {"truth": truth.astype(int), "score": 1 / (1 + np.exp(-latent.astype(np.float32)))}


@pytest.fixture
def data(tmp_path: Path) -> Path:
    items = close_items()
    rows = (f"{t},{s!r}\n" for t, s in zip(items["truth"].tolist(), items["score"].tolist(), strict=True))
    (tmp_path / "items.csv").write_text("truth,score\n" + "".join(rows))
    return tmp_path / "items.csv"


def recounted(threshold: str) -> tuple[int, int]:
    items = close_items()
    called = items["score"].astype(np.float64) >= float(threshold)
    return int((called & (items["truth"] == 1)).sum()), int((called & (items["truth"] == 0)).sum())


def test_the_page_prints_what_it_counts() -> None:
    (view,) = decision_numbers(ge.classify(close_items(), truth="truth", score=["score"], resamples=100)).views
    stops = view.stops
    for typed, tp, fp in zip(_written_stops(view), stops.true_positives, stops.false_positives, strict=True):
        assert recounted(repr(typed)) == (tp, fp)


def test_the_page_keeps_a_threshold_that_was_asked_for() -> None:
    asked = 0.99999912345678
    (view,) = decision_numbers(
        ge.classify(close_items(), truth="truth", score=["score"], threshold=asked, resamples=100)
    ).views
    assert asked in _written_stops(view)


def rows_with_counts(table: str) -> list[tuple[str, int, int]]:
    found = re.findall(r"^\|?\s*(\d\S*|inf)\s+\|?\s*(\d+)\s+\|?\s*(\d+)\s", table, re.MULTILINE)
    return [(threshold, int(tp), int(fp)) for threshold, tp, fp in found]


@pytest.mark.parametrize("style", ["table", "markdown"])
def test_the_table_of_all_thresholds_prints_what_it_counts(style: Style) -> None:
    items = close_items()
    seen = Decisions.of(items["truth"], items["score"])
    rows = rows_with_counts(render(AtThresholds(rates_at_thresholds(seen), seen), style))
    assert len(rows) == len(seen)
    assert all(recounted(threshold) == (tp, fp) for threshold, tp, fp in rows)


def test_the_notebook_prints_what_it_counts_though_it_shows_some_rows_only() -> None:
    items = close_items()
    text = mime_bundle(Decisions.of(items["truth"], items["score"]))["text/plain"]
    rows = rows_with_counts(str(text))
    assert rows
    assert all(recounted(threshold) == (tp, fp) for threshold, tp, fp in rows)


@pytest.mark.parametrize("rule", ["youden", "F1", "TPR where TNR>=.9", "rule-out TPR>=.95, rule-in TNR>=.9"])
def test_a_chosen_threshold_prints_what_it_counts(rule: str, data: Path) -> None:
    shown = CliRunner().invoke(group, ["threshold", str(data), "--rule", rule, "--resamples", "100"])
    report = ge.threshold(data, rule, resamples=100)
    printed = dict(re.findall(r"Rates at (\S+) (\S+?), with", shown.stdout))
    assert shown.exit_code == 0
    assert set(printed) == {point.name for point in report.choice.points}
    for point in report.choice.points:
        assert recounted(printed[point.name]) == (point.cells.TP, point.cells.FP)
        assert f"{point.name} {printed[point.name]}" in repr(report)
        assert f"{point.name} {printed[point.name]}" in str(report)


def test_a_threshold_of_two_sets_prints_what_it_counts_on_both() -> None:
    dev, test = ([1, 0], [0.87654321, 0.1]), ([1, 0, 1], [0.9, 0.876543, 0.2])
    report = ge.threshold(dev, "youden", test=test, resamples=100)
    assert report.text(report.threshold) == "0.8765432", "0.8765 would call a negative of the test set positive"


def test_explain_prints_what_it_counts(data: Path) -> None:
    shown = CliRunner().invoke(group, ["explain", "TPR", str(data), "--show", "1000"])
    found = re.findall(r"^(?:\d+ )?[PN](?: \d+ N)?\s+(\d\S*)\s+(\d+)\s+(\d+)\s", shown.stdout, re.MULTILINE)
    assert shown.exit_code == 0, shown.output
    assert len(found) == len(set(close_items()["score"].tolist()))
    assert all(recounted(threshold) == (int(tp), int(fp)) for threshold, tp, fp in found)


def test_the_matrix_of_classify_prints_its_threshold_in_full(data: Path) -> None:
    shown = CliRunner().invoke(group, ["classify", str(data), "--threshold", "0.99999912345678"])
    assert "at threshold 0.99999912345678 (" in shown.stdout


def test_an_agent_s_threshold_lies_between_what_it_returns_and_the_rest() -> None:
    best = AnswerLine(1, "d1", 2.0, 0.33334, None)
    answer = Answer("q", (best,), 1, 2, threshold=1 / 3, expected_cost=0.0, best_unreturned=0.333332)
    (words,) = answer.words
    limit, rest = re.findall(r"0\.\d+", words)
    assert float(rest) <= float(limit) < best.probability
    assert words.startswith("1 of 2 documents are worth returning: P(R|d) above 0.33333")
