"""The demonstration with pictures: what the features are, what they score, and what the page shows."""

import re
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

pytest.importorskip("sklearn", reason="the pictures come with scikit-learn: pip install 'germane[learn]'")

from germane.cli import group
from germane.demo.digits import DigitsComparison, compare_features, gradients, pixels, projections, read_digits
from germane.errors import GermaneError
from germane.output.reports.pictures import definitions, picture_row
from germane.output.reports.pictures_page import SHOWN, pictures_page


@pytest.fixture(scope="module")
def result() -> DigitsComparison:
    return compare_features(read_digits())


def test_projections_of_a_corner() -> None:
    picture = np.zeros((1, 3, 3))
    picture[0, 0, 2] = 5
    rows, columns, falling, rising = np.split(projections(picture)[0], [3, 6, 11])
    assert rows.tolist() == [5, 0, 0]
    assert columns.tolist() == [0, 0, 5]
    assert falling.tolist() == [5, 0, 0, 0, 0]
    assert rising.tolist() == [0, 0, 5, 0, 0]


def test_the_gradient_of_a_ramp_has_one_direction() -> None:
    ramp = np.tile(np.arange(8.0), (1, 8, 1))
    to_the_right = gradients(ramp).reshape(9, 8)
    assert np.flatnonzero(to_the_right.any(axis=0)).tolist() == [0]
    assert to_the_right[:, 0].tolist() == [16] * 9, "steepness 1 in each of 4 × 4 pixels"
    downwards = gradients(ramp.transpose(0, 2, 1)).reshape(9, 8)
    assert np.flatnonzero(downwards.any(axis=0)).tolist() == [2]


def test_every_picture_is_a_query_and_no_picture_finds_itself(result: DigitsComparison) -> None:
    assert len(result.scores.queries) == len(result.collection.digit) == 1797
    for neighbours in result.neighbours:
        assert neighbours.shape == (1797, 10)
        assert not (neighbours == np.arange(1797)[:, None]).any()


def test_average_precision_of_the_pixels_is_that_of_a_full_sort(result: DigitsComparison) -> None:
    vectors = pixels(result.collection.pictures).astype(np.float64)
    vectors /= np.linalg.norm(vectors, axis=1)[:, None]
    digit = result.collection.digit
    for query in (0, 1000, 1796):
        others = np.delete(np.arange(1797), query)
        ranked = others[np.argsort(-(vectors[others] @ vectors[query]), kind="stable")]
        relevant = digit[ranked] == digit[query]
        precision = np.cumsum(relevant) / np.arange(1, 1797)
        assert result.scores["pixels", "AP"][str(query)] == pytest.approx(precision[relevant].mean(), abs=1e-3)


def test_first_neighbours_and_precision_at_one_agree(result: DigitsComparison) -> None:
    digit = result.collection.digit
    for feature, neighbours in zip(result.features, result.neighbours, strict=True):
        right = digit[neighbours[:, 0]] == digit
        assert result.scores.mean()[feature.name]["P@1"] == pytest.approx(right.mean())
        assert right.mean() > 0.97, "ten times as good as chance"


def test_the_page_shows_the_worst_and_the_best_of_each_feature(result: DigitsComparison) -> None:
    pytest.importorskip("vl_convert", reason="a page brings its script from vl-convert: pip install 'germane[report]'")
    page = pictures_page(result)
    shown = set(re.findall(r'href="#picture-(\d+)"', page))
    assert shown == set(re.findall(r'<symbol id="picture-(\d+)"', page)), "every picture that is shown is there, once"
    for feature in result.features:
        values = result.scores[feature.name, "AP"]
        ordered = sorted(values, key=values.__getitem__)
        for query in (*ordered[:SHOWN], *ordered[-SHOWN:]):
            assert f"picture {query}: AP {values[query]:.3f}" in page
    assert "://" not in re.sub(r"<script.*?</script>|<!--.*?-->", "", page, flags=re.S), "nothing is fetched"


def test_right_and_wrong_are_marked() -> None:
    row = picture_row(3, [5, 7], [True, False], 20, "a <3>")
    assert (row.count("✓"), row.count("✕"), row.count("stroke-dasharray")) == (1, 1, 1)
    assert "a &lt;3&gt;" in row
    assert definitions(np.eye(2)[None] * 8, [0], 16).count('fill-opacity="0.5" d="M0 0h1v1h-1zM1 1h1v1h-1z"') == 1


def test_the_command_writes_the_page(tmp_path: Path) -> None:
    pytest.importorskip("vl_convert", reason="a page brings its script from vl-convert: pip install 'germane[report]'")
    done = CliRunner().invoke(group, ["demo", "--images", str(tmp_path / "digits.html")], catch_exceptions=False)
    assert done.exit_code == 0
    assert str(tmp_path / "digits.html") in done.output
    assert "gradients" in done.output
    assert (tmp_path / "digits.html").stat().st_size > 100_000


def test_one_demonstration_at_a_time(tmp_path: Path) -> None:
    both = ["demo", "--images", str(tmp_path / "a.html"), "--tutorial", "exercise"]
    refused = CliRunner().invoke(group, both)
    assert isinstance(refused.exception, GermaneError)
