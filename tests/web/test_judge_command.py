"""`germane judge` on the command line."""

from __future__ import annotations

import asyncio
import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
import uuid
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from germane.errors import GermaneError
from germane.judging.rubric import binary, graded
from germane.tables.truth.pool import Pool, PoolItem
from tests.web.judging_site import Client, plain_text, write_project

from germane.cli.commands.judge import command  # isort: skip - after the check that the extra is there
from germane.judging.store.answers import Answer  # isort: skip
from germane.judging.store.connection import Database  # isort: skip
from germane.judging.store.events import record  # isort: skip
from germane.judging.store.project import load_pool, rubrics_of  # isort: skip
from germane.judging.store.queues import next_tasks  # isort: skip
from germane.web import serving  # isort: skip
from germane.web.serving import open_site, settle_rubric  # isort: skip


@pytest.fixture
def project(tmp_path: Path) -> list[str]:
    folder = tmp_path / "p"
    write_project(folder, {f"d{number}.txt": plain_text(number) for number in range(5)})
    return [
        str(folder / "pool.jsonl"),
        "--documents",
        str(folder / "docs"),
        "--query-texts",
        str(folder / "topics.tsv"),
    ]


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
    assert run(*project, "--revoke", bundle).startswith(f"bundle {bundle} revoked")
    assert "0 judgments imported, 0 already known, 1 rejected" in run(*project, "--import-bundle", str(answers))


def test_what_is_asked_for_must_make_sense(project: list[str]) -> None:
    for words, message in [
        (["--host", "0.0.0.0"], "traffic would be unencrypted"),
        (["--grades", "0=a,1=b", "--rubric", "x"], "--grades cannot be combined with --rubric"),
        (["--certificate", "x"], "--certificate and --key require each other"),
        (["--offline", "x", "--revoke", "y"], "use either --offline or --revoke, not both"),
        (["--offline", "x", "--for", "nobody"], "'nobody' is not an assessor in this project"),
    ]:
        with pytest.raises(GermaneError, match=message):
            run(*project, *words)


def test_documents_of_another_collection_are_an_error(project: list[str], tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "x.txt").write_text("x", encoding="utf-8")
    project[2] = str(tmp_path / "other")
    with pytest.raises(GermaneError, match="no document of the pool"):
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


def test_a_second_start_says_what_was_given_and_what_is_new(tmp_path: Path) -> None:
    folder = tmp_path / "p"
    write_project(folder, {f"d{number}.txt": plain_text(number) for number in range(5)})
    more = folder / "more.pool"
    more.write_text("t0 d1.txt\nt1 d1.txt\nt1 d2.txt\n")
    store = str(folder / "p.db")

    def opened(pool: Path, **settings: int) -> tuple[str, tuple[str, ...]]:
        found = open_site(pool, folder / "docs", folder / "topics.tsv", store=store, settings=settings)
        with closing(found.site.documents), found.site.database as database:
            task = next_tasks(database, "ann", 1)[0]
            said = found.work, found.notes
            record(database, "ann", [Answer(str(uuid.uuid4()), task.task, "grade", 1, rubric="1")])
        return said

    assert opened(folder / "pool.jsonl") == ("5 documents of 1 topic, 1 judgment each, 0 given so far", ())
    work, notes = opened(more, judgments_per_document=2)
    assert work == "7 documents (2 new) of 2 topics, 2 judgments each, 1 given so far"
    assert notes == (f"1 topic of the pool is not in {folder / 'topics.tsv'}: 't1'; assessors see only the id",)
    assert opened(more)[0] == "7 documents of 2 topics, 2 judgments each, 2 given so far"


def test_a_run_in_the_place_of_a_pool_is_named(tmp_path: Path) -> None:
    folder = tmp_path / "p"
    write_project(folder, {f"d{number}.txt": plain_text(number) for number in range(3)})
    run_file = folder / "bm25.run"
    run_file.write_text("t0 Q0 d1.txt 1 2.5 bm25\nt0 Q0 d2.txt 2 1.5 bm25\n")
    found = open_site(run_file, folder / "docs", folder / "topics.tsv")
    with closing(found.site.documents), found.site.database:
        (note,) = found.notes
    assert note.startswith(f"{run_file} is a run: all of its 2 documents will be judged; `germane pool ")


def test_two_that_start_together_get_two_ports(monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.socket() as first:
        first.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        first.bind(("127.0.0.1", 0))
        usual = first.getsockname()[1]
        monkeypatch.setattr(serving, "PORT", usual)

        class Slower(socket.socket):
            """Both are bound before either listens, and the other one is the faster."""

            def bind(self, address: Any) -> None:
                super().bind(address)
                if address[1] == usual:
                    first.listen()

        monkeypatch.setattr(socket, "socket", Slower)
        with serving.listen("127.0.0.1", None) as second:
            assert second.getsockname()[1] != usual
        with pytest.raises(GermaneError, match="cannot listen on"):
            serving.listen("127.0.0.1", usual)


def test_every_piece_of_a_reply_is_sent_at_once() -> None:
    async def without_delay() -> int:
        accepted: asyncio.Future[int] = asyncio.get_running_loop().create_future()

        async def reply(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            connection = writer.get_extra_info("socket")
            accepted.set_result(connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY))
            writer.close()

        with serving.listen("127.0.0.1", 0) as listening:
            async with await asyncio.start_server(reply, sock=listening):
                _, writer = await asyncio.open_connection(*listening.getsockname())
                found = await accepted
                writer.close()
        return found

    assert asyncio.run(without_delay()) == 1, "a reply would wait 40 ms between its headers and its body"


def test_it_prints_a_link_that_works(project: list[str]) -> None:
    words = [sys.executable, "-c", "from germane.cli import main; main()", "judge", *project]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    with subprocess.Popen(
        [*words, "--organiser", "olga", "--port", "0"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment
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
    assert said.decode().startswith("5 documents of 1 topic, 1 judgment each, 0 given so far\n")
    assert reply.json == {"name": "olga", "role": "organiser"}
