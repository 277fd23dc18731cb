"""Agreement and release straight from a judging project's database, under the last version of its rubric."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from uuid import NAMESPACE_URL, uuid5

import pytest

pytest.importorskip("sqlalchemy")

from germane.api.truth.agreement import agree
from germane.api.truth.judgment_sources import load_judged
from germane.api.truth.release import release
from germane.errors import GermaneError, InputError
from germane.judging.rubric import Rubric, binary, graded, under_last_rubric
from germane.judging.store.answers import Answer
from germane.judging.store.connection import Database
from germane.judging.store.events import record
from germane.judging.store.people import add_person
from germane.judging.store.project import Settings, load_pool, save_rubric, save_settings
from germane.judging.store.queues import document_of, next_tasks
from germane.tables.truth.judgments import JudgmentEvent
from germane.tables.truth.pool import Pool, PoolItem

THREE = graded(["no", "a bit", "yes"])
VERSIONS: list[Rubric] = [binary(), binary().next_version(THREE.grades, 2, {0: 0, 1: 2})]


def project(folder: Path) -> Path:
    """Two people judge four documents on two grades; then the scale gets three."""
    path = folder / "project.db"
    database = Database(path)
    load_pool(database, Pool.of([PoolItem("q1", f"d{i}") for i in range(4)], method="given"))
    save_rubric(database, VERSIONS[0])
    save_settings(database, Settings(judgments_per_document=2, repeat_share=0))
    for name in ("ann", "bob"):
        add_person(database, name, "assessor")
        for task in next_tasks(database, name, 4):
            _, doc = document_of(database, name, task.task)
            grade = float(doc in ("d0", "d1") or (doc == "d2" and name == "ann"))
            answer = Answer(str(uuid5(NAMESPACE_URL, name + doc)), task.task, "grade", grade, "1")
            assert [receipt.status for receipt in record(database, name, [answer])] == ["stored"]
    save_rubric(database, VERSIONS[1])
    database.close()
    return path


def test_a_project_states_its_scale_and_what_is_relevant(tmp_path: Path) -> None:
    report = agree(project(tmp_path), resamples=100)
    assert (report.grades, report.rel) == ((0, 1, 2), 2)
    assert report["observed"] == 0.75
    assert report["overlap"] == pytest.approx(2 / 3)
    assert "inferred-scale" not in {note.code for note in report.notes}


def test_a_release_of_a_project(tmp_path: Path) -> None:
    made = release(project(tmp_path), tmp_path / "made", "adjudicated")
    assert dict(zip(made.qrels.docs, made.qrels.grade.tolist(), strict=True)) == {"d0": 2, "d1": 2, "d2": -1, "d3": 0}
    manifest = json.loads((tmp_path / "made" / "manifest.json").read_text())
    assert manifest["rel"] == 2
    assert [rubric["number"] for rubric in manifest["rubrics"]] == [1, 2]
    assert manifest["project"]["settings"][-1]["judgments_per_document"] == 2
    assert manifest["files"].keys() >= {"pool.jsonl", "qrels.txt", "events.jsonl"}


def test_a_project_comes_alone(tmp_path: Path) -> None:
    place = project(tmp_path)
    with pytest.raises(GermaneError, match="cannot be combined with other files") as found:
        load_judged([place, tmp_path / "more.csv"])
    assert found.value.hint == f"use {place}.events.jsonl, or judge the second pool with --store {place}"


def test_a_grade_to_which_nothing_corresponds_is_no_grade() -> None:
    nothing = binary().next_version(THREE.grades, 2, {0: 0, 1: None})
    said = JudgmentEvent("e1", "grade", "ann", "q1", "d1", 1.0, rubric="1")
    assert under_last_rubric([said], [binary(), nothing]) == [replace(said, kind="cannot", grade=None)]
    with pytest.raises(InputError, match="expected a version of the rubric"):
        under_last_rubric([replace(said, rubric="7")], VERSIONS)
