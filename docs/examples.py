"""The examples in the documentation, run: what a page shows is what the commands print.

A page's examples run in its order, in one folder that holds the files of the exercise. In a ``console`` block a line
that starts with ``$`` is a command and what follows is its output:

- ``$ germane ...`` is run as the shell would run it, standard output and standard error together;
- ``$ cat FILE`` prints the file or, where there is none of that name yet, makes one of what the page shows;
- ``$ head -N FILE`` prints its first lines, ``$ echo $?`` the exit status of the last command;
- ``$ cd FOLDER`` goes there, for the rest of the page.

A block that shows commands only, without any output, is there to be read and is not run.

A ``python`` block with ``>>>`` is a doctest; one without is run as it is. Names last to the end of the page.
"""

from __future__ import annotations

import contextlib
import doctest
import io
import os
import re
import shlex
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from importlib.resources import as_file, files
from pathlib import Path
from typing import Any

from docs.reference_pages.markdown import GENERATED

ROOT = Path(__file__).resolve().parents[1]
FENCED = re.compile(r"^```(?P<language>console|python)\n(?P<text>.*?)^```$", re.M | re.S)
COLUMNS = "100"
"""How wide the terminal of the examples is."""


@dataclass
class Problem:
    """An example that does not print what its page says."""

    page: str
    line: int
    example: str
    expected: str
    found: str

    def __str__(self) -> str:
        return f"{self.page}:{self.line}: {self.example}\nexpected:\n{self.expected}\nfound:\n{self.found}"


@dataclass
class Rerun:
    """A page with the output its commands have now, and what differs from the page as it was."""

    text: str
    problems: list[Problem] = field(default_factory=list)


def pages() -> list[Path]:
    """The pages whose examples are run: all that are written by hand."""
    written = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
    return [page for page in written if GENERATED not in page.read_text(encoding="utf-8")]


def rerun(text: str, page: str, after: Callable[[], None] | None = None) -> Rerun:
    """Run a page's examples in a folder of their own, and then whatever wants the files that they left there."""
    result = Rerun("")
    names: dict[str, Any] = {"__name__": "__main__"}
    status, end = 0, 0
    with _exercise_folder(), registry_restored():
        for block in FENCED.finditer(text):
            line = text.count("\n", 0, block.start()) + 2
            new = block["text"]
            if block["language"] == "console" and not _shows_output(new):
                pass
            elif block["language"] == "console":
                new, status, problems = _console(block["text"], page, line, status)
                result.problems += problems
            else:
                new, problems = _python(block["text"], page, line, names)
                result.problems += problems
            result.text += text[end : block.start("text")] + new
            end = block.end("text")
        if after is not None:
            after()
    result.text += text[end:]
    return result


def _shows_output(block: str) -> bool:
    return any(line and not line.startswith("$ ") for line in block.splitlines())


def _console(block: str, page: str, line: int, status: int) -> tuple[str, int, list[Problem]]:
    before, *examples = re.split(r"^(?=\$ )", block, flags=re.M)
    new, problems = before, []
    line += before.count("\n")
    for example in examples:
        command, _, shown = example.partition("\n")
        tail = "\n" if shown.endswith("\n\n") else ""  # a blank line before the next command is there for the eye
        shown = shown.removesuffix(tail)
        printed, status = _run(command.removeprefix("$ "), shown, status)
        if printed != shown:
            problems.append(Problem(page, line, command, shown, printed))
        new += f"{command}\n{printed}{tail}"
        line += example.count("\n")
    return new, status, problems


def _run(command: str, shown: str, status: int) -> tuple[str, int]:
    """What a command prints, and its exit status."""
    program, *arguments = shlex.split(command)
    if program == "germane":
        return run_germane(arguments)
    if command == "echo $?":
        return f"{status}\n", 0
    if program == "cat" and len(arguments) == 1:
        file = Path(arguments[0])
        if not file.exists():
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(shown, encoding="utf-8")
        return file.read_text(encoding="utf-8"), 0
    if program == "head" and len(arguments) == 2:
        lines = Path(arguments[1]).read_text(encoding="utf-8").splitlines(keepends=True)
        return "".join(lines[: int(arguments[0].removeprefix("-"))]), 0
    if program == "cd" and len(arguments) == 1:
        os.chdir(arguments[0])
        return "", 0
    raise ValueError(f"an example may run germane, cat, cd, head -N and echo $?, found {command!r}")


