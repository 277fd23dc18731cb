"""Figures for a column, a page or a slide: as large as asked, with text as large as promised, and nothing cut."""

from __future__ import annotations

import re
import struct
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

from germane.cli import group
from germane.errors import GermaneError
from germane.output.plots.figures import as_pdf, as_png, as_svg, fit_size, vl_convert, with_config
from germane.output.plots.kinds import DECISION_PLOTS, PLOTS
from germane.output.plots.sizes import SIZES, size_of
from germane.output.reports.writing import plot

pytest.importorskip("vl_convert", reason="vl-convert-python is not installed")

RNG = np.random.default_rng(4)
TRUTH = RNG.random(120) < 0.4
LATENT = RNG.normal(size=120) + 2 * TRUTH
ITEMS = {
    "truth": np.where(TRUTH, "positive", "negative"),
    "logistic regression": np.round(1 / (1 + np.exp(1 - LATENT)), 3),
}
QRELS = {f"q{i}": {f"d{j}": int(RNG.random() < 0.4) for j in range(8)} for i in range(12)}
RUNS = {name: {q: {d: float(RNG.random()) for d in QRELS[q]} for q in QRELS} for name in ("BM25", "dense retriever")}
KINDS = [("runs", kind) for kind in PLOTS] + [("items", kind) for kind in DECISION_PLOTS]


def drawn(source: str, kind: str, **options: Any) -> dict[str, Any]:
    if source == "runs":
        return plot(kind, QRELS, RUNS, "AP", **options)
    return plot(kind, ITEMS, truth="truth", score="logistic regression", positive="positive", resamples=100, **options)


def inches_of(svg: str) -> tuple[float, float]:
    found = re.search(r'width="([\d.]+)in" height="([\d.]+)in"', svg)
    assert found is not None
    return float(found[1]), float(found[2])


def text_points(svg: str) -> set[float]:
    """Sizes of text when printed, in points."""
    box = re.search(r'viewBox="\S+ \S+ (\S+) ', svg)
    assert box is not None
    inches_per_pixel = inches_of(svg)[0] / float(box[1])
    return {float(size) * inches_per_pixel * 72 for size in re.findall(r'font-size="([\d.]+)px"', svg)}


def cut_off(spec: dict[str, Any]) -> float:
    """Pixels by which what is drawn is wider than the paper."""
    svg = vl_convert().vegalite_to_svg(with_config(spec))
    width = float(re.search(r'width="([\d.]+)"', svg)[1])  # type: ignore[index]
    size = spec["usermeta"]["size"]
    return float(width - size["width"] * size["pixels"])


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize(("source", "kind"), KINDS)
def test_every_kind_has_the_size_that_is_asked_for(source: str, kind: str, size: str) -> None:
    spec = drawn(source, kind, size=size)
    svg = as_svg(spec)
    width, height = inches_of(svg)
    assert width == pytest.approx(SIZES[size].width)
    assert height == pytest.approx(SIZES[size].height) if SIZES[size].height else height < 9.5
    assert cut_off(spec) <= 1


@pytest.mark.parametrize(("size", "points"), [("column", 8), ("page", 9), ("slide", 18)])
def test_labels_are_as_large_as_promised_when_printed(size: str, points: float) -> None:
    sizes = text_points(as_svg(drawn("runs", "iprec", size=size)))
    assert [points] == pytest.approx(list(sizes))


def test_the_law_of_text_catches_a_figure_that_is_only_scaled_down() -> None:
    svg = as_svg(drawn("runs", "iprec"))
    shrunk = re.sub(r'width="([\d.]+)" height="([\d.]+)"', 'width="3.3in" height="2in"', svg, count=1)
    assert max(text_points(shrunk)) < 7


def test_pixels_and_points_of_files() -> None:
    column, slide, pixels = (drawn("runs", "pr", size=size) for size in ("column", "slide", "640x480px"))
    assert struct.unpack(">II", as_png(column)[16:20] + as_png(slide)[16:20]) == (990, 1920)
    assert struct.unpack(">II", as_png(pixels)[16:24]) == (640, 480)
    box = re.search(rb"MediaBox \[0 0 ([\d.]+)", as_pdf(column))
    assert box is not None
    assert float(box[1]) == pytest.approx(3.3 * 72, abs=0.01)


def test_equal_axes_stay_equal() -> None:
    for size in ("column", "page", "slide", "8x3"):
        spec = drawn("items", "roc", size=size)
        assert spec["width"] == pytest.approx(spec["height"])


