"""`germane judge` on the command line."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
import uuid
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner

from germane.errors import GermaneError
from germane.judging.rubric import binary, graded
from germane.tables.pool import Pool, PoolItem
from tests.web.judging_site import Client, plain_text, write_project

from germane.cli.judge import command  # isort: skip - after the check that the extra is there
from germane.judging.store import Answer, Database, load_pool, next_tasks, record, rubrics_of  # isort: skip
from germane.web.serving import settle_rubric  # isort: skip


@pytest.fixture
def project(tmp_path: Path) -> list[str]:
    folder = tmp_path / "p"
    write_project(folder, {f"d{number}.txt": plain_text(number) for number in range(5)})
    return [str(folder / "pool.jsonl"), "--documents", str(folder / "docs"), "--questions", str(folder / "topics.tsv")]


def run(*words: str) -> str:
    result = CliRunner().invoke(command, words, catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.output


def test_a_bundle_is_written_revoked_and_its_answers_refused(project: list[str], tmp_path: Path) -> None:
    page = tmp_path / "bundle.html"
    made = run(*project, "--assessor", "bob", "--offline", str(page), "--for", "bob", "--count", "3")
    found = re.search(r"bundle (\w+) with 3 documents for bob", made)
    assert found is not None
    bundle = found[1]
    data = json.loads(re.findall(r'id="data-bundle">(.*?)</script>', page.read_text(encoding="utf-8"))[0])
    task = data["tasks"][0]
    answer = {name: data[name] for name in ("bundle", "assessor", "pool", "rubric")} | task["raw"]
    answer |= {"event": "00000000-0000-4000-8000-000000000000", "task": task["task"], "kind": "grade", "grade": 1}
    answers = tmp_path / "answers.jsonl"
    answers.write_text(json.dumps(answer) + "\n", encoding="utf-8")
    assert run(*project, "--revoke", bundle).startswith(f"bundle {bundle} is revoked")
    assert "0 answers stored, 0 were there, 1 refused" in run(*project, "--answers", str(answers))


def test_what_is_asked_for_must_make_sense(project: list[str]) -> None:
    for words, message in [
        (["--host", "0.0.0.0"], "could be read on the way"),
        (["--grades", "0=a,1=b", "--rubric", "x"], "both say"),
        (["--certificate", "x"], "belong together"),
        (["--offline", "x", "--revoke", "y"], "two things"),
        (["--offline", "x", "--for", "nobody"], "may judge here"),
    ]:
        with pytest.raises(GermaneError, match=message):
            run(*project, *words)


def test_documents_of_another_collection_are_an_error(project: list[str], tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "x.txt").write_text("x", encoding="utf-8")
    project[2] = str(tmp_path / "other")
    with pytest.raises(GermaneError, match="found none of them"):
        run(*project, "--offline", str(tmp_path / "b.html"))
    assert not list(tmp_path.rglob("*.db"))  # and no project was begun


@pytest.mark.parametrize(
    ("store", "message"),
    [
        ("postgresql://me:hunter2@127.0.0.1:1/judging", "cannot be opened"),
        ("postgresql://me:hunter2@127.0.0.1:port/judging", "the address of a PostgreSQL database"),
        ("notes.txt", "expected the database of a judging project"),
    ],
)
def test_a_store_that_cannot_be_opened_is_said_plainly(
    project: list[str], tmp_path: Path, store: str, message: str
) -> None:
    if store == "notes.txt":
        store = str(tmp_path / store)
        Path(store).write_text("I am no database, and longer than its header is.\n" * 30, encoding="utf-8")
    else:
        pytest.importorskip("psycopg")
    with pytest.raises(GermaneError, match=message) as found:
        run(*project, "--store", store, "--revoke", "x")
    assert "hunter2" not in str(found.value)
    assert not list(tmp_path.glob("*.part"))


def test_the_scale_may_change_until_somebody_judges(tmp_path: Path) -> None:
    with Database(tmp_path / "p.db") as database:
        settle_rubric(database, None)
        settle_rubric(database, graded(["no", "partly", "fully"]))
        load_pool(database, Pool.of([PoolItem("q1", "d1")], method="by hand"))
        assert rubrics_of(database)[-1].values == (0, 1, 2)
        answer = Answer(str(uuid.uuid4()), next_tasks(database, "ann")[0].task, "grade", 1, rubric="2")
        assert record(database, "ann", [answer])[0].status == "stored"
        with pytest.raises(GermaneError, match='"number": 3'):
            settle_rubric(database, binary())
        with pytest.raises(GermaneError, match="the new value of each of 0, 1, 2"):
            settle_rubric(database, replace(binary(), number=3))
        assert len(rubrics_of(database)) == 2


def test_it_prints_a_link_that_works(project: list[str]) -> None:
    words = [sys.executable, "-c", "from germane.cli import main; main()", "judge", *project]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    with subprocess.Popen(
        [*words, "--me", "olga", "--port", "0"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment
    ) as server:
        assert server.stdout is not None
        link = server.stdout.readline().decode().strip()
        found = re.fullmatch(r"http://127\.0\.0\.1:(\d+)/enter#([\w-]+)", link)
        assert found is not None, link
        port = int(found[1])
        for _ in range(100):
            try:
                origin = {"Origin": f"http://127.0.0.1:{port}"}
                reply = Client(port)("POST", "/api/session", {"secret": found[2]}, origin)
                break
            except ConnectionError:
                time.sleep(0.05)
        server.send_signal(signal.SIGINT)
        _, said = server.communicate(timeout=20)
    assert server.returncode == 0
    assert "Aborted" not in said.decode()
    assert reply.json == {"name": "olga", "role": "organiser"}
