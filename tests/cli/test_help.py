"""Every `--help` reads as if one author wrote it: options that mean one thing, in one order, and examples that work."""

from __future__ import annotations

import io
import re
import shlex
import shutil
from collections.abc import Mapping
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from docs.examples import run_germane
from germane.cli import group
from germane.cli.options.sections import OTHER, PLACE, SECTIONS, long_name, section_of
from germane.output.rendering import STYLES
from tests.cli.example_files import make_files
from tests.commands import all_commands

Facts = Mapping[str, str]

DIFFER: dict[tuple[str, str], str] = {
    # option, what differs: why
    ("--to", "metavar"): "runs and judgments have formats of their own, which the command lists",
    ("--no-relevant", "default"): "labels count such queries as 0; feedback has nothing left to find for them",
    ("--measure", "default"): "what is measured if nothing is said depends on what the command is about",
    ("--top", "default"): "ten on a screen, a thousand in a run, all where runs are there already",
    ("--depth", "default"): "100 documents can be judged or reordered, 50 read; what costs nothing looks at all",
    ("--method", "default"): "each command has methods of its own",
    ("--feedback", "default"): "a person who marks wants feedback; a run has none unless it is asked for",
    ("--space", "default"): "the same space, which one command prints and the other refers to",
    ("--rule", "default"): "to choose a threshold takes a rule; a page shows one only if asked to",
    ("--rel", "default"): "judging projects and agents have said it before",
    ("--costs", "default"): "an agent always decides by costs, a run only if asked to",
    ("--rounds", "default"): "one round says what feedback is worth, an agent that learns needs some more",
    ("--interval", "default"): "a mean has none unless it is asked for; a rate has Wilson's",
    ("--interval", "choices"): "means and proportions have different intervals",
    ("--resamples", "default"): "to draw a project again costs more than to draw rows",
    ("--test", "meaning"): "significance here, the test set of `threshold` there: both are what the field calls them",
    ("--test", "metavar"): "a file",
    ("--test", "default"): "a file has none",
    ("--test", "choices"): "pages are about systems on the same queries",
    ("--correction", "default"): "of means, the one whose intervals agree with it; classifiers have none that do",
    ("--level", "default"): "differences have the level of their test, unless another is asked for",
    ("--correction", "choices"): "max-t needs the queries that all systems share",
    ("--kind", "choices"): "rankings that are compared may be leaderboards, files that are checked judgments",
    ("--ties", "choices"): "vectors have no rank column, and runs that are fused have one order",
    ("--title", "default"): "of a page or of a project",
    ("--size", "meaning"): "of a sample of queries, or of a figure: both are what the field calls them",
    ("--size", "metavar"): "a count there, a name or width and height here",
    ("--size", "default"): "a figure without a size is as wide as a screen shows it",
    ("--size", "spelling"): "a figure has no -n",
    ("--grades", "default"): "a project is asked, judgments show them",
    ("--threads", "default"): "a server is asked one question at a time",
    ("--show", "default"): "five of a list are examples, a worked table is to be seen",
    ("--slices", "metavar"): "queries have their slices in a file, items in a column of theirs",
    ("--task", "meaning"): "explain breaks down classes and sets of labels only",
    ("--task", "choices"): "explain breaks down classes and sets of labels only",
    ("--missing", "meaning"): "of values in a table, or of items in a ranking: both are what the field calls them",
    ("--missing", "choices"): "an item may be appended, a row cannot",
    ("--missing", "default"): "a row without a value is an error, a ranking without an item is not",
    ("--output", "default"): "exercises are printed, and what is in other files has no place on a screen",
}  # fmt: skip
"""The only differences between options of one name."""


ALL = dict(all_commands())


def facts(option: click.Option) -> Facts:
    """What must be the same wherever an option of this name is."""
    text, _, told = (option.help or "").partition("  [default: ")
    given = option.default if option.show_default else None
    default = told.removesuffix("]") or ("" if given is None else str(given))
    choices = " ".join(option.type.choices) if isinstance(option.type, click.Choice) else ""
    if long_name(option) == "--format":  # some tables cannot be had in every style
        assert choices.split() == [style for style in STYLES if style in choices.split()]
        choices = ""
    return {
        "meaning": text.replace("; may be repeated", ""),
        "metavar": option.metavar or "",
        "default": default,
        "choices": choices,
        "spelling": " ".join(option.opts),
    }


def differences(commands: Mapping[str, click.Command]) -> set[tuple[str, str]]:
    """Options that are not the same everywhere, and in what."""
    seen: dict[str, dict[str, set[str]]] = {}
    for command in commands.values():
        for option in command.params:
            if isinstance(option, click.Option):
                for fact, value in facts(option).items():
                    seen.setdefault(long_name(option), {}).setdefault(fact, set()).add(value)
    return {(name, fact) for name, found in seen.items() for fact, values in found.items() if len(values) > 1}


def test_one_name_means_one_thing() -> None:
    assert differences(ALL) - DIFFER.keys() == set()


def test_no_difference_is_excused_that_is_not_there() -> None:
    assert DIFFER.keys() - differences(ALL) == set()


