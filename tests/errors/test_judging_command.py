"""Errors of `germane judge`, each provoked on the command line."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from germane.cli import group
from germane.errors import MissingExtraError
from tests.errors.provoking import provoked
from tests.web.judging_site import write_project

from germane.web.serving import listen  # isort: skip - after the check that the extra is there


@pytest.fixture(autouse=True)
def _project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_project(tmp_path / "project", {"d1.txt": "red wine"})
    monkeypatch.chdir(tmp_path / "project")
    Path("list.json").write_text("[0, 1]")


def judge(options: str) -> Result:
    words = f"judge pool.jsonl --documents docs --query-texts topics.tsv {options}".split()
    return CliRunner().invoke(group, words, catch_exceptions=False)


def judge_where_somebody_listens() -> Result:
    with listen("127.0.0.1", 0) as taken:
        return judge(f"--port {taken.getsockname()[1]}")


test_judging = provoked(
    [
        ("scale.json: cannot read the file: No such file", lambda: judge("--rubric scale.json")),
        ("list.json: expected a rubric as JSON, found a wrong or missing value", lambda: judge("--rubric list.json")),
        ("answers.jsonl: cannot read file: No such file", lambda: judge("--import-bundle answers.jsonl")),
        ("'ann' already exists as organiser, not as viewer", lambda: judge("--organiser ann --viewer ann --revoke 1")),
        ("cannot listen on 127.0.0.1:", judge_where_somebody_listens),
    ]
)


@pytest.mark.parametrize("library", ["uvicorn", "starlette.applications"])
def test_a_library_is_missing(library: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is told before anything is opened or printed."""
    monkeypatch.setitem(sys.modules, library, None)
    for module in ("germane.web.app", "germane.web.security"):
        monkeypatch.delitem(sys.modules, module)
    with pytest.raises(MissingExtraError, match="judging needs an optional library"):
        judge("")
