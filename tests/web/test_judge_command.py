"""`germane judge` on the command line."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from click.testing import CliRunner

from germane.errors import GermaneError
from tests.web.judging_site import Client, plain_text, write_project

from germane.cli.judge import command  # isort: skip - after the check that the extra is there


@pytest.fixture
def project(tmp_path: Path) -> list[str]:
    folder = tmp_path / "p"
    write_project(folder, {f"d{number}.txt": plain_text(number) for number in range(5)})
    return [str(folder / "pool.jsonl"), "--docs", str(folder / "docs"), "--topics", str(folder / "topics.tsv")]


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
    assert "0 answers stored, 0 were there, 1 refused" in run(*project, "--import", str(answers))


def test_what_is_asked_for_must_make_sense(project: list[str]) -> None:
    for words, message in [
        (["--host", "0.0.0.0"], "could be read on the way"),
        (["--scale", "0=a,1=b", "--rubric", "x"], "both say"),
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
        server.communicate(timeout=20)
    assert reply.json == {"name": "olga", "role": "organiser"}
