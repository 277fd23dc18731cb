"""Law: an option given twice, where one is meant, is a usage error that names it. Flags may be repeated.

Equal values are no exception: whether they are equal shows only after they are read, and one of the two is a slip.
"""

from collections.abc import Iterator
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from germane.cli import group
from germane.cli.shell.command_class import Command
from tests.commands import all_commands

VERBATIM = "trec_eval"
"""It does as trec_eval does, for which the last one counts."""
ALL = {name: command for name, command in all_commands() if name != VERBATIM}


def single_options(command: click.Command) -> Iterator[click.Option]:
    for option in command.params:
        if isinstance(option, click.Option) and not (option.multiple or option.is_flag or option.count):
            yield option


def taken_in_silence(command: click.Command, *path: str) -> Iterator[str]:
    """Each option that may be given twice without a usage error that names it."""
    for option in single_options(command):
        for name in option.opts:
            values = ["1"] * option.nargs
            typed = [*path, name, *values, name, *values]
            found = CliRunner().invoke(group if path else command, typed)
            long = max(option.opts, key=len)
            if found.exit_code != 2 or f"expected {long} once, found it more than once" not in found.output:
                yield f"{' '.join(typed)}: {found.exit_code} {found.output}"


@pytest.mark.parametrize("name", ALL)
def test_an_option_given_twice_is_an_error(name: str) -> None:
    assert list(taken_in_silence(ALL[name], *name.split())) == []


def test_the_law_looks_at_options() -> None:
    assert sum(1 for command in ALL.values() for _ in single_options(command)) > 300


def test_the_law_catches_a_command_of_another_class() -> None:
    @click.command(cls=click.Command)
    @click.option("--data")
    def careless(data: str) -> None:
        click.echo(data)

    assert len(list(taken_in_silence(careless))) == 1
    careful = Command("careful", params=careless.params)
    assert list(taken_in_silence(careful)) == []


def test_a_flag_may_be_repeated_but_not_with_its_opposite(tmp_path: Path) -> None:
    files = [str(tmp_path / name) for name in ("qrels", "run")]
    Path(files[0]).write_text("q 0 d 1\n")
    Path(files[1]).write_text("q Q0 d 1 1.0 t\n")
    assert CliRunner().invoke(group, ["eval", *files, "-q", "-q"]).exit_code == 0
    found = CliRunner().invoke(group, ["vectors", "--exclude-self", "--include-self"])
    assert found.exit_code == 2
    assert "expected --exclude-self or --include-self, found both" in found.output


def test_help_is_given_whatever_else_was_typed() -> None:
    assert CliRunner().invoke(group, ["eval", "--digits", "1", "--digits", "2", "--help"]).exit_code == 0
