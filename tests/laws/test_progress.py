"""Every command that reads files reports how far it is: the bytes of its input are counted while somebody listens."""

from __future__ import annotations

import contextlib
import shlex
import shutil
from pathlib import Path

import click
import pytest

from docs.examples import registry_restored, run_germane
from germane.cli import COMMANDS
from germane.cli.shell.command_class import make_command
from germane.progress import Step, Steps, listening
from tests.cli.options.world import make_world
from tests.commands import leaf_commands

READS_NOTHING = {
    "completion": "prints a script",
    "demo": "writes files of the package",
    "measures": "prints the catalogue",
    "exercise make": "makes its own example",
    "judge": "serves its own database",
    "search": "answers in milliseconds, or serves",
    "vectors": "counts documents, since files of vectors are mapped into memory",
}
QUICK = ("eval", "check", "convert", "fuse", "classify")
"""Commands that every run of the tests tries; `.ci/run` tries them all."""


class Heard(Steps):
    """All steps ever reported."""

    def __init__(self) -> None:
        super().__init__()
        self.all: list[Step] = []

    def begin(self, step: Step) -> None:
        super().begin(step)
        self.all.append(step)

    def begin_file(self, path: str, size: int) -> Step:
        step = super().begin_file(path, size)
        self.all.append(step)
        return step

    @property
    def num_bytes(self) -> int:
        return sum(step.done for step in set(self.all) if step.in_bytes)


def calls() -> dict[str, str]:
    """The first call of each command in the cases of all options."""
    cases = (Path(__file__).parent.parent / "cli" / "options" / "cases.txt").read_text()
    lines = [line for line in cases.splitlines() if line.strip() and not line.startswith((" ", "#"))]
    found = {"trec_eval": "trec_eval qrels.txt system1.run"}  # whose options are those of another tool
    for name, _ in leaf_commands():
        found |= {name: line for line in lines[::-1] if f"{line} ".startswith(f"{name} ")}  # noqa: B035 - the first stays
    return found


CALLS = calls()


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("world")
    make_world(folder)
    return folder


def heard_of(call: str, world: Path, scratch: Path) -> Heard:
    """What a command reports, in a copy of the world."""
    shutil.copytree(world, scratch, dirs_exist_ok=True)
    heard = Heard()
    with contextlib.chdir(scratch), registry_restored(), listening(heard):
        run_germane(shlex.split(call))
    return heard


def tried() -> list[object]:
    names = [name for name, _ in leaf_commands() if name not in READS_NOTHING]
    return [pytest.param(name, marks=() if name in QUICK else pytest.mark.slow) for name in names]


@pytest.mark.parametrize("name", tried())
def test_a_command_that_reads_reports_its_bytes(name: str, world: Path, tmp_path: Path) -> None:
    heard = heard_of(CALLS[name], world, tmp_path)
    assert heard.num_bytes > 0
    assert heard.open() == []


def test_the_law_catches_a_command_that_reads_in_silence(
    world: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    @make_command("check")
    @click.argument("file")
    def silent(file: str) -> None:
        """Read a file without reporting it."""
        click.echo(len(Path(file).read_bytes()))

    monkeypatch.setattr("germane.cli.commands.check.command", silent)
    assert heard_of("check qrels.txt", world, tmp_path).num_bytes == 0


def test_the_exceptions_are_commands() -> None:
    assert set(READS_NOTHING) <= {name for name, _ in leaf_commands()} | set(COMMANDS)
