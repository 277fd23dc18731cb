"""The files of the researcher's tutorial: always the same, and with the troubles that the tutorial speaks of."""

from __future__ import annotations

import gzip
import hashlib
import json
import re
from pathlib import Path

import pytest

import germane as ge
from germane.demo.files_for_researcher import POOL_DEPTH, SYSTEMS, TOPICS, make

DIGEST = "a62e7aa12d32e937480e553e61bbffc40e5e9d612bcefee809a110b2f6e0ad4a"
"""SHA-256 of all files, uncompressed. What the tutorial shows depends on every byte of them."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("researcher")
    make(made)
    return made


def contents(folder: Path) -> dict[str, bytes]:
    """Every file by its path; a compressed one as what is in it, since libraries compress differently."""
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    return {
        path.relative_to(folder).as_posix(): gzip.decompress(path.read_bytes())
        if path.suffix == ".gz"
        else path.read_bytes()
        for path in files
    }


def test_the_files_are_the_same_on_every_machine(folder: Path) -> None:
    digest = hashlib.sha256()
    for name, content in contents(folder).items():
        digest.update(name.encode() + b"\0" + content)
    assert digest.hexdigest() == DIGEST


def test_there_are_judgments_and_ten_runs(folder: Path) -> None:
    names = {name.split(".")[0] for name in contents(folder) if name != "qrels.txt"}
    assert names == {f"runs/{system.name}" for system in SYSTEMS}
    assert len(SYSTEMS) == 10
    lines = [line.split() for line in (folder / "qrels.txt").read_text(encoding="utf-8").splitlines()]
    assert {grade for *_, grade in lines} == {"0", "1", "2"}
    assert list(dict.fromkeys(topic for topic, *_ in lines)) == TOPICS


def test_a_system_that_was_pooled_has_its_first_documents_judged(folder: Path) -> None:
    """In the order of the files: among equals, that of the measures is another."""
    scores = ge.evaluate(folder / "qrels.txt", folder / "runs", [f"Judged@{POOL_DEPTH}"], ties="order")
    judged = {name: means[f"Judged@{POOL_DEPTH}"] for name, means in scores.mean().items()}
    assert {name for name in judged if judged[name] == 1} == {system.name for system in SYSTEMS if system.pooled}
    assert all(judged[system.name] < 0.95 for system in SYSTEMS if not system.pooled)


def test_the_troubles_are_there_and_noted(folder: Path) -> None:
    notes = ge.evaluate(folder / "qrels.txt", folder / "runs", ["nDCG@10"]).notes
    found = {(note.run, note.amount, re.split("[,;(]", note.what)[0].strip()) for note in notes}
    assert ("dense_tuned", "3 judged queries", "missing from the run") in found
    assert ("lm_dirichlet", "37 queries", "with ties across rank 10") in found
    assert ("dense_tuned", "23.0%", "unjudged in the top 10") in found
    assert isinstance(json.loads((folder / "runs" / "hybrid.json").read_text(encoding="utf-8")), dict)
