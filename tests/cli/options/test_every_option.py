"""No option does nothing: each one, given once to a call that works, changes what is printed, written or returned."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import click
import pytest

from tests.cli.options.world import make_world, outcome
from tests.commands import leaf_commands

UNSEEN = {
    "vectors --device": "the processor is the default, and a GPU is not everywhere",
    "retrieve --timeout": "is for servers, and nothing here waits for one",
    "tune --threads": "the answers do not depend on how many are evaluated at a time",
}
ELSEWHERE = {
    "eval --engine": "tests/distributed",
    "eval --master": "tests/distributed",
    "classify --engine": "tests/distributed",
    "classify --master": "tests/distributed",
    "demo --images": "tests/demo/test_digits.py",
    "retrieve --template": "tests/retrieval/engines, with a server",
    "retrieve --digits": "tests/cli/test_retrieve.py: what has decimals are times, which differ each time",
    "retrieve --color": "tests/cli/test_retrieve.py, as above",
}
QUICK = ("eval", "explain", "fuse", "convert", "check")
"""Commands that every run of the tests tries; `.ci/run` tries them all."""


COMMANDS = dict(leaf_commands())


@dataclass(frozen=True)
class Try:
    """An option with the call without it and the call with it."""

    command: str
    option: str
    seen: bool
    refused: bool
    without: tuple[str, ...]
    given: tuple[str, ...]


def given_instead(command: str, call: tuple[str, ...], words: list[str]) -> tuple[str, ...]:
    """The call with these words; an option that takes one value, and that the call has already, gets the new one."""
    single = {
        name: option
        for option in COMMANDS[command].params
        if isinstance(option, click.Option) and not (option.multiple or option.is_flag or option.count)
        for name in option.opts
    }
    again = {single[word] for word in words if word in single}
    kept: list[str] = []
    rest = iter(call)
    for word in rest:
        if single.get(word) in again:
            next(rest)
        else:
            kept.append(word)
    return (*kept, *words)


def tries(text: str) -> Iterator[Try]:
    """What the file of cases says."""
    call: list[str] = []
    for line in text.splitlines():
        if not line.strip() or line.startswith("#"):
            continue
        if not line.startswith(" "):
            call = shlex.split(line)
            continue
        option, _, rest = line.strip().partition(" ")
        both, _, given = rest.rpartition("|")
        words = [word for word in call if word in GROUPS.get(call[0], ())] if call[0] in GROUPS else []
        command = " ".join([call[0], *words[:1]])
        without = given_instead(command, tuple(call), shlex.split(both))
        seen, refused = not option.endswith("$"), option.endswith("!")
        yield Try(
            command, option.rstrip("$!"), seen, refused, without, given_instead(command, without, shlex.split(given))
        )


GROUPS = {
    name.split()[0]: [other.split()[1] for other, _ in leaf_commands() if other.startswith(f"{name.split()[0]} ")]
    for name, _ in leaf_commands()
    if " " in name
}
CASES = (Path(__file__).parent / "cases.txt").read_text(encoding="utf-8")
TRIES = list(tries(CASES))


def options_without_a_try(cases: str) -> list[str]:
    """Options that no line of the cases tries."""
    tried = {f"{each.command} {each.option}" for each in tries(cases)}
    there = {
        f"{name} {max(option.opts, key=len)}"
        for name, command in leaf_commands()
        for option in command.params
        if isinstance(option, click.Option)
    }
    return sorted(there - tried - set(ELSEWHERE))


def test_every_option_is_tried() -> None:
    assert options_without_a_try(CASES) == []
    assert {f"{each.command} {each.option}" for each in TRIES if not each.seen} == set(UNSEEN)


def test_an_option_that_is_not_tried_is_caught() -> None:
    assert options_without_a_try(re.sub(r"\n +--bounds .*", "", CASES)) == ["eval --bounds"]


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("world")
    make_world(folder)
    return folder


@pytest.fixture(scope="module")
def scratch(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("scratch")


@cache
def _kept(world: Path, scratch: Path, call: tuple[str, ...]) -> tuple[int, str, dict[str, str]]:
    return outcome(world, scratch, list(call))


def _mark(command: str) -> list[pytest.MarkDecorator]:
    return [] if command in QUICK else [pytest.mark.slow]


@pytest.mark.parametrize(
    "each", [pytest.param(each, id=f"{each.command} {each.option}", marks=_mark(each.command)) for each in TRIES]
)
def test_an_option_changes_something(each: Try, world: Path, scratch: Path) -> None:
    without, given = _kept(world, scratch, each.without), outcome(world, scratch, list(each.given))
    assert given[0] in ((2,) if each.refused else (0, 1)), given[1]  # 1: a gate that was asked for
    assert (given != without) == each.seen, (without[1][-2000:], given[1][-2000:])


CALLS = {each.without: each.command for each in TRIES if "--offline" not in each.without}
"""Less those that write a bundle, whose tasks have names drawn by chance; what is printed of it tells them apart."""


@pytest.mark.parametrize(
    "call", [pytest.param(call, id=shlex.join(call), marks=_mark(command)) for call, command in CALLS.items()]
)
def test_a_call_gives_the_same_twice(call: tuple[str, ...], world: Path, scratch: Path) -> None:
    """Else any option would seem to change something."""
    assert _kept(world, scratch, call) == outcome(world, scratch, list(call))