class _Terminal(io.TextIOWrapper):
    """A stream that calls itself a terminal."""

    def isatty(self) -> bool:
        return True


def run_germane(arguments: list[str], *, terminal_width: int | None = None) -> tuple[str, int]:
    """Return what `germane` prints with these arguments, to a pipe or to a terminal, and its exit status."""
    from germane.cli import main

    # One stream for both, of bytes underneath, which the drop-in writes to.
    stream = io.TextIOWrapper if terminal_width is None else _Terminal
    terminal = stream(io.BytesIO(), encoding="utf-8", newline="", write_through=True)
    before, columns = sys.argv, os.environ.get("COLUMNS")
    sys.argv, os.environ["COLUMNS"] = ["germane", *arguments], str(terminal_width or COLUMNS)
    status = 0
    try:
        with contextlib.redirect_stdout(terminal), contextlib.redirect_stderr(terminal):
            main()
    except SystemExit as stop:
        status = stop.code if isinstance(stop.code, int) else int(stop.code is not None)
    finally:
        sys.argv = before
        if columns is None:
            del os.environ["COLUMNS"]
        else:
            os.environ["COLUMNS"] = columns
    terminal.flush()
    buffer = terminal.detach()
    assert isinstance(buffer, io.BytesIO)
    return buffer.getvalue().decode("utf-8"), status


class _Renewal(doctest.DocTestRunner):
    """Runs a doctest, and keeps what its examples print now where that is not what they show."""

    def __init__(self) -> None:
        super().__init__(verbose=False, optionflags=doctest.NORMALIZE_WHITESPACE)
        self.printed: list[tuple[doctest.Example, str]] = []

    def report_failure(self, out: object, test: doctest.DocTest, example: doctest.Example, got: str) -> None:
        self.printed.append((example, re.sub(r"^$", "<BLANKLINE>", got.removesuffix("\n"), flags=re.M) + "\n"))


def _python(block: str, page: str, line: int, names: dict[str, Any]) -> tuple[str, list[Problem]]:
    if ">>>" not in block:
        # What it prints, the page does not show: nothing of it is for the terminal of whoever runs the pages.
        with contextlib.redirect_stdout(io.StringIO()):
            exec(compile(block, f"{page}:{line}", "exec"), names)
        return block, []
    report = io.StringIO()
    examples = doctest.DocTestParser().get_doctest(block, names, page, page, line)
    runner = _Renewal()
    runner.run(examples, out=report.write, clear_globs=False)
    names.update(examples.globs)
    problems = [Problem(page, line, "python", "", report.getvalue())] if report.getvalue() else []  # an exception
    lines = block.splitlines(keepends=True)
    for example, printed in reversed(runner.printed):
        shown = example.lineno + example.source.count("\n")
        lines[shown : shown + example.want.count("\n")] = printed
        problems.append(Problem(page, line + example.lineno, example.source, example.want, printed))
    return "".join(lines), problems


@contextlib.contextmanager
def _exercise_folder() -> Iterator[None]:
    """A temporary folder with the files of the exercise, as the working folder."""
    with tempfile.TemporaryDirectory() as folder, as_file(files("germane") / "data" / "lecture003") as exercise:
        for file in exercise.iterdir():
            if file.is_file():
                shutil.copy(file, folder)
        with contextlib.chdir(folder):
            yield


@contextlib.contextmanager
def registry_restored() -> Iterator[None]:
    """A measure or a ranking model that a page registers is gone after it."""
    from germane.measures.definition import MEASURES
    from germane.retrieval.models import MODELS

    before = {definition.name for definition in MEASURES}
    models_before = MODELS.names
    try:
        yield
    finally:
        for definition in MEASURES:
            if definition.name not in before:
                MEASURES.unregister(definition.name)
        for model in MODELS:
            if model.name not in models_before:
                MODELS.unregister(model.name)
