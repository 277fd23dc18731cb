"""Figures on classifiers: what is in their specs, what a reader's thresholds leave out, and that they can be drawn."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

from germane.api.decisions.classification import classify
from germane.api.reports.decisions import decision_numbers, excerpt
from germane.api.reports.scores import STEPS, ScoreView
from germane.cli import group
from germane.errors import GermaneError
from germane.measures.decisions.scores.roc import roc_curve
from germane.output.plots.kinds import DECISION_PLOTS
from germane.output.reports.classification_page import classification_page
from germane.output.reports.writing import plot, report
from germane.tables.decisions.decisions import Decisions

TRUTH = [1, 1, 0, 1, 0, 0, 1, 0]
SCORE = [0.9, 0.8, 0.8, 0.7, 0.4, 0.3, 0.3, 0.1]
ITEMS = {"truth": TRUTH, "score": SCORE}
PLACES = {".1": 0.001, ".2": 0.002, ".5": 0.005, "1": 0.01, "2": 0.02, "5": 0.05, "10": 0.1, "20": 0.2, "40": 0.4}


def drawn(kind: str, data: Any = ITEMS, **options: Any) -> dict[str, Any]:
    return plot(kind, data, resamples=100, **options)


@pytest.mark.parametrize("kind", DECISION_PLOTS)
@pytest.mark.parametrize("ending", ["svg", "pdf", "png", "json", "html"])
def test_every_kind_is_drawn_in_every_format(kind: str, ending: str, tmp_path: Path) -> None:
    pytest.importorskip("vl_convert", reason="vl-convert-python is not installed")
    path = tmp_path / f"figure.{ending}"
    plot(kind, ITEMS, output=path, resamples=100)
    start = {"svg": b"<svg", "pdf": b"%PDF", "png": b"\x89PNG", "json": b"{", "html": b"<!DOCTYPE html>"}[ending]
    assert path.read_bytes().startswith(start)


def test_a_roc_curve_has_equal_axes_chance_hull_and_the_area_with_its_interval() -> None:
    spec = drawn("roc")
    assert spec["width"] == spec["height"]
    points = [(row["fpr"], row["tpr"]) for row in spec["datasets"]["rows"]]
    curve = roc_curve(Decisions.of(np.asarray(TRUTH) == 1, SCORE))
    assert points == list(zip(curve.fpr.tolist(), curve.tpr.tolist(), strict=True))
    assert spec["layer"][0]["data"]["values"] == [{"fpr": 0, "tpr": 0}, {"fpr": 1, "tpr": 1}]
    assert [(row["fpr"], row["tpr"]) for row in spec["datasets"]["hull"]] == [
        (0, 0),
        (0, 0.25),
        (0.25, 0.75),
        (0.75, 1),
        (1, 1),
    ]
    assert spec["datasets"]["rows"][0]["series"].startswith("score: AUC 0.7500 [0.")


def test_precision_is_drawn_in_steps_with_contours_and_prevalence() -> None:
    spec = drawn("pr")
    steps = [layer for layer in spec["layer"] if layer["mark"].get("interpolate") == "step-before"]
    assert len(steps) == 2
    assert spec["datasets"]["baseline"] == [{"precision": 0.5}]
    first, second = spec["datasets"]["rows"][:2]
    assert (first["recall"], first["precision"]) == (0, second["precision"])
    for row in spec["datasets"]["contours"]:
        harmonic = 2 * row["recall"] * row["precision"] / (row["recall"] + row["precision"])
        assert harmonic == pytest.approx(row["F1"])


def test_a_det_plot_has_probit_axes_whose_ticks_are_named() -> None:
    from scipy.special import ndtri

    rng = np.random.default_rng(0)
    truth = rng.random(400) < 0.5
    spec = drawn("det", {"truth": truth.astype(int), "score": rng.normal(size=400) + 3 * truth})
    axis = spec["layer"][-1]["encoding"]["x"]["axis"]
    assert axis["values"] == pytest.approx([float(ndtri(share)) for share in PLACES.values()])
    assert axis["labelExpr"].startswith(str(list(PLACES)))
    assert axis["tickCount"] == len(PLACES)
    for row in spec["datasets"]["rows"]:
        assert row["x"] == pytest.approx(float(ndtri(row["FPR"])))
        assert row["y"] == pytest.approx(float(ndtri(row["FNR"])))
    assert all(point["x"] == point["y"] for point in spec["layer"][0]["data"]["values"])


def test_a_det_plot_of_a_bad_classifier_has_wider_axes() -> None:
    good, bad = (drawn("det", {"truth": TRUTH, "score": score})["layer"][-1] for score in (SCORE, SCORE[::-1]))
    assert bad["encoding"]["x"]["scale"]["domain"][1] > good["encoding"]["x"]["scale"]["domain"][1]


def test_densities_cover_the_share_of_their_class() -> None:
    rows = drawn("threshold")["datasets"]["rows"]
    for side, share in (("1", 0.5), ("0", -0.5)):
        area = sum((row["end"] - row["start"]) * row["density"] for row in rows if row["side"] == side)
        assert area == pytest.approx(share)


def test_calibration_has_a_band_and_every_item_in_its_histogram() -> None:
    spec = drawn("calibration")
    assert sum(row["count"] for row in spec["datasets"]["lower-rows"]) == len(TRUTH)
    assert all(row["low"] <= row["high"] for row in spec["datasets"]["band"])
    fitted = [row["fitted"] for row in spec["datasets"]["rows"]]
    assert fitted == sorted(fitted)


def test_a_confusion_matrix_has_counts_percent_totals_and_outlines() -> None:
    data = {"truth": list("aaabbbccdd"), "prediction": list("aabbbacddc")}
    spec = drawn("confusion", data)
    cells = {(row["truth"], row["predicted"]): row for row in spec["datasets"]["rows"]}
    assert (cells["a", "a"]["above"], cells["a", "a"]["percent"]) == ("2", "67%")
    assert cells["a", "c"]["alone"] == "0"
    assert cells["a", "total"]["alone"] == "3"
    assert cells["total", "total"]["alone"] == "10"
    assert spec["datasets"]["outlines"] == [{"start": 0, "end": 1}, {"start": 2, "end": 3}]


@pytest.mark.parametrize(("names", "angle"), [("0123456789", 0), (["benign", "malignant, of unknown origin"], -40)])
def test_class_names_that_are_wider_than_a_cell_are_slanted(names: Any, angle: int) -> None:
    spec = drawn("confusion", {"truth": list(names), "predicted": list(names)})
    assert spec["encoding"]["x"]["axis"]["labelAngle"] == angle


def test_a_file_name_of_no_known_format_is_an_error_before_the_work(tmp_path: Path) -> None:
    with pytest.raises(GermaneError, match=r"expected one of the file extensions \.svg"):
        plot("roc", tmp_path / "is_not_there.csv", output=tmp_path / "figure.jpg")


def test_of_many_classes_a_figure_shows_the_most_confused_and_gathers_the_rest() -> None:
    rng = np.random.default_rng(2)
    truth = rng.integers(0, 60, 3000)
    predicted = np.where((truth < 10) & (rng.random(3000) < 0.5), truth ^ 1, truth)
    numbers = decision_numbers(classify({"truth": truth, "prediction": predicted}, resamples=100))
    part = excerpt(numbers.performances[0], most=10)
    assert set(part.confusion.labels) == {*range(10), "other classes"}
    assert part.confusion.total == 3000
    assert part.left_out == 50


@pytest.mark.parametrize(
    ("kind", "data", "said"),
    [
        ("roc", {"truth": [0, 1], "prediction": [0, 1]}, "needs scores, found none"),
        ("calibration", {"truth": [0, 1, 1], "score": [-1.0, 2.0, 3.0]}, "calibration needs probabilities"),
        (
            "confusion",
            {"truth": [0, 1, 1], "score": [-1.0, 2.0, 3.0]},
            "needs predicted labels or a threshold, found neither",
        ),
        ("iprec", ITEMS, "requires judgments and at least one run"),
        ("rok", ITEMS, "unknown plot 'rok'; did you mean roc?"),
    ],
)
def test_what_cannot_be_drawn_says_why(kind: str, data: dict[str, Any], said: str) -> None:
    with pytest.raises(GermaneError, match=said.replace("?", r"\?")):
        drawn(kind, data)


def test_one_figure_of_two_scores_asks_which() -> None:
    with pytest.raises(GermaneError, match="shows one column of scores, found 2"):
        drawn("density", {"truth": TRUTH, "a": SCORE, "b": TRUTH}, score=["a", "b"], truth="truth")


def test_options_of_the_other_kind_are_refused(tmp_path: Path) -> None:
    data = tmp_path / "data.csv"
    data.write_text("truth,score\n" + "".join(f"{t},{s}\n" for t, s in zip(TRUTH, SCORE, strict=True)))
    found = CliRunner().invoke(group, ["report", str(data), "--baseline", "x", "-o", str(tmp_path / "page.html")])
    assert "--baseline requires QRELS and RUN" in str(found.exception)
    found = CliRunner().invoke(group, ["plot", "pr", "qrels", "run", "--score", "x", "-o", str(tmp_path / "x.svg")])
    assert "--score requires labelled items" in str(found.exception)


def left_out_too_far(view: ScoreView, kept: Any) -> int:
    """Thresholds that lie a step or more from the nearest kept one before them, in either rate."""
    curve = roc_curve(view.decisions)
    before = kept[np.searchsorted(kept, np.arange(len(curve.fpr)), side="right") - 1]
    far = (curve.fpr - curve.fpr[before] >= 1 / STEPS) | (curve.tpr - curve.tpr[before] >= 1 / STEPS)
    return int(far.sum())


def made_view(size: int) -> ScoreView:
    rng = np.random.default_rng(3)
    truth = rng.random(size) < 0.1
    score = 1 / (1 + np.exp(-rng.normal(size=size) - 2 * truth))
    return decision_numbers(classify({"truth": truth, "score": score}, positive=True)).views[0]


def test_what_is_left_out_lies_within_the_stated_bound_and_counts_are_exact() -> None:
    view = made_view(60_000)
    assert len(view.places) < 5000
    assert left_out_too_far(view, view.places) == 0
    assert left_out_too_far(view, view.places[::4]) > 0  # a coarser choice breaks the bound
    for threshold, tp, fp in zip(
        view.stops.thresholds[::97], view.stops.true_positives[::97], view.stops.false_positives[::97], strict=True
    ):
        cells = view.decisions.at(threshold)
        assert (tp, fp) == (cells.TP, cells.FP)
    for choice in view.choices.values():
        for point in choice.points:
            place = view.stops.place(point.threshold)
            assert view.stops.thresholds[place] == point.threshold


def test_a_page_on_many_scores_stays_small() -> None:
    pytest.importorskip("vl_convert", reason="vl-convert-python is not installed")
    rng = np.random.default_rng(3)
    truth = rng.random(200_000) < 0.1
    numbers = decision_numbers(classify({"truth": truth, "score": rng.normal(size=200_000) + truth}, positive=True))
    assert len(classification_page(numbers)) < 1_500_000


def test_a_matrix_alone_makes_a_page(tmp_path: Path) -> None:
    pytest.importorskip("vl_convert", reason="vl-convert-python is not installed")
    data = tmp_path / "matrix.csv"
    data.write_text(",cat,dog\ncat,5,3\ndog,2,3\n")
    report(data, matrix=True, output=tmp_path / "page.html", resamples=100)
    assert 'id="confusion"' in (tmp_path / "page.html").read_text(encoding="utf-8")
