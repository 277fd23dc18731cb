"""Figures as specs: what they show is what the library says, and every kind becomes every format."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import germane as ge
from germane.errors import GermaneError, MissingExtraError
from germane.output.plots.figures import WRITERS, write_figure
from germane.output.plots.kinds import PLOTS
from germane.output.plots.theme import DARK_PALETTE, LIGHT_PALETTE, config
from germane.output.reports.writing import plot

QRELS = {f"q{i}": {"d1": 1, "d2": 0, f"r{i}": 2} for i in range(6)}
OLD = {q: {"d2": 3.0, "d1": 2.0, "u": 1.0} for q in QRELS}
NEW = {q: {"d1": 3.0, "u": 2.0, f"r{i % 4}": 1.0} for i, q in enumerate(QRELS)}
RUNS = {"old": OLD, "new": NEW}
OF_RUNS = list(PLOTS)

MAGIC = {"svg": b"<svg", "png": b"\x89PNG", "pdf": b"%PDF", "html": b"<!DOCTYPE html>", "json": b"{", "csv": b"system,"}


def rows_of(spec: dict[str, Any]) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = spec["datasets"]["rows"]
    return rows


@pytest.mark.parametrize("kind", OF_RUNS)
def test_every_kind_becomes_a_drawing_without_a_warning(kind: str, capfd: pytest.CaptureFixture[str]) -> None:
    vl_convert = pytest.importorskip("vl_convert", reason="vl-convert-python is not installed")
    spec = plot(kind, QRELS, RUNS, "AP")
    assert rows_of(spec)
    svg = vl_convert.vegalite_to_svg({**spec, "config": config()}, show_warnings=True)
    assert "<svg" in svg
    assert capfd.readouterr().err == ""


@pytest.mark.parametrize("ending", WRITERS)
def test_a_figure_is_written_in_every_format(ending: str, tmp_path: Path) -> None:
    pytest.importorskip("vl_convert", reason="vl-convert-python is not installed")
    path = tmp_path / f"figure.{ending}"
    plot("leaderboard", QRELS, RUNS, "AP", output=path)
    assert path.read_bytes().startswith(MAGIC[ending])


def test_the_leaderboard_has_the_means_and_intervals_of_evaluate() -> None:
    scores = ge.evaluate(QRELS, RUNS, "AP", interval="t")
    rows = rows_of(plot("leaderboard", QRELS, RUNS, "AP"))
    assert [row["system"] for row in rows] == ["new", "old"]
    assert {row["system"]: row["mean"] for row in rows} == {run: means["AP"] for run, means in scores.mean().items()}
    assert scores.intervals is not None
    assert [row["low"] for row in rows] == [scores.intervals.low[1, 0], scores.intervals.low[0, 0]]
    assert [row["best"] for row in rows] == ["best", ""]


def test_where_lower_is_better_the_lowest_stands_first() -> None:
    rows = rows_of(plot("leaderboard", QRELS, RUNS, "E"))
    assert rows[0]["mean"] < rows[1]["mean"]
    assert rows[0]["best"] == "best"


def test_the_forest_says_what_a_filled_point_is() -> None:
    [_, interval, _] = plot("forest", QRELS, RUNS, "AP", baseline="old")["layer"]
    assert interval["encoding"]["x"]["title"][-1] == "filled: significant"


@pytest.mark.parametrize(("baseline", "sign"), [("old", 1), ("new", -1)])
def test_the_forest_has_the_differences_of_compare(baseline: str, sign: int) -> None:
    pair = ge.compare(ge.evaluate(QRELS, RUNS, "AP")).pairs[0]
    [row] = rows_of(plot("forest", QRELS, RUNS, "AP", baseline=baseline))
    assert row["difference"] == pytest.approx(sign * pair.difference)
    assert sorted([sign * row["low"], sign * row["high"]]) == pytest.approx([pair.low, pair.high])


def test_differences_are_sorted_and_the_second_less_the_first() -> None:
    scores = ge.evaluate(QRELS, RUNS, "AP")
    rows = rows_of(plot("differences", QRELS, RUNS, "AP"))
    gains = [row["difference"] for row in rows]
    assert gains == sorted(gains, reverse=True)
    by_hand = {q: scores["new", "AP"][q] - scores["old", "AP"][q] for q in QRELS}
    assert {row["query"]: row["difference"] for row in rows} == by_hand


@pytest.mark.parametrize("query", [None, "q1"])
def test_the_eleven_points_are_those_of_the_measure(query: str | None) -> None:
    scores = ge.evaluate(QRELS, RUNS, ["IPrec@0.5"])
    rows = rows_of(plot("iprec", QRELS, RUNS, "AP", query=query))
    assert len(rows) == 2 * 11
    half = {row["system"]: row["precision"] for row in rows if row["recall"] == 0.5}
    expected = {
        run: scores.mean()[run]["IPrec@0.5"] if query is None else scores[run, "IPrec@0.5"][query] for run in RUNS
    }
    assert half == expected


def test_the_full_curve_of_a_query_has_a_point_for_each_relevant_document_found() -> None:
    rows = rows_of(plot("pr", QRELS, RUNS, "AP", query="q1"))
    assert [(row["recall"], row["precision"]) for row in rows if row["system"] == "new"] == [(0.5, 1.0), (1.0, 2 / 3)]
    assert [(row["recall"], row["precision"]) for row in rows if row["system"] == "old"] == [(0.5, 0.5)]


def test_few_points_have_marks_and_many_do_not() -> None:
    few, many = plot("pr", QRELS, RUNS, "AP", query="q1"), plot("pr", QRELS, RUNS, "AP")
    assert [spec["layer"][1]["mark"]["point"] for spec in (few, many)] == [True, False]


def test_the_spec_as_json_holds_no_nan(tmp_path: Path) -> None:
    one = {"q0": QRELS["q0"]}  # one query: no interval
    path = tmp_path / "figure.json"
    write_figure(plot("leaderboard", one, {"q0": OLD["q0"]}, "AP"), path)
    assert json.loads(path.read_text())["datasets"]["rows"][0]["low"] is None


@pytest.mark.parametrize(
    ("kind", "runs", "message"),
    [
        ("scatter", RUNS, "unknown plot 'scatter'"),
        ("differences", {"old": OLD}, "expected two runs"),
        ("forest", {"old": OLD}, "Only one system was evaluated"),
    ],
)
def test_what_cannot_be_drawn_is_said(kind: str, runs: Any, message: str) -> None:
    with pytest.raises(GermaneError, match=message):
        plot(kind, QRELS, runs, "AP")


def test_an_unknown_ending_is_said(tmp_path: Path) -> None:
    with pytest.raises(GermaneError, match=r"\.svg, \.png, \.pdf, \.html, \.json"):
        write_figure(plot("distribution", QRELS, RUNS, "AP"), tmp_path / "figure.gif")


def test_without_the_library_that_draws_the_extra_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setitem(__import__("sys").modules, "vl_convert", None)
    with pytest.raises(MissingExtraError, match=r"germane\[report\]"):
        plot("leaderboard", QRELS, RUNS, "AP", output=tmp_path / "figure.svg")


def contrast(one: str, other: str) -> float:
    """As the WCAG defines it."""

    def luminance(colour: str) -> float:
        parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
        linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    light, dark = sorted([luminance(one), luminance(other)], reverse=True)
    return (light + 0.05) / (dark + 0.05)


@pytest.mark.parametrize(("palette", "paper"), [(LIGHT_PALETTE, "#fdfdfc"), (DARK_PALETTE, "#16181d")])
def test_every_colour_stands_out_from_the_page(palette: tuple[str, ...], paper: str) -> None:
    assert [colour for colour in palette if contrast(colour, paper) < 3] == []


def test_the_law_of_contrast_catches_yellow_on_white() -> None:
    assert contrast("#f0e442", "#fdfdfc") < 3


@pytest.mark.parametrize("dark", [False, True])
def test_every_label_of_an_axis_stands_at_its_line(dark: bool) -> None:
    axis = config(dark=dark)["axis"]
    assert (axis["labelBound"], axis["labelFlush"]) == (False, False)
