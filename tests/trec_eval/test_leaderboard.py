"""NIST's table for eight runs of TREC-COVID round 1, made by trec_eval 9 with -c -M1000."""

import csv
import gzip
import io
from pathlib import Path

import pytest

from germane.trec_eval import main

COLUMNS = {"ndcg@10": "ndcg_cut_10", "p@5": "P_5", "bpref": "bpref", "MAP": "map"}


@pytest.mark.shared
def test_leaderboard(shared: Path, tmp_path: Path) -> None:
    folder = shared / "data" / "trec-covid-round1"
    with (folder / "leaderboard.csv").open(newline="") as table:
        published = {
            row["run"]: {ours: row[theirs] for theirs, ours in COLUMNS.items()} for row in csv.DictReader(table)
        }
    assert {run: _summary(folder, run, tmp_path / run) for run in published} == published
    assert len(published) == 8


def _summary(folder: Path, run: str, unpacked: Path) -> dict[str, str]:
    unpacked.write_bytes(gzip.decompress((folder / "runs" / f"{run}.gz").read_bytes()))
    arguments = ["-c", "-M1000", *(f"-m{name}" for name in ("ndcg_cut.10", "P.5", "bpref", "map"))]
    stdout = io.BytesIO()
    assert main([*arguments, str(folder / "qrels.txt"), str(unpacked)], stdout, io.StringIO(), version=9) == 0
    return {name: value for name, _, value in map(str.split, stdout.getvalue().decode().splitlines())}
