"""A store in which fewer than two people have judged says so, and what to do."""

from pathlib import Path

import pytest

pytest.importorskip("sqlalchemy")

from germane.api.truth.agreement import agree
from germane.errors import InputError
from germane.judging.store.connection import Database
from germane.judging.store.events import record
from germane.judging.store.people import add_person
from germane.judging.store.queues import next_tasks
from tests.judging.projects import answer, project

TOO_FEW = [
    # who judged  found     hint begins with
    ([],          "none", "no one has judged in this project yet; send assessors the links that `germane judge`"),
    (["ann"],     "ann",    "only ann has judged in this project yet; send assessors the links that `germane judge`"),
]  # fmt: skip


@pytest.mark.parametrize(("people", "found", "hint"), TOO_FEW)
def test_a_store_waits_for_two(tmp_path: Path, people: list[str], found: str, hint: str) -> None:
    path = tmp_path / "pool.judging.db"
    with Database(path) as database:
        project(database, "q1: d1 d2", judgments_per_document=2)
        for name in people:
            add_person(database, name, "assessor")
            record(database, name, [answer(task) for task in next_tasks(database, name, 2)])
    with pytest.raises(InputError, match=f"the judgments of two assessors or more, found {found}") as refused:
        agree(path)
    assert str(refused.value.hint).startswith(hint)


def test_a_file_of_one_assessor_wants_another_file() -> None:
    with pytest.raises(InputError, match="found ann") as refused:
        agree({"ann": {"q1": {"d1": 1}}})
    assert str(refused.value.hint).startswith("name one file per assessor")
