"""NIST's published table of TREC-COVID round 1, reproduced by the native measures."""

import csv
from pathlib import Path

import pytest

import germane as ge

COLUMNS = {"ndcg@10": "nDCG@10", "p@5": "P@5", "RBP(p=.5)": "RBP(p=0.5)", "bpref": "Bpref", "MAP": "AP"}


@pytest.mark.shared
def test_the_published_table_with_32_bit_scores(shared: Path) -> None:
    folder = shared / "data" / "trec-covid-round1"
    with (folder / "leaderboard.csv").open() as lines:
        published = {row["run"]: row for row in csv.DictReader(lines)}
    runs = [str(folder / "runs" / f"{name}.gz") for name in published]
    scores = ge.evaluate(str(folder / "qrels.txt"), runs, list(COLUMNS.values()), score_type="float32")
    found = {
        name: {column: f"{means[measure]:.4f}" for column, measure in COLUMNS.items()}
        for name, means in scores.mean().items()
    }
    assert found == {name: {column: row[column] for column in COLUMNS} for name, row in published.items()}


@pytest.mark.shared
def test_one_run_shows_that_its_ties_are_those_of_32_bits(shared: Path) -> None:
    folder = shared / "data" / "trec-covid-round1"
    means = ge.evaluate(str(folder / "qrels.txt"), str(folder / "runs" / "BERT.gz"), "nDCG@10").mean()
    assert f"{means['BERT']['nDCG@10']:.4f}" == "0.1736"  # published: 0.1731
