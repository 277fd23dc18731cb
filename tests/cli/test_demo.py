"""`germane demo`: every step that it prints is done, and what it promises to look at is there."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from germane.cli import group
from germane.errors import GermaneError


@pytest.mark.slow  # the whole loop: about ten seconds
def test_the_whole_loop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    result = CliRunner().invoke(group, ["demo", "--output", "all"], catch_exceptions=False)
    assert result.exit_code == 0
    for verb in ("index", "search", "retrieve", "agree", "release", "eval", "compare", "feedback", "report"):
        assert f"$ germane {verb}" in result.output
    assert "textwrap.dedent" in result.output
    assert "dropped (names that this Python lacks)" in result.output
    assert (tmp_path / "all" / "report.html").stat().st_size > 100_000
    assert (tmp_path / "all" / "qrels.txt").read_text().count("\n") > 2_000
    again = CliRunner().invoke(group, ["demo", "--output", "all"], catch_exceptions=False)
    assert again.exit_code == 0, "a second time in the same folder"


def test_a_folder_with_something_else_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("mine")
    result = CliRunner().invoke(group, ["demo", "--output", str(tmp_path)])
    assert isinstance(result.exception, GermaneError)
    assert [file.name for file in tmp_path.iterdir()] == ["mine.txt"]


def test_the_exercise(tmp_path: Path) -> None:
    target = tmp_path / "exercise"
    assert CliRunner().invoke(group, ["demo", "--tutorial", "exercise", "--output", str(target)]).exit_code == 0
    assert sorted(file.name for file in target.iterdir()) == ["qrels.txt", "system1.run", "system2.run"]
    (target / "qrels.txt").write_text("something else")
    refused = CliRunner().invoke(group, ["demo", "--tutorial", "exercise", "--output", str(target)])
    assert isinstance(refused.exception, GermaneError)
    assert (target / "qrels.txt").read_text() == "something else"
