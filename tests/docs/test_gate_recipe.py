"""The recipes for CI: they are YAML, and the commands in them are ones that germane takes."""

from __future__ import annotations

import re
import shlex
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

import click
import pytest

from germane.api.comparisons.comparison import compare
from germane.api.rankings.evaluation import evaluate
from germane.cli import CONTEXT, group
from germane.cli.options.gates import parse_limit
from germane.demo.files_for_researcher import make
from germane.output.texts.change_comment import MARK
from tests.conftest import ROOT

PAGE = (ROOT / "docs" / "how_to" / "gate_in_ci.md").read_text(encoding="utf-8")
GITHUB, GITLAB = re.findall(r"^```yaml\n(.*?)^```$", PAGE, re.M | re.S)


def commands(recipe: str) -> list[list[str]]:
    """The command lines of germane; a line that begins with an option goes on with the one before."""
    joined = re.sub(r"\n +(?=-m |--)", " ", recipe)
    return [shlex.split(line) for line in re.findall(r"^[ -]*(germane .*)$", joined, re.M)]


def wrong(arguments: list[str]) -> str:
    """What germane finds wrong with a command line, before it looks at any file."""
    context = click.Context(group, info_name="germane", **CONTEXT)
    command = group.get_command(context, arguments[1])
    if command is None:
        return f"no command {arguments[1]}"
    try:
        made = command.make_context(arguments[1], arguments[2:], parent=context)
    except click.UsageError as problem:
        return problem.format_message()
    for text in made.params.get("gates", ()):
        parse_limit(text, "AP=.3")
    return ""


@pytest.mark.parametrize("recipe", [GITHUB, GITLAB], ids=["github", "gitlab"])
def test_a_recipe_asks_compares_and_comments(recipe: str) -> None:
    found = commands(recipe)
    assert [words[1] for words in found] == ["index", "retrieve", "compare"]
    assert [wrong(words) for words in found] == ["", "", ""]
    compared = found[-1]
    assert {"--fail-under", "--query-texts"} <= set(compared)
    written = compared[compared.index("--comment") + 1]
    assert re.search(rf"body=[@<]{re.escape(written)}", recipe), "the comment that is written is the one posted"


def test_a_wrong_option_in_a_recipe_is_caught() -> None:
    assert "--fail-below" in wrong(shlex.split("germane compare qrels a.run b.run --fail-below AP=1"))
    assert wrong(shlex.split("germane compar qrels")) == "no command compar"


def test_both_recipes_run_the_same_commands() -> None:
    assert commands(GITHUB) == commands(GITLAB)


def test_the_job_finds_its_comment_by_the_mark_that_it_has() -> None:
    assert MARK in GITHUB


def test_the_queries_needed_are_those_of_the_page(tmp_path: Path) -> None:
    """By the measures of the jobs, and by the gate's alone."""
    make(tmp_path)
    words = commands(GITHUB)[-1]
    measures = words[words.index("-m") + 1].split()
    gated, limit = parse_limit(words[words.index("--fail-under") + 1], "AP=.3")
    runs = [tmp_path / "runs" / name for name in ("bm25.run", "bm25_rm3.run")]
    needed = [
        compare(evaluate(tmp_path / "qrels.txt", runs, asked), difference=-limit)[gated, "bm25", "bm25_rm3"]
        for asked in (measures, [gated])
    ]
    together, alone = (pair.queries_needed for pair in needed)
    assert f"`queries needed` is {together} and not {alone}." in " ".join(PAGE.split())


if find_spec("yaml") is not None:  # which nothing here needs but this test
    yaml = import_module("yaml")

    def test_the_recipes_are_yaml_and_the_commands_are_what_they_run() -> None:
        steps = yaml.safe_load(GITHUB)["jobs"]["relevance"]["steps"]
        script = yaml.safe_load(GITLAB)["relevance"]["script"]
        for lines in (step["run"] for step in steps if "run" in step), script:
            run = [shlex.split(line) for text in lines for line in text.splitlines() if line.startswith("germane ")]
            assert run == commands(GITHUB)
