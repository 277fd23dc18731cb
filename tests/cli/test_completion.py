"""Completion: through click's protocol, and once through a bash."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from click.shell_completion import get_completion_class
from click.testing import CliRunner

from germane.cli import COMMANDS, group
from germane.cli.shell.completions import ARGUMENTS, OPTIONS
from tests.cli.test_help import ALL
from tests.conftest import ROOT


def offered(*words: str) -> list[str]:
    """What a shell is offered for the last of these words; a file is offered as FILE."""
    found = get_completion_class("bash")
    assert found is not None
    items = found(group, {}, "germane", "_GERMANE_COMPLETE").get_completions(list(words[:-1]), words[-1])
    return ["FILE" if item.type in ("file", "dir") else str(item.value) for item in items]


TYPED = [
    # typed                                 offered
    ("ev", ["FILE", "eval"]),
    ("c", ["FILE", "compare", "correlate", "classify", "check", "convert", "completion"]),
    ("qre", ["FILE"]),
    ("eval q", ["FILE"]),
    ("eval qrels.txt a.run --ti", ["--ties"]),
    ("eval --ties ex", ["expected"]),
    ("eval -m nD", ["nDCG", "nDCG@10"]),  # a shell types nDCG, and no space after it
    ("eval -m Bpr", ["Bpref"]),
    ("eval --fail-under RR", ["RR=", "RR@10="]),
    ("compare --fail-under RBP", ["RBP=", "RBP@10=", "RBPres=", "RBPres@10="]),
    ("classify -m MCC", ["MCC"]),
    ("explain MCC", ["MCC"]),
    ("explain AP q", ["FILE"]),
    ("measures nD", ["nDCG"]),
    ("retrieve library topics.tsv --model B", ["BIR", "BM25", "BII"]),
    ("search library --feedback ro", ["rocchio"]),
    ("correlate --coefficient tau-ap-", ["tau-ap-symmetric", "tau-ap-a", "tau-ap-b"]),
    ("threshold dev.csv --rule yo", ["youden"]),
    ("pool --method mt", ["mtf"]),
    ("pool simulate --method thom", ["thompson"]),
    ("pool si", ["FILE", "simulate"]),
    ("feedback --method rm", ["rm3"]),
    ("fuse --method comba", ["combanz"]),
    ("fuse --normalise z", ["zmuv"]),
    ("convert a b --to par", ["parquet"]),
    ("check --from be", ["beir"]),
    ("learn --learner la", ["lambdamart"]),
    ("learn --features prox", ["proximity"]),
    ("index library --analyser germ", ["german"]),
    ("plot ipr", ["iprec"]),
    ("agent tr", ["train"]),
    ("agent train --fee", ["--feedback"]),
    ("report q r -o ", ["FILE"]),
    ("completion z", ["zsh"]),
    ("demo --tutorial ex", ["exercise"]),
]


@pytest.mark.parametrize(("typed", "expected"), TYPED, ids=[typed for typed, _ in TYPED])
def test_words_are_completed(typed: str, expected: list[str]) -> None:
    assert offered(*typed.split(" ")) == expected


def test_every_command_is_offered_with_what_it_does() -> None:
    found = get_completion_class("zsh")
    assert found is not None
    items = found(group, {}, "germane", "_GERMANE_COMPLETE").get_completions([], "")
    assert {item.value: item.help for item in items if item.type == "plain"} == COMMANDS


def test_every_name_that_can_be_completed_is_one_of_a_command() -> None:
    options = {name for command in ALL.values() for param in command.params for name in param.opts}
    assert (OPTIONS.keys() | ARGUMENTS.keys()) - options == set()


@pytest.mark.parametrize("option", sorted(OPTIONS))
def test_every_registry_has_names(option: str) -> None:
    for name, command in ALL.items():
        if any(option in param.opts for param in command.params):
            assert offered(*name.split(), option, "") not in ([], ["FILE"]), name


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_script_is_printed(shell: str) -> None:
    result = CliRunner().invoke(group, ["completion", shell])
    assert result.exit_code == 0
    assert result.stderr == ""
    assert f"_GERMANE_COMPLETE={shell}_complete" in result.stdout
    assert shutil.which(shell) is None or shell != "bash" or _parses(result.stdout)


def _parses(script: str) -> bool:
    return subprocess.run(["bash", "-n"], input=script, text=True, check=False).returncode == 0


ASK_BASH = """
eval "$(germane completion bash)"
complete -p germane
try() {
    COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); COMPREPLY=()
    _germane_completion germane 2>/dev/null  # outside of a line that is typed there is no compopt
    echo "${COMPREPLY[*]}"
}
try germane thr
try germane eval -m nDC
"""


def test_a_real_bash_completes(tmp_path: Path) -> None:
    command = tmp_path / "germane"
    command.write_text(f'#!/bin/sh\nexec {sys.executable} -c "from germane.cli import main; main()" "$@"\n')
    command.chmod(0o755)
    there = {"PATH": f"{tmp_path}:{os.environ['PATH']}", "PYTHONPATH": f"{ROOT / 'src'}"}
    done = subprocess.run(
        ["bash", "--norc", "-c", ASK_BASH], env={**os.environ, **there}, capture_output=True, text=True, check=True
    )
    registered, *answers = done.stdout.splitlines()
    assert registered.endswith("-F _germane_completion germane")
    assert answers == ["threshold", "nDCG nDCG@10"]