@pytest.mark.parametrize("size", [None, "column", "slide"])
@pytest.mark.parametrize("kind", ["leaderboard", "forest", "distribution", "iprec"])
def test_long_names_are_wrapped_and_not_cut(kind: str, size: str | None) -> None:
    long = "a system with quite a long descriptive name (tuned)"
    text = re.sub(
        "<[^>]+>",
        " ",
        as_svg(plot(kind, QRELS, {long: RUNS["BM25"], "BM25": RUNS["dense retriever"]}, "AP", size=size)),
    )
    assert long in " ".join(text.split())
    assert "…" not in text


def test_long_titles_are_wrapped() -> None:
    spec = drawn("runs", "forest", size="column")
    lines = spec["layer"][1]["encoding"]["x"]["title"]
    assert max(map(len, lines)) < max(map(len, drawn("runs", "forest")["layer"][1]["encoding"]["x"]["title"]))


def test_what_leaves_no_room_for_the_figure_is_said() -> None:
    with pytest.raises(GermaneError, match=r"does not fit 1 × 1 inches.*\n*.*larger size"):
        fit_size(drawn("runs", "leaderboard"), "1x1")


@pytest.mark.parametrize("size", ["0.5x0.5", "0.01x0.01", "20x0.1"])
@pytest.mark.parametrize(("source", "kind"), KINDS)
def test_a_tiny_size_is_refused_and_never_a_crash(source: str, kind: str, size: str) -> None:
    with pytest.raises(GermaneError, match="does not fit"):
        fit_size(drawn(source, kind), size)


def test_cells_of_a_heat_map_are_legible_or_the_figure_is_refused() -> None:
    truth = [f"class {i % 18}" for i in range(360)]
    items = {"truth": truth, "prediction": [*truth[1:], truth[0]]}
    with pytest.raises(GermaneError, match=r"does not fit 3\.3 inches"):
        plot("confusion", items, size="column", resamples=100)
    spec = plot("confusion", items, size="page", resamples=100)
    cell = spec["width"] / 19
    assert cell >= 20
    assert max(layer["mark"]["fontSize"] for layer in spec["layer"] if layer["mark"]["type"] == "text") <= cell / 2.4


def test_a_long_legend_stands_beside_a_slide() -> None:
    runs = {f"run{i}": RUNS["BM25"] for i in range(9)}
    spec = plot("iprec", QRELS, runs, "AP", size="slide")
    assert spec["height"] > 200
    assert spec["config"]["legend"]["orient"] == "right"


@pytest.mark.parametrize("text", ["colum", "3", "0x3", "3x", "-3x2", "3x2cm", "3×2x", ""])
def test_what_is_not_a_size_is_refused(text: str) -> None:
    with pytest.raises(GermaneError, match="expected a figure size"):
        size_of(text)


def test_a_size_on_the_command_line(tmp_path: Path) -> None:
    qrels, run, figure = (tmp_path / name for name in ("qrels.txt", "a.run", "figure.svg"))
    qrels.write_text("1 0 d1 1\n1 0 d2 0\n2 0 d1 1\n")
    run.write_text("1 Q0 d1 1 2 a\n1 Q0 d2 2 1 a\n2 Q0 d1 1 1 a\n")
    found = CliRunner().invoke(group, ["plot", "pr", str(qrels), str(run), "--size", "column", "-o", str(figure)])
    assert found.exit_code == 0, found.output
    assert inches_of(figure.read_text())[0] == pytest.approx(3.3)


@pytest.mark.parametrize("kind", ["differences", "iprec", "pr", "forest"])
def test_figures_name_the_systems(kind: str) -> None:
    text = re.sub("<[^>]+>", " ", as_svg(drawn("runs", kind)))
    assert {name for name in RUNS if name in text} == set(RUNS)
    assert re.search(r"\b[AB] is better|\([AB]\)", text) is None


def test_many_curves_are_all_in_the_legend() -> None:
    runs = {f"run{i}": RUNS["BM25"] for i in range(15)}
    text = re.sub("<[^>]+>", " ", as_svg(plot("iprec", QRELS, runs, "AP")))
    assert sum(f" run{i} " in text for i in range(15)) == 12
    assert " others " in text
    assert " others " not in re.sub("<[^>]+>", " ", as_svg(drawn("runs", "iprec")))
