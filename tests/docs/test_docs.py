"""The documentation says what the code does: generated pages are fresh, commands, options and measures are listed."""

from __future__ import annotations

import re
from pathlib import Path

import click
import pytest

from docs import examples, generate
from docs.reference_pages.json_output import sample_keys
from germane.cli import COMMANDS
from germane.measures.definition import MEASURES, Definition
from tests.commands import all_commands
from tests.conftest import ROOT
from tests.docs.pages import COMMANDS_PAGE, WRITTEN, name_of, text_of


def stale(fresh: dict[str, str], root: Path) -> list[str]:
    """The files that differ from what would be generated now."""
    return [name for name, text in fresh.items() if not (root / name).exists() or text_of(root / name) != text]


def test_generated_pages_are_up_to_date() -> None:
    assert stale(generate.generate(), ROOT) == [], "run `make docs`"


def test_a_stale_page_is_caught(tmp_path: Path) -> None:
    (tmp_path / "fresh.md").write_text("as generated\n", encoding="utf-8")
    (tmp_path / "stale.md").write_text("as it was\n", encoding="utf-8")
    fresh = {"fresh.md": "as generated\n", "stale.md": "as it is\n", "missing.md": "new\n"}
    assert stale(fresh, tmp_path) == ["stale.md", "missing.md"]


def undocumented_options(page: str) -> list[str]:
    """Options of any command that the page does not have, in the section of their command."""
    sections = dict(re.findall(r"^## germane ([^\n]+)\n(.*?)(?=^## |\Z)", page, flags=re.M | re.S))
    return [
        f"{name} {spelling}"
        for name, command in all_commands()
        for option in command.params
        if isinstance(option, click.Option)
        for spelling in option.opts
        if not re.search(rf"`[^`]*(?<![\w-]){re.escape(spelling)}(?![\w-])", sections.get(name, ""))
    ]


def test_every_command_and_option_is_in_the_reference() -> None:
    page = text_of(COMMANDS_PAGE)
    assert [name for name, _ in all_commands() if f"## germane {name}\n" not in page] == []
    assert undocumented_options(page) == []


def test_a_forgotten_option_is_caught() -> None:
    page = text_of(COMMANDS_PAGE)
    assert undocumented_options(page.replace("`--bounds`", "")) == ["eval --bounds"]


def test_every_command_is_shown_in_the_readme_or_a_how_to() -> None:
    shown = "".join(text_of(page) for page in WRITTEN)
    assert [name for name, _ in all_commands() if f"germane {name}" not in shown] == []


def unknown_words(page: str) -> list[str]:
    """Commands and options that a page speaks of and that do not exist."""
    options = {
        spelling
        for _, command in all_commands()
        for option in command.params
        for spelling in (*option.opts, *option.secondary_opts)
    }
    options |= set(re.findall(r"--[a-z-]+", examples.run_germane(["trec_eval", "--help"])[0]))
    options |= {"--version", "--help"}
    page = re.sub(r"python benchmarks/[^`\n]*", "", page)  # which have options of their own
    commands = re.findall(r"^\$ germane ([a-z_]\w*)|`germane ([a-z_]\w*)", page, flags=re.M)
    return [
        *(word for pair in commands for word in pair if word and word not in COMMANDS),
        *(word for word in re.findall(r"(?<![\w-])--[a-z][a-z-]*", page) if word not in options),
    ]


@pytest.mark.parametrize("page", WRITTEN, ids=name_of)
def test_pages_speak_of_commands_and_options_that_exist(page: Path) -> None:
    assert unknown_words(text_of(page)) == []


def test_a_command_or_option_that_does_not_exist_is_caught() -> None:
    assert unknown_words("`germane evaluate` and `germane eval --fail-over AP=1`") == ["evaluate", "--fail-over"]


@pytest.mark.parametrize("definition", MEASURES, ids=lambda definition: str(definition.name))
def test_every_measure_is_in_the_reference_and_at_a_glance(definition: Definition) -> None:
    assert f"\n### {definition.name}\n" in text_of(ROOT / "docs" / "reference" / "measures.md")
    assert f"| [`{definition.name}`]" in text_of(ROOT / "docs" / "reference" / "at_a_glance.md")


def test_every_key_of_the_json_samples_is_explained() -> None:
    page = text_of(ROOT / "docs" / "reference" / "json.md")
    prose = re.sub(r"^```json\n.*?^```$", "", page, flags=re.M | re.S)
    of_the_data = {"AP", "P@5", "Q1", "Q2", "Q3", "short", "long", "system1", "system2", "old", "new", "other", "AUC"}
    of_the_data |= {"0", "1", "2", "ann", "qrels.txt", "strata"}  # grades, people, files, parameters
    of_the_data |= {"bank", "river", "river bank", "d2"}  # terms of a query, queries, documents
    of_the_data |= {"3", "4", "cosine", "length", "PPV", "BM25.b"}  # topics, features, rates, parameters
    of_the_data |= {"observed", "kappa", "tau-b", "rbo-a"}  # names of the reference
    of_the_data |= {"R@2", "exact"}  # measures, runs
    of_the_data |= {"lowest, undecided", "unjudged", "one judgment", "unanimous"}  # how a document was decided
    assert {key for key in sample_keys() - of_the_data if f"`{key}`" not in prose} == set()


def test_the_names_of_the_trec_table_are_read_as_it_says() -> None:
    page = text_of(ROOT / "docs" / "explanation" / "trec_conventions.md").partition("## The names")[2]
    rows = [line.split("|")[1:3] for line in page.partition("## The options")[0].splitlines() if line.startswith("| `")]
    pairs = [
        (theirs, ours)
        for left, right in rows
        for theirs, ours in zip(re.findall(r"`([^`]+)`", left), re.findall(r"`([^`]+)`", right), strict=False)
        if theirs != "gm_map" and "=" not in theirs and "," not in theirs  # which it says are not read
    ]
    assert len(pairs) > 20
    assert [(theirs, str(MEASURES.parse(theirs))) for theirs, _ in pairs] == pairs
