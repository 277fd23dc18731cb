"""The progress line: on a terminal only, after a delay, gone at the end and before anything else is written."""

from __future__ import annotations

import io
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Thread
from unittest import mock

import click
import pytest

from germane.cli.shell.command_class import make_command
from germane.output.rendering import progress as display
from germane.progress import _lock, is_listening, listening, open_counted, step, stop_listening


class Terminal(io.StringIO):
    """A terminal that remembers what was written to it."""

    encoding = "utf-8"

    def isatty(self) -> bool:
        return True

    @property
    def screen(self) -> list[str]:
        """The lines that are seen in the end: a carriage return goes back to the margin and overwrites."""
        lines = []
        for line in self.getvalue().split("\n"):
            seen = ""
            for part in line.split("\r"):
                seen = part + seen[len(part) :]
            lines.append(seen.rstrip())
        return lines


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> Terminal:
    made = Terminal()
    monkeypatch.setattr(display, "PROGRESS_DELAY", 0.0)
    monkeypatch.setattr(display, "INTERVAL", 0.001)
    monkeypatch.delenv("CI", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    return made


@contextmanager
def shown(terminal: Terminal, command: str) -> Iterator[None]:
    with mock.patch.object(sys, "stderr", terminal), display.shown_progress(command):
        yield


def wait_for(terminal: Terminal, text: str) -> None:
    end = time.monotonic() + 10
    while text not in terminal.getvalue():
        assert time.monotonic() < end, f"{text!r} never appeared: {terminal.getvalue()[-200:]!r}"
        time.sleep(0.001)


def test_units_are_counted_and_nothing_remains(terminal: Terminal) -> None:
    with shown(terminal, "germane compare"), step("resamples", 2000) as drawing:
        drawing.advance(1000)
        wait_for(terminal, "resamples 1,000/2,000  ━━━━━━━━━━━━━━━───────────────   50%")
    assert terminal.screen == [""]


def test_several_threads_count_together(terminal: Terminal) -> None:
    with shown(terminal, "germane index"), step("documents", 1000) as documents:

        def index() -> None:
            for _ in range(90):
                documents.advance()

        threads = [Thread(target=index) for _ in range(10)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        wait_for(terminal, "documents 900/1,000")
    assert terminal.screen == [""]


def test_a_file_is_read_by_bytes_and_in_parts(terminal: Terminal, tmp_path: Path) -> None:
    path = tmp_path / "system1.run"
    path.write_bytes(b"x" * 1000)
    with shown(terminal, "germane eval"):
        with open_counted(path) as one, open_counted(path) as other:
            one.readinto(bytearray(250))  # type: ignore[attr-defined]
            other.seek(500)
            wait_for(terminal, "reading system1.run")
        with step("scoring"):
            wait_for(terminal, "scoring  ")
    assert terminal.screen == [""]


def test_where_nothing_is_counted_the_command_and_the_time_are_shown(terminal: Terminal) -> None:
    with shown(terminal, "germane agree"):
        wait_for(terminal, "germane agree  |  0:00")
    assert terminal.screen == [""]


def test_runs_and_the_file_that_is_read_share_a_bar(terminal: Terminal, tmp_path: Path) -> None:
    path = tmp_path / "b.run"
    path.write_bytes(b"x" * (1 << 20))
    with shown(terminal, "germane eval"), display.progress("runs") as advance:
        assert advance is not None
        advance(1, 2)
        with open_counted(path) as file:
            file.read(1 << 19)
            wait_for(terminal, "runs 1/2 · reading b.run  ━━━━━━━━━━━━━━━━━━━━━━────────   75%")


def test_what_is_written_in_between_is_whole(terminal: Terminal) -> None:
    with mock.patch.object(sys, "stdout", terminal), shown(terminal, "germane check"):
        with step("lines", 10) as lines:
            lines.advance(3)
            wait_for(terminal, "lines 3/10")
            click.echo("note: two problems", err=True)
            lines.advance(3)
            wait_for(terminal, "lines 6/10")
        click.echo("a result ", nl=False)
        click.echo("of two parts")
    assert terminal.screen == ["note: two problems", "a result of two parts", ""]


def test_a_conversation_ends_it(terminal: Terminal) -> None:
    with shown(terminal, "germane search"):
        wait_for(terminal, "germane search")
        stop_listening()
        seen = terminal.getvalue()
        assert not is_listening()
        with step("queries", 10):
            time.sleep(0.02)
        assert terminal.getvalue() == seen
    assert terminal.screen == [""]


def test_an_error_leaves_nothing_behind(terminal: Terminal) -> None:
    before = sys.stdout, sys.stderr

    def fail() -> None:
        with shown(terminal, "germane eval"):
            wait_for(terminal, "germane eval")
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()
    assert (terminal.screen, sys.stdout, sys.stderr) == ([""], *before)


@pytest.mark.parametrize(("variable", "value"), [("CI", "true"), ("TERM", "dumb"), (None, None)])
def test_none_in_pipes_and_in_ci(
    terminal: Terminal, monkeypatch: pytest.MonkeyPatch, variable: str | None, value: str | None
) -> None:
    if variable is None or value is None:
        monkeypatch.setattr(terminal, "isatty", lambda: False)
    else:
        monkeypatch.setenv(variable, value)
    with shown(terminal, "germane eval"), step("lines", 3) as lines:
        lines.advance()
        assert not is_listening()
        time.sleep(0.02)
    assert terminal.getvalue() == ""


def test_nothing_is_shown_of_what_takes_less(terminal: Terminal, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(display, "PROGRESS_DELAY", 60.0)
    with shown(terminal, "germane eval"), step("lines", 3) as lines:
        lines.advance()
        time.sleep(0.02)
    assert terminal.getvalue() == ""


def test_a_narrow_terminal_is_not_folded(terminal: Terminal, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(display, "_columns", lambda _: 20)
    with shown(terminal, "germane eval"), step("a long story that goes on", 3) as lines:
        lines.advance()
        wait_for(terminal, "a long story that g")
    assert max(map(len, terminal.getvalue().split("\r"))) == 19


@pytest.mark.parametrize(("name", "seen"), [("一" * 9, "一" * 9), ("a\nb\x1b[2J\udcff", "a?b?[2J?")])
def test_odd_names_stay_on_their_line(
    terminal: Terminal, monkeypatch: pytest.MonkeyPatch, name: str, seen: str
) -> None:
    monkeypatch.setattr(display, "_columns", lambda _: 20)
    with shown(terminal, "germane eval"), step(name):
        wait_for(terminal, seen)
        wait_for(terminal, "\r" + " " * (19 if "一" in name else 1))
    # The line may have been drawn before the step began, with the name of the command.
    assert set(terminal.getvalue()) <= {*seen, *"germane eval", *" \r|/-0:"}


def test_a_file_is_closed_by_the_garbage_collector(tmp_path: Path) -> None:
    """It may run in a thread that is just counting."""
    path = tmp_path / "a.run"
    path.write_bytes(b"x")

    def collect() -> None:
        with _lock:
            file.close()

    with listening() as steps:
        file = open_counted(path)
        thread = Thread(target=collect, daemon=True)
        thread.start()
        thread.join(10)
        assert not thread.is_alive()
        assert steps.open() == []


def test_a_command_shows_it(terminal: Terminal) -> None:
    @make_command("slow")
    def slow() -> None:
        """Take a while."""
        wait_for(terminal, "slow  |")

    with mock.patch.object(sys, "stderr", terminal):
        slow.main([], prog_name="slow", standalone_mode=False)
    assert terminal.screen == [""]


def test_listeners_are_nested() -> None:
    with listening() as outer:
        with listening() as inner, step("lines"):
            assert [str(each) for each in inner.open()] == ["lines"]
            assert outer.open() == []
        assert is_listening()
    assert not is_listening()
