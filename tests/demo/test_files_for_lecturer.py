"""The lecturer's files give the numbers that the lectures print."""

from __future__ import annotations

from pathlib import Path

import pytest

import germane as ge
from germane.demo.files_for_lecturer import make


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("lecturer")
    make(made)
    return made


IN_THE_LECTURES = [
    # qrels         run            measure      value  where
    ("qrels.txt", "system1.run", "AP", 0.57, "003, the exercise"),
    ("qrels.txt", "system2.run", "AP", 0.54, "003, the exercise"),
    ("qrels.txt", "system1.run", "RR", 0.83, "003, the exercise"),
    ("qrels.txt", "system1.run", "R@5", 0.89, "003, the exercise"),
    ("qrels.txt", "system1.run", "Rprec", 0.56, "003, the exercise"),
    ("curve.qrels", "curve.run", "Rprec", 0.67, "004, R-precision"),
    ("graded.qrels", "graded.run", "nDCG@10", 0.49, "001, 2.4"),
    ("graded.qrels", "graded.run", "DCG@10", 5.88, "001, 2.4"),
    ("graded.qrels", "graded.run", "nCG@10", 0.50, "001, 2.4"),
]


@pytest.mark.parametrize(("qrels", "run", "measure", "value", "where"), IN_THE_LECTURES)
def test_rankings(folder: Path, qrels: str, run: str, measure: str, value: float, where: str) -> None:
    scores = ge.evaluate(str(folder / qrels), str(folder / run), measure)
    assert next(iter(scores.mean().values()))[measure] == pytest.approx(value, abs=0.005), where


def test_the_judges_agree_as_in_lecture_004(folder: Path) -> None:
    found = ge.agree([str(folder / "judges.csv")], resamples=100)
    assert found["kappa_pooled"] == pytest.approx(0.776, abs=0.0005)


def test_the_orders_correlate_as_in_lecture_003(folder: Path) -> None:
    from germane.stats.rankings.coefficients import COEFFICIENTS

    orders = [
        [line.split()[2] for line in (folder / name).read_text().splitlines()] for name in ("ideal.run", "system.run")
    ]
    assert COEFFICIENTS.parse("spearman")(*orders) == pytest.approx(0.883, abs=0.0005)


def test_the_threshold_of_lecture_001(folder: Path) -> None:
    assert ge.threshold(str(folder / "roc.csv"), "accuracy", resamples=100).threshold == 0.54
