"""Figures and the page on predicted numbers: what their specs hold, that they can be drawn, and that the page opens."""

from __future__ import annotations

import html
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

import germane as ge
from germane.api.reports.decisions import decision_numbers
from germane.cli import group
from germane.errors import GermaneError
from germane.output.plots.kinds import NUMBER_PLOTS
from germane.output.reports.classification_page import _overview
from germane.output.reports.regression_rows import MAX_POINTS
from germane.output.reports.writing import plot, report
from tests.output.browsers import Opened, chromium

HOUSES: dict[str, Any] = {
    "truth": [210.0, 180, 340],
    "linear": [225.0, 171, 310],
    "forest": [214.0, 183, 331],
    "low": [190.0, 165, 300],
    "high": [240.0, 179, 352],
}
MODELS: dict[str, Any] = {"task": "regression", "predicted": ["linear", "forest"]}
QUANTILES: dict[str, Any] = {"task": "regression", "predicted": "forest", "quantiles": {0.1: "low", 0.9: "high"}}


@pytest.mark.parametrize("kind", NUMBER_PLOTS)
@pytest.mark.parametrize("ending", ["svg", "json", "html"])
def test_every_kind_is_drawn(kind: str, ending: str, tmp_path: Path) -> None:
    pytest.importorskip("vl_convert", reason="vl-convert-python is not installed")
    path = tmp_path / f"figure.{ending}"
    plot(kind, HOUSES, output=path, **QUANTILES)
    start = {"svg": b"<svg", "json": b"{", "html": b"<!DOCTYPE html>"}[ending]
    assert path.read_bytes().startswith(start)


def test_predictions_are_drawn_against_true_values_on_equal_axes() -> None:
    spec = plot("predicted", HOUSES, **MODELS)
    rows = spec["datasets"]["rows"]
    assert len(rows) == 6
    assert rows[3] == {"system": "forest", "row": 1, "truth": 210.0, "predicted": 214.0, "error": 4.0}
    assert spec["layer"][0]["data"]["values"] == [{"truth": end, "predicted": end} for end in (171.0, 340.0)]
    domains = [spec["layer"][1]["encoding"][axis]["scale"]["domain"] for axis in "xy"]
    assert domains == [[171.0, 340.0]] * 2
    assert spec["layer"][1]["encoding"]["shape"]["scale"]["domain"] == ["linear", "forest"]


def test_errors_are_predicted_less_true_around_a_line_at_0() -> None:
    spec = plot("residuals", ge.classify(HOUSES["truth"], HOUSES["linear"], task="regression"))
    assert [row["error"] for row in spec["datasets"]["rows"]] == [15.0, -9.0, -30.0]
    assert spec["layer"][0]["encoding"] == {"y": {"datum": 0}}
    assert "color" not in spec["layer"][1]["encoding"], "a single model needs no legend"


def test_quantiles_are_drawn_with_what_lies_below_them() -> None:
    found = ge.classify(HOUSES, **QUANTILES)
    rows = plot("quantiles", found)["datasets"]["rows"]
    assert [(row["quantile"], row["observed"]) for row in rows] == [(0.1, 0.0), (0.9, 2 / 3)]
    estimate = found["quantile_coverage(quantile=0.9)"]
    assert (rows[1]["low"], rows[1]["high"]) == (estimate.low, estimate.high)


def test_of_many_items_a_sample_is_drawn_which_the_page_says(tmp_path: Path) -> None:
    pytest.importorskip("vl_convert", reason="vl-convert-python is not installed")
    truth = np.arange(MAX_POINTS + 500.0)
    spec = plot("residuals", truth, y_pred=truth + 1, task="regression")
    assert len(spec["datasets"]["rows"]) == MAX_POINTS
    report(truth, y_pred=truth + 1, output=tmp_path / "page.html", task="regression")
    assert '"num_drawn":2000' in (tmp_path / "page.html").read_text()


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: plot("roc", HOUSES, **MODELS), "requires one table of labelled items, found predicted numbers"),
        (lambda: plot("residuals", HOUSES), "a figure of kind residuals requires predicted numbers, found one file"),
        (lambda: plot("quantiles", HOUSES, **MODELS), "needs quantiles, found none"),
        (
            lambda: plot("residuals", HOUSES, task="regression", quantiles={0.1: "low"}),
            "a figure of kind residuals needs predictions, found only quantiles",
        ),
        (lambda: report(HOUSES, output="x.html", rules=["youden"], **MODELS), "`rules=` requires scores"),
    ],
)
def test_what_cannot_be_drawn_says_why(call: Any, said: str) -> None:
    with pytest.raises(GermaneError, match=said):
        call()


def test_a_command_writes_the_page_with_figures_tables_and_the_comparison(tmp_path: Path) -> None:
    pytest.importorskip("vl_convert", reason="vl-convert-python is not installed")
    data, page = tmp_path / "houses.csv", tmp_path / "page.html"
    rows = zip(*HOUSES.values(), strict=True)
    data.write_text(",".join(HOUSES) + "\n" + "".join(f"{','.join(map(str, row))}\n" for row in rows))
    models = ["--predicted", "linear", "--predicted", "forest", "--test", "sign", "-m", "MAE", "--baseline", "forest"]
    done = CliRunner().invoke(group, ["report", str(data), "--task", "regression", *models, "-o", str(page)])
    assert done.exception is None, done.output
    text = page.read_text()
    headings = re.findall(r"<h2[^>]*>([^<]*)", text)
    assert headings[:5] == ["Overview", "Predictions and errors", "Measures with confidence intervals",
                        "Differences between models", "Methods"]  # fmt: skip
    assert html.unescape(re.findall(r"<title>([^<]*)", text)[0]) == "Regression report"
    plain = ["report", str(data), "--predicted", "linear", "--baseline", "x", "-o", str(page)]
    assert "--baseline requires QRELS and RUN" in str(CliRunner().invoke(group, plain).exception)


@pytest.mark.slow
@pytest.mark.parametrize(("options", "figures"), [(MODELS, 3), (QUANTILES, 3)], ids=["models", "quantiles"])
def test_it_opens_offline_without_a_word_and_draws_its_figures(
    options: dict[str, Any], figures: int, tmp_path: Path
) -> None:
    path = tmp_path / "page.html"
    with chromium() as browser:
        report(HOUSES, output=path, **options)
        opened = Opened(browser, path, width=390)
        assert opened.said == []
        assert opened.page.locator("figure .drawing svg").count() == figures
        assert "Model" in opened.page.locator("#overview th").first.inner_text()
        wider = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
        assert opened.page.evaluate(wider) == 0
        opened.close()


@pytest.mark.parametrize(
    ("options", "title", "called"),
    [
        ({"task": "clusters", "predicted": ["k", "other"], "truth": "truth"}, "Clustering report", "Clustering"),
        ({"task": "densities", "score": ["k", "other"]}, "Density report", "Density estimate"),
    ],
    ids=["clusters", "densities"],
)
def test_clusters_and_densities_have_a_page_of_their_measures(
    options: dict[str, Any], title: str, called: str, tmp_path: Path
) -> None:
    pytest.importorskip("vl_convert", reason="vl-convert-python is not installed")
    data = {"truth": [1, 1, 2, 2], "k": [1, 1, 2, 2], "other": [1, 2, 2, 2]}
    report(data, output=tmp_path / "page.html", **options)
    assert f"<title>{title}</title>" in (tmp_path / "page.html").read_text()
    found = ge.classify(data, **options)
    numbers = decision_numbers(found)
    assert _overview(numbers, title)["called"] == called
