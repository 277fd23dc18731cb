"""The payments of the tutorial: the same on every machine, rare frauds, and quick to make."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest

import germane as ge
from germane.demo import files_for_ml_engineer as made
from germane.errors import MissingExtraError

FIRST = [
    {"day": 8, "channel": "web", "fraud": 0, "old": 0.002, "new": 0.001},
    {"day": 8, "channel": "app", "fraud": 0, "old": 0.0085, "new": 0.0048},
    {"day": 8, "channel": "app", "fraud": 0, "old": 0.002, "new": 0.001},
]
SUMS = [18404, 7223.271, 18250.309]


@pytest.fixture(scope="module")
def payments(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("payments") / "some.parquet"
    made.write_payments(path, 1_200_000, range(8, 36), seed=7)
    return path


def test_the_rows_are_the_same_every_time(payments: Path, tmp_path: Path) -> None:
    made.write_payments(tmp_path / "again.parquet", 1_200_000, range(8, 36), seed=7)
    first, again = pq.read_table(payments), pq.read_table(tmp_path / "again.parquet")
    assert first.equals(again)
    assert first.slice(0, 3).to_pylist() == FIRST
    sums = [int(first["fraud"].to_numpy().sum()), *(round(float(first[n].to_numpy().sum()), 3) for n in ("old", "new"))]
    assert sums == SUMS


def test_what_the_columns_hold(payments: Path) -> None:
    rows = pq.read_table(payments)
    assert rows.column_names == ["day", "channel", "fraud", "old", "new"]
    assert len(rows) == 1_200_000
    assert np.unique(rows["day"].to_numpy()).tolist() == list(range(8, 36))
    assert set(rows["channel"].slice(0, 1000).to_pylist()) == {"app", "web", "phone"}
    for name in ("old", "new"):
        score = rows[name].to_numpy()
        assert ((score > 0) & (score < 1)).all()
        assert np.array_equal(score, np.round(score, 4))


def test_frauds_are_rare_and_the_new_model_is_better(payments: Path) -> None:
    rows = pq.read_table(payments)
    fraud, old, new = (rows[name].to_numpy() for name in ("fraud", "old", "new"))
    assert 0.01 < fraud.mean() < 0.02
    found = ge.compare(fraud == 1, y_score={"old": old, "new": new}, measures=["AUC"])
    assert found.pairs[0].low > 0.005


def test_the_new_model_is_calibrated_but_for_the_phone(payments: Path) -> None:
    rows = pq.read_table(payments)
    phone = rows["channel"].to_numpy(zero_copy_only=False) == "phone"
    fraud, new = rows["fraud"].to_numpy(), rows["new"].to_numpy()
    assert abs(fraud[~phone].mean() - new[~phone].mean()) < 3e-4
    assert fraud[new == 0.001][phone[new == 0.001]].mean() > 5 * fraud[new == 0.001][~phone[new == 0.001]].mean()


def test_the_files_are_small(payments: Path) -> None:
    assert payments.stat().st_size < 2_000_000
    assert {name: rows for name, (rows, _) in made.FILES.items()} == {
        "dev.parquet": 2_000_000,
        "test.parquet": 10_000_000,
    }


@pytest.mark.parametrize(("base", "exponent", "expected"), [(0.5, 0, 1.0), (0.5, 1, 0.5), (0.5, 48, 2.0**-48)])
def test_powers_by_hand(base: float, exponent: int, expected: float) -> None:
    assert made._power(np.array([base]), exponent).tolist() == [expected]


def test_without_pyarrow(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(MissingExtraError, match="arrow"):
        made.make(tmp_path)
