"""How commands print results: every format by the same options, fitted to a terminal, with notes where they belong."""

from __future__ import annotations

import csv
import io
import json
import os
import pty
import re
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from germane.cli import group
from germane.output.rendering import STYLES
from germane.output.rendering.terminal import wants_color
from tests.conftest import ROOT

LECTURE = ROOT / "src" / "germane" / "data" / "lecture003"
QRELS, RUN1, RUN2 = (str(LECTURE / name) for name in ("qrels.txt", "system1.run", "system2.run"))


def germane(*arguments: str) -> tuple[str, str]:
    result = CliRunner().invoke(group, list(arguments))
    assert result.exit_code == 0, result.output
    return result.stdout, result.stderr


@pytest.mark.parametrize("style", STYLES)
def test_notes_are_in_json_and_html_and_otherwise_on_standard_error(style: str) -> None:
    out, err = germane("compare", QRELS, RUN1, RUN2, "--format", style)
    assert ("note: " in err) == (style not in ("json", "jsonl", "html"))
    inside = {"json": '"notes"', "jsonl": '{"note":', "html": '<ul class="notes">'}
    assert style not in inside or inside[style] in out


def test_a_table_by_name_and_its_notes_apart() -> None:
    out, err = germane("compare", QRELS, RUN1, RUN2, "--table", "means", "--format", "json")
    assert [row["run"] for row in json.loads(out)] == ["system1", "system2"]
    assert "note: " in err
    refused = CliRunner().invoke(group, ["compare", QRELS, RUN1, RUN2, "--table", "mean"])
    assert "unknown table 'mean'; did you mean means?" in str(refused.exception)


def test_programs_get_numbers_in_full_unless_they_ask_for_digits() -> None:
    full = germane("eval", QRELS, RUN1, "-m", "AP", "--format", "csv")[0]
    rounded = germane("eval", QRELS, RUN1, "-m", "AP", "--format", "csv", "--digits", "4")[0]
    assert [row["AP"] for row in csv.DictReader(io.StringIO(full))] == ["0.5685185185185185"]
    assert [row["AP"] for row in csv.DictReader(io.StringIO(rounded))] == ["0.5685"]


@pytest.mark.parametrize(("style", "ending"), [("table", "csv"), ("tsv", "tsv"), ("markdown", "md"), ("json", "json")])
def test_all_tables_are_files_of_their_own(style: str, ending: str, tmp_path: Path) -> None:
    out, _ = germane("compare", QRELS, RUN1, RUN2, "--all-tables", str(tmp_path / "made"), "--format", style)
    assert {path.name for path in (tmp_path / "made").iterdir()} == {f"{name}.{ending}" for name in ("pairs", "means")}
    assert out
    assert "system1" in (tmp_path / "made" / f"means.{ending}").read_text()


COLORS = [
    # choice  environment           terminal  colours
    ("auto", {}, True, True),
    ("auto", {}, False, False),
    ("auto", {"NO_COLOR": "1"}, True, False),
    ("auto", {"NO_COLOR": ""}, True, True),
    ("auto", {"FORCE_COLOR": "1"}, False, True),
    ("auto", {"NO_COLOR": "1", "FORCE_COLOR": "1"}, True, False),
    ("always", {"NO_COLOR": "1"}, False, True),
    ("never", {"FORCE_COLOR": "1"}, True, False),
]


@pytest.mark.parametrize(("choice", "environment", "terminal", "colours"), COLORS)
def test_who_gets_colours(
    choice: str, environment: dict[str, str], terminal: bool, colours: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("NO_COLOR", "FORCE_COLOR"):
        monkeypatch.delenv(name, raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    assert wants_color(choice, is_terminal=terminal) == colours


def test_colours_change_no_character() -> None:
    plain, coloured = (germane("eval", QRELS, RUN1, RUN2, "--color", how)[0] for how in ("never", "always"))
    assert "\x1b[1m" in coloured
    assert re.sub("\x1b\\[\\d+m", "", coloured) == plain


def at_a_terminal(columns: int, *arguments: str) -> str:
    """What a command prints to a terminal of this width."""
    ours, theirs = pty.openpty()
    environment = {**os.environ, "COLUMNS": str(columns), "PYTHONIOENCODING": "utf-8"}
    environment.pop("NO_COLOR", None)
    command = [sys.executable, "-c", "from germane.cli import main; main()", *arguments]
    with subprocess.Popen(command, stdout=theirs, stderr=subprocess.DEVNULL, env=environment) as process:
        os.close(theirs)
        found = b""
        while True:
            try:
                block = os.read(ours, 1 << 16)
            except OSError:  # how Linux says that the other side is closed
                break
            if not block:
                break
            found += block
        process.wait()
    os.close(ours)
    return found.decode().replace("\r\n", "\n")


def test_a_terminal_gets_its_width_and_colours_a_pipe_gets_everything() -> None:
    narrow = at_a_terminal(60, "compare", QRELS, RUN1, RUN2)
    piped = germane("compare", QRELS, RUN1, RUN2)[0]
    assert "\x1b[1m" in narrow
    assert "\x1b" not in piped
    text = re.sub("\x1b\\[\\d+m", "", narrow)
    assert max(map(len, text.splitlines())) <= 60
    assert "not shown: " in text
    assert "not shown: " not in piped
    assert max(map(len, piped.splitlines())) > 100


def test_notes_are_explained_on_request() -> None:
    lines = germane("eval", QRELS, RUN1, "-m", "AP", "--notes")[1].splitlines()
    assert lines[0].startswith("note: ")
    assert lines[1].startswith("      unjudged: ")
    assert lines[2].startswith("      What to do: They count as non-relevant.")
    assert '"notes"' in germane("eval", QRELS, RUN1, "--format", "json", "--notes")[0]


def test_several_runs_and_cutoffs_of_one_fact_are_one_line() -> None:
    lines = germane("eval", QRELS, RUN1, RUN2, "-m", "P@2 P@5 AP")[1].splitlines()
    assert [line for line in lines if "judged" in line] == lines[:1]
    assert lines[0].count("; all: 66.7%") == 1


LISTS = [("measures",), ("fuse", "--list"), ("plot", "--list"), ("learn", "--list"), ("exercise", "make", "--list")]


@pytest.mark.parametrize("arguments", LISTS, ids=" ".join)
def test_lists_fit_a_terminal(arguments: tuple[str, ...]) -> None:
    lines = at_a_terminal(70, *arguments).splitlines()
    assert [line for line in lines if len(line) > 70] == []


def test_a_long_summary_goes_on_below_itself() -> None:
    lines = at_a_terminal(60, "measures").splitlines()
    place = next(place for place, line in enumerate(lines) if line.startswith("  SetAP "))
    start = lines[place].index("Precision")
    assert lines[place + 1][:start].isspace()
    assert not lines[place + 1][start].isspace()


WRITERS = {"fuse": ("rankings",), "pool": ("items", "topics")}


@pytest.mark.parametrize("name", WRITERS)
def test_a_wrong_table_is_refused_before_the_output_is_written(name: str, tmp_path: Path) -> None:
    made = tmp_path / "made.jsonl"
    refused = CliRunner().invoke(group, [name, RUN1, RUN2, "-o", str(made), "--table", "nope"])
    assert str(refused.exception) == f"unknown table 'nope'\nHint: choose from {', '.join(WRITERS[name])}"
    assert not made.exists()
    for table in WRITERS[name]:
        assert germane(name, RUN1, RUN2, "-o", str(tmp_path / f"{table}.jsonl"), "--table", table)[0]