def test_a_second_meaning_is_caught() -> None:
    other = click.Command("other", params=[click.Option(["--ties"], help="What to wear.", metavar="COLOUR")])
    found = differences({**ALL, "other": other}) - differences(ALL)
    assert {("--ties", "meaning"), ("--ties", "metavar"), ("--ties", "default")} <= found


def test_a_short_name_belongs_to_one_option() -> None:
    owners: dict[str, set[str]] = {}
    for command in ALL.values():
        for option in command.params:
            for name in option.opts:
                if re.fullmatch(r"-\w", name):
                    owners.setdefault(name, set()).add(long_name(option))
    assert {name: found for name, found in owners.items() if len(found) > 1} == {}


def test_every_option_has_its_place_and_every_place_an_option() -> None:
    options = {long_name(option) for command in ALL.values() for option in command.params if option.opts[0][0] == "-"}
    assert options - PLACE.keys() == set()
    assert PLACE.keys() - options - {"--help"} == set()


def headings(text: str) -> list[str]:
    return [line[:-1] for line in text.splitlines() if re.fullmatch(r"\S.*:", line)]


def in_order(found: list[str]) -> bool:
    """Usage is first, then the examples, then the sections that there are, in the one order."""
    order = ["Examples", "Commands", *SECTIONS, OTHER, "Rules", "Layouts"]
    places = [order.index(title) for title in found]
    return places == sorted(places)


def help_of(name: str) -> str:
    result = CliRunner().invoke(group, [*name.split(), "--help"])
    assert result.exit_code == 0
    return result.output


@pytest.mark.parametrize("name", [name for name in ALL if name != "trec_eval"])  # which prints trec_eval's own
def test_help_is_laid_out_alike(name: str) -> None:
    text = help_of(name)
    assert text.startswith("Usage: germane ")
    assert in_order(headings(text)), headings(text)
    assert OTHER not in headings(text)
    first, *_ = (ALL[name].help or "").split("\n\n")
    assert re.search(r"[.…]\s*$", first), "the first sentence ends"


def test_sections_in_another_order_are_caught() -> None:
    assert not in_order(["Examples", "Output", "Statistics"])


def test_sections_are_those_of_the_table() -> None:
    option = click.Option(["-k", "--top"])
    assert section_of(option) == "Evaluation"


def test_every_command_has_one_to_three_examples_that_begin_with_it() -> None:
    for name, command in ALL.items():
        if isinstance(command, click.Group):
            continue
        assert 1 <= len(command.examples) <= 3, name
        shown = [f"germane {name}", f"germane {name.removesuffix(' make')}"]
        assert all(any(line.startswith(start) for start in shown) for line in command.examples), name


CANNOT_RUN = {
    "germane judge pool.jsonl --documents docs.jsonl --query-texts topics.tsv": "a server, until it is stopped",
    "germane judge pool.jsonl --documents docs.jsonl --query-texts topics.tsv --judgments-per-doc 2 "
    "--assessor ann": "a server",
    "germane judge pool.jsonl --documents docs.jsonl --query-texts topics.tsv "
    "--grades '0=no,1=partly,2=yes'": "a server",
    "germane search library --serve": "a server, until it is stopped",
    "germane retrieve opensearch+https://search.example.org/library topics.tsv -o os.run": "an engine elsewhere",
    "germane agree pool.judging.db": "a project that a server made",
    "germane release pool.judging.db -o release --policy median": "a project that a server made",
    "germane demo": "seconds; tests/cli/test_demo.py runs it",
    "germane demo --images pictures.html": "seconds, and scikit-learn; tests/demo/test_digits.py runs it",
}
"""Examples that are not run here, and why; their options are read all the same."""

EXAMPLES = [(name, line) for name, command in ALL.items() for line in command.examples]


@pytest.fixture(scope="session")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with all files that examples speak of."""
    folder = tmp_path_factory.mktemp("examples")
    make_files(folder)
    return folder


@pytest.mark.parametrize(("name", "line"), EXAMPLES, ids=[line for _, line in EXAMPLES])
def test_examples_work(name: str, line: str, files: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    words = shlex.split(line.partition(" > ")[0])[1:]
    if line in CANNOT_RUN:
        rest = words[len(name.split()) :]
        with ALL[name].make_context(name, rest) as context:
            assert context.params
        return
    shutil.copytree(files, tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.stdin", io.StringIO(""))
    if "mine.txt" in words:  # then the sheet itself has no answers
        shutil.copy("blank.md", "sheet.md")
    if written := to_be_written(words):
        shutil.rmtree(written, ignore_errors=True)
        Path(written).unlink(missing_ok=True)
    printed, status = run_germane([each for word in words for each in as_a_shell_expands(word)])
    assert status == 0, printed


def as_a_shell_expands(word: str) -> list[str]:
    return sorted(map(str, Path().glob(word))) if "*" in word else [word]


def to_be_written(words: list[str]) -> str | None:
    """What an example makes, which must not be there before."""
    if words[0] == "index":
        return words[1] if len(words) > 2 and "--overwrite" not in words else None
    return words[words.index("-o") + 1] if "-o" in words else None


def test_nothing_is_left_out_that_is_no_example() -> None:
    assert CANNOT_RUN.keys() - {line for _, line in EXAMPLES} == set()
