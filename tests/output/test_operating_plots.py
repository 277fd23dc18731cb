"""Figures for an operating point: gains, lift, decision curves and cost curves."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from germane.errors import GermaneError
from germane.output.reports.operating_rows import MAX_BANDS
from germane.output.reports.writing import plot

TRUTH = [1, 1, 0, 1, 0, 0, 1, 0]
SCORE = [0.9, 0.8, 0.8, 0.7, 0.4, 0.3, 0.3, 0.1]
ITEMS = {"truth": TRUTH, "score": SCORE}
TWO = {"truth": TRUTH, "good": SCORE, "bad": SCORE[::-1]}


def drawn(kind: str, data: Any = ITEMS, **options: Any) -> dict[str, Any]:
    return plot(kind, data, resamples=100, **options)


def test_gains_rise_from_nothing_to_everything_beside_the_diagonal() -> None:
    spec = drawn("gains")
    points = [(row["share"], row["gain"]) for row in spec["datasets"]["rows"]]
    assert points == [(0, 0), (0.125, 0.25), (0.375, 0.5), (0.5, 0.75), (0.625, 0.75), (0.875, 1), (1, 1)]
    assert spec["layer"][0]["data"]["values"] == [{"share": 0, "gain": 0}, {"share": 1, "gain": 1}]
    assert spec["datasets"]["rows"][0]["series"].startswith("score: gain(at=0.1) 0.2000 [0.")


def test_lift_ends_at_one() -> None:
    rows = drawn("lift")["datasets"]["rows"]
    assert [(row["share"], row["lift"]) for row in rows[:2]] == [(0.125, 2), (0.375, pytest.approx(4 / 3))]
    assert (rows[-1]["share"], rows[-1]["lift"]) == (1, 1)


def test_a_decision_curve_has_a_band_and_the_line_of_acting_on_all() -> None:
    data = drawn("net-benefit")["datasets"]
    at_half = next(row for row in data["rows"] if row["act_at"] == 0.5)
    assert at_half["benefit"] == pytest.approx(3 / 8 - 1 / 8)
    assert next(row for row in data["all"] if row["act_at"] == 0.5)["benefit"] == pytest.approx(0)
    band = {row["act_at"]: row for row in data["band"]}
    assert band[0.5]["low"] < at_half["benefit"] < band[0.5]["high"]
    assert 0.95 not in band  # nobody is acted on there, so nothing varies


def test_many_classifiers_have_curves_without_bands() -> None:
    many = {"truth": TRUTH, **{f"s{number}": SCORE for number in range(MAX_BANDS + 1)}}
    data = drawn("net-benefit", many, truth="truth", score=[name for name in many if name != "truth"])["datasets"]
    assert data["band"] == []
    assert {row["system"] for row in data["rows"]} == {name for name in many if name != "truth"}


def test_a_cost_curve_lies_below_the_triangle_of_constant_decisions() -> None:
    for row in drawn("cost")["datasets"]["rows"]:
        assert row["cost"] <= min(row["share"], 1 - row["share"]) + 1e-12


@pytest.mark.parametrize("kind", ["gains", "lift", "net-benefit", "cost"])
def test_several_classifiers_share_a_figure(kind: str) -> None:
    rows = drawn(kind, TWO, truth="truth", score=["good", "bad"])["datasets"]["rows"]
    assert {row["system"] for row in rows} == {"good", "bad"}
    assert len({row["series"] for row in rows}) == 2


def test_the_numbers_of_a_figure_are_a_table(tmp_path: Path) -> None:
    path = tmp_path / "curve.csv"
    drawn("net-benefit", output=path)
    lines = path.read_text().splitlines()
    assert lines[0] == "system,act_at,benefit,low,high,act_on_all"
    assert len(lines) == 1 + 99
    assert lines[-1] == "score,0.99,0.0,,," + lines[-1].rpartition(",")[2]
    drawn("gains", TWO, truth="truth", score=["good", "bad"], output=path)
    assert path.read_text().splitlines()[:2] == ["system,share,gain,threshold", "good,0.0,0.0,"]


def test_a_table_has_neither_a_size_nor_two_parts(tmp_path: Path) -> None:
    with pytest.raises(GermaneError, match=r"`size=` is not supported with \.csv"):
        drawn("gains", output=tmp_path / "curve.csv", size="column")
    with pytest.raises(GermaneError, match="a figure of two parts is not one table"):
        drawn("threshold", output=tmp_path / "curve.csv")


def test_a_decision_curve_of_other_scores_is_an_error() -> None:
    with pytest.raises(GermaneError, match="a decision curve needs probabilities"):
        drawn("net-benefit", {"truth": [0, 1, 1], "score": [-1.0, 2.0, 3.0]})
