"""The documentation says what the code does: generated pages are fresh, examples run, links lead somewhere."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from docs import examples, generate
from germane.cli import COMMANDS, group
from germane.measures.deciding.rates import RATES, parse_rate
from germane.measures.names import parse_measure
from germane.measures.registry import Definition, all_definitions
from germane.report.decision_pages import decision_kinds
from germane.stats.cell_bootstrap import CELLS_METHODS
from germane.stats.coefficients import all_coefficients
from germane.stats.corrections import CORRECTIONS
from germane.stats.delong import AUC_INTERVALS
from germane.stats.intervals import INTERVALS
from germane.stats.mcnemar import MCNEMAR
from germane.stats.paired_classifiers import CLASSIFIER_TESTS
from germane.stats.paired_tests import PAIRED_TESTS
from germane.stats.proportions import PROPORTION_INTERVALS
from germane.stats.rate_intervals import RATE_METHODS
from germane.stats.threshold_rules import THRESHOLD_RULES
from germane.stats.unpaired_tests import UNPAIRED_TESTS
from tests.conftest import ROOT

PAGES = [ROOT / "README.md", ROOT / "CHANGELOG.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
WRITTEN = examples.pages()
COMMANDS_PAGE = ROOT / "docs" / "reference" / "commands.md"
STATISTICS_PAGE = ROOT / "docs" / "reference" / "statistics.md"


def name_of(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def text_of(path: Path) -> str:
    return path.read_text(encoding="utf-8")


def all_commands() -> Iterator[tuple[str, click.Command]]:
    """Every command with its full name, those inside groups included."""
    context = click.Context(group, info_name="germane")
    for name in COMMANDS:
        command = group.get_command(context, name)
        assert command is not None
        yield name, command
        if isinstance(command, click.Group):
            yield from ((f"{name} {inner}", found) for inner, found in command.commands.items())


# Generated pages


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


def test_the_readme_keeps_a_place_for_the_benchmarks() -> None:
    assert re.search(r"<!-- benchmarks -->\n(.*\n)*<!-- /benchmarks -->", text_of(ROOT / "README.md"))


# What there is, is documented


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
    page = re.sub(r"^python benchmarks/.*$", "", page, flags=re.M)  # which have options of their own
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


@pytest.mark.parametrize("definition", all_definitions(), ids=lambda definition: str(definition.name))
def test_every_measure_is_in_the_reference_and_in_the_readme(definition: Definition) -> None:
    assert f"\n### {definition.name}\n" in text_of(ROOT / "docs" / "reference" / "measures.md")
    assert f"| [`{definition.name}`]" in text_of(ROOT / "README.md")


def undocumented_statistics(page: str) -> list[str]:
    """What a registry or an option of `compare` offers and the page does not have, in the part where it belongs."""
    parts = dict(re.findall(r"^## ([^\n]+)\n(.*?)(?=^## |\Z)", page, flags=re.M | re.S))
    offered = {
        "Intervals": {*INTERVALS, *choices_of("compare", "--interval"), *choices_of("eval", "--interval")},
        "Test": {*PAIRED_TESTS, *UNPAIRED_TESTS, *choices_of("compare", "--test")},
        "Corrections": {*CORRECTIONS, *choices_of("compare", "--correction")} - {"none"},
        "Rank correlation coefficients": {entry.name for entry in all_coefficients()},
    }
    return [
        f"{part}: {name}"
        for part, names in offered.items()
        for name in sorted(names)
        if f"\n### {name}\n" not in "".join(text for title, text in parts.items() if title.startswith(part))
    ]


def choices_of(command: str, option: str) -> list[str]:
    """The words that an option takes."""
    found = [param for param in dict(all_commands())[command].params if option in param.opts]
    assert isinstance(found[0].type, click.Choice)
    return [str(choice) for choice in found[0].type.choices]


def test_every_interval_test_correction_and_coefficient_is_in_the_reference() -> None:
    assert undocumented_statistics(text_of(STATISTICS_PAGE)) == []


def test_every_caution_is_in_the_reference() -> None:
    page = text_of(STATISTICS_PAGE)
    owed = [test.owes for test in PAIRED_TESTS.values()] + [test.owes for test in UNPAIRED_TESTS.values()]
    assert any(owed)
    assert [caution for caution in owed if caution not in page] == []


@pytest.mark.parametrize(
    ("heading", "missing"),
    [
        ("### bca\n", "Intervals: bca"),
        ("### randomised-tukey\n", "Test: randomised-tukey"),
        ("### permutation\n", "Test: permutation"),
        ("### max-t\n", "Corrections: max-t"),
        ("### tau-ap\n", "Rank correlation coefficients: tau-ap"),
    ],
)
def test_a_forgotten_statistic_is_caught(heading: str, missing: str) -> None:
    assert undocumented_statistics(text_of(STATISTICS_PAGE).replace(heading, "")) == [missing]


def test_an_interval_is_not_taken_for_a_test_of_the_same_name() -> None:
    intervals, tests = text_of(STATISTICS_PAGE).split("## Tests of two systems", maxsplit=1)
    assert undocumented_statistics(intervals + "## Tests of two systems" + tests.replace("### t\n", "")) == ["Test: t"]


def test_the_table_of_coverage_has_every_interval() -> None:
    page = text_of(ROOT / "docs" / "explanation" / "families_and_p_hacking.md")
    assert f"| values | queries | {' | '.join(INTERVALS)} |" in page


def test_every_key_of_the_json_samples_is_explained() -> None:
    page = text_of(ROOT / "docs" / "reference" / "json.md")
    prose = re.sub(r"^```json\n.*?^```$", "", page, flags=re.M | re.S)
    of_the_data = {"AP", "P@5", "Q1", "Q2", "Q3", "short", "long", "system1", "system2", "old", "new", "other", "AUC"}
    of_the_data |= {"0", "1", "2", "ann", "qrels.txt", "strata"}  # grades, people, files, parameters
    of_the_data |= {"bank", "river", "river bank", "d2"}  # terms of a query, queries, documents
    of_the_data |= {"3", "4", "cosine", "length", "PPV", "BM25.b"}  # topics, features, rates, parameters
    of_the_data |= {"observed", "kappa", "tau-b", "rbo-a"}  # names of the reference
    of_the_data |= {"R@2", "exact"}  # measures, runs
    of_the_data |= {"lowest, undecided", "not judged", "one judgment", "unanimous"}  # how a document was decided
    assert {key for key in generate.sample_keys() - of_the_data if f"`{key}`" not in prose} == set()


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
    assert [(theirs, str(parse_measure(theirs))) for theirs, _ in pairs] == pairs


# Measures of decisions

DECISIONS_PAGE = ROOT / "docs" / "reference" / "decisions.md"
RATES_PAGE = ROOT / "docs" / "explanation" / "rates_and_intervals.md"
DECISION_KINDS = [(kind, entry) for kind, entries in decision_kinds() for entry in entries]
HOW_TOS_OF_DECISIONS = (
    "classify.md",
    "choose_a_threshold.md",
    "compare_classifiers.md",
    "probabilities_and_calibration.md",
    "regression_clusters_and_more.md",
)


def undocumented_decisions(page: str) -> list[str]:
    """Measures of decisions without a section of their own, with all their names, in the part of their kind."""
    parts = dict(re.findall(r"^## ([^\n]+)\n(.*?)(?=^## |\Z)", page, flags=re.M | re.S))
    found = []
    for kind, entry in DECISION_KINDS:
        sections = dict(re.findall(r"^### (\S+)[^\n]*\n(.*?)(?=^### |\Z)", parts.get(kind, ""), flags=re.M | re.S))
        section = sections.get(entry.name, "").replace("\\", "")
        found += [entry.name] if not section else [name for name in entry.names if name not in section]
    return found


def test_every_measure_of_decisions_is_in_the_reference_and_in_the_readme() -> None:
    assert undocumented_decisions(text_of(DECISIONS_PAGE)) == []
    readme = text_of(ROOT / "README.md").partition("<!-- decisions -->")[2]
    assert [entry.name for _, entry in DECISION_KINDS if f"| [`{entry.name}`]" not in readme] == []


@pytest.mark.parametrize("forgotten", ["TPR", "PPV_at", "minDCF", "V_measure"])
def test_a_forgotten_measure_of_decisions_is_caught(forgotten: str) -> None:
    page = text_of(DECISIONS_PAGE).replace(f"### {forgotten}\n", "")
    assert forgotten in undocumented_decisions(page)


def test_a_forgotten_name_of_a_rate_is_caught() -> None:
    assert undocumented_decisions(text_of(DECISIONS_PAGE).replace("hit rate", "hits")) == ["hit rate"]


def misnamed(page: str) -> list[str]:
    """Names in the table of rates that are read as another rate, or as none."""
    table = page.partition("<!-- names -->")[2].partition("<!-- /names -->")[0]
    rows = [line.split(" | ") for line in table.splitlines() if line.startswith("| ")]
    wrong = []
    for rate, _, names, _ in rows[2:]:
        own = rate.removeprefix("| ")
        aliases = [name.strip() for name in names.split(", ")]
        known = {*RATES[own].names}
        wrong += [
            name for name in aliases if name in known and parse_rate(_with_parameters(own, name)).rate.name != own
        ]
        wrong += [f"{own}: {name}" for name in known if name not in aliases]
    return wrong


def _with_parameters(own: str, name: str) -> str:
    given = ", ".join(f"{key}=0.5" for key, default in RATES[own].defaults.items() if default is None)
    return f"{name}({given})" if given else name


def test_the_table_of_names_is_read_as_it_says() -> None:
    page = text_of(RATES_PAGE)
    assert [rate for rate in RATES if f"\n| {rate} | `" not in page] == []
    assert misnamed(page) == []
    assert misnamed(page.replace("specificity, ", "")) == ["TNR: specificity"]


def test_every_option_of_classify_and_threshold_is_in_a_how_to() -> None:
    text = "".join(text_of(ROOT / "docs" / "how_to" / name) for name in HOW_TOS_OF_DECISIONS)
    known = dict(all_commands())
    options = {
        spelling for name in ("classify", "threshold") for param in known[name].params for spelling in param.opts
    }
    missing = {option for option in options if option.startswith("--") and not re.search(rf"{option}(?![\w-])", text)}
    assert missing == set()


def undocumented_methods(page: str) -> list[str]:
    """Intervals, tests and rules of decisions that the reference does not have."""
    parts = dict(re.findall(r"^## ([^\n]+)\n(.*?)(?=^## |\Z)", page, flags=re.M | re.S))
    offered = {
        "Rates:": {*PROPORTION_INTERVALS, *RATE_METHODS, *CELLS_METHODS} - {"none"},
        "AUC: intervals": {*AUC_INTERVALS},
        "Classifiers:": {*CLASSIFIER_TESTS, *MCNEMAR},
        "Threshold rules": {*THRESHOLD_RULES},
    }
    return [
        name
        for part, names in offered.items()
        for name in sorted(names)
        if f"\n### {name}\n" not in "".join(text for title, text in parts.items() if title.startswith(part))
    ]


def test_every_interval_test_and_rule_of_decisions_is_in_the_reference() -> None:
    page = text_of(STATISTICS_PAGE)
    assert undocumented_methods(page) == []
    assert undocumented_methods(page.replace("### mcnemar mid-p\n", "")) == ["mcnemar mid-p"]


def test_every_threshold_rule_is_in_the_how_to() -> None:
    page = text_of(ROOT / "docs" / "how_to" / "choose_a_threshold.md").partition("## The rules")[2]
    words = {name: name for name in THRESHOLD_RULES} | {"rate": "any rate", "rule-out, rule-in": "rule-out TPR"}
    assert [name for name, word in words.items() if word not in page] == []


# Links


def anchors(page: str) -> set[str]:
    """What a link to a place in the page may be called."""
    headings = re.findall(r"^#+ (.+)$", re.sub(r"^```.*?^```$", "", page, flags=re.M | re.S), flags=re.M)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def dead_links(text: str, page: Path) -> list[str]:
    """Relative links of a page that lead nowhere."""
    dead = []
    for link in re.findall(r"\]\(([^)\s]+)\)", re.sub(r"^```.*?^```$", "", text, flags=re.M | re.S)):
        if re.match(r"[a-z]+:", link):
            continue
        path, _, anchor = link.partition("#")
        target = (page.parent / path).resolve() if path else page
        known = anchors(text if target == page else text_of(target)) if anchor and target.is_file() else set()
        if not target.exists() or (anchor and anchor not in known):
            dead.append(link)
    return dead


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_every_relative_link_leads_somewhere(page: Path) -> None:
    assert dead_links(text_of(page), page) == []


def test_a_dead_link_is_caught(tmp_path: Path) -> None:
    (tmp_path / "there.md").write_text("# A Place\n", encoding="utf-8")
    text = (
        "[a](there.md) [b](there.md#a-place) [c](there.md#nowhere) [d](gone.md) [e](https://example.org) [f](#home)\n"
    )
    assert dead_links(text, tmp_path / "page.md") == ["there.md#nowhere", "gone.md", "#home"]


# Examples


@pytest.mark.parametrize("page", WRITTEN, ids=name_of)
def test_examples_print_what_the_page_shows(page: Path) -> None:
    problems = examples.rerun(text_of(page), name_of(page)).problems
    assert problems == [], "\n\n".join(["run `make docs` and look at the difference", *map(str, problems)])


LYING = """
```console
$ germane eval qrels.txt system1.run -m RR
run          RR
system1  0.9999
$ echo $?
0
```
"""


def test_an_example_that_shows_another_output_is_caught_and_corrected() -> None:
    rerun = examples.rerun(LYING, "page.md")
    assert [(problem.line, problem.example) for problem in rerun.problems] == [
        (3, "$ germane eval qrels.txt system1.run -m RR")
    ]
    assert "system1        3  0.8333" in rerun.text
    assert examples.rerun(rerun.text, "page.md").problems == []


def test_a_python_example_that_shows_another_result_is_caught() -> None:
    page = "```python\nx = 2\n```\n\n```python\n>>> x + x\n5\n\n```\n"
    assert len(examples.rerun(page, "page.md").problems) == 1
    assert examples.rerun(page.replace("5", "4"), "page.md").problems == []


def test_a_page_makes_the_files_that_it_shows_and_sees_exit_statuses() -> None:
    page = "```console\n$ cat new.txt\nQ1 0 Im38 1\n\n$ germane check new.txt gone.txt\n...\n$ echo $?\n2\n```\n"
    rerun = examples.rerun(page, "page.md")
    assert [problem.example for problem in rerun.problems] == ["$ germane check new.txt gone.txt"]
    assert "new.txt: judgments in trec format" in rerun.text


def test_a_measure_that_a_page_registers_is_gone_after_it() -> None:
    before = [definition.name for definition in all_definitions()]
    page = (
        "```python\nimport germane\n\n@germane.measure('OfThePage', bounds=(0, 1))\n"
        "def of_the_page(run):\n    '''One.'''\n```\n"
    )
    assert examples.rerun(page, "page.md").problems == []
    assert [definition.name for definition in all_definitions()] == before
