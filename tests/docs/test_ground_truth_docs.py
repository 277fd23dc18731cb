"""The pages on pooling, judging, agreement, releases and figures have all that there is."""

from __future__ import annotations

import re

import pytest

from docs.reference_pages.json_output import json_samples
from germane.judging.consolidate import POLICIES
from germane.judging.pooling import POOLING
from germane.measures.agreement.measure import AGREEMENT
from germane.output.plots.kinds import DECISION_PLOTS, PLOTS
from tests.commands import all_commands
from tests.conftest import ROOT
from tests.docs.pages import text_of

HOW_TO = ROOT / "docs" / "how_to"
GROUND_TRUTH_PAGE = ROOT / "docs" / "reference" / "ground_truth.md"
HOW_TO_OF = {
    "pool make": "pool.md",
    "pool simulate": "pool.md",
    "judge": "judge.md",
    "agree": "agree_and_release.md",
    "release": "agree_and_release.md",
}
EVERYWHERE = {"--format", "--table", "--all-tables", "--color", "--notes", "--digits", "--run-format", "--qrels-format"}
"""Options that mean the same with every command; the reference has them."""


def undocumented(page: str) -> list[str]:
    """What a registry offers and the page does not have, in the part where it belongs."""
    parts = dict(re.findall(r"^## ([^\n]+)\n(.*?)(?=^## |\Z)", page, flags=re.M | re.S))
    offered = {
        "Pooling methods": POOLING.names,
        "Measures of agreement": AGREEMENT.names,
        "Policies": POLICIES.names,
    }
    return [
        f"{part}: {name}" for part, names in offered.items() for name in names if f"\n### {name}\n" not in parts[part]
    ]


def test_every_method_measure_and_policy_is_in_the_reference() -> None:
    assert undocumented(text_of(GROUND_TRUTH_PAGE)) == []


@pytest.mark.parametrize(
    ("heading", "missing"),
    [
        ("### base+top\n", "Pooling methods: base+top"),
        ("### AC2_linear\n", "Measures of agreement: AC2_linear"),
        ("### median\n", "Policies: median"),
    ],
)
def test_a_forgotten_entry_is_caught(heading: str, missing: str) -> None:
    assert undocumented(text_of(GROUND_TRUTH_PAGE).replace(heading, "")) == [missing]


def test_every_method_policy_and_kind_of_figure_is_in_its_how_to() -> None:
    pool, release = text_of(HOW_TO / "pool.md"), text_of(HOW_TO / "agree_and_release.md")
    figures = text_of(HOW_TO / "show_results.md") + text_of(ROOT / "docs" / "reference" / "commands.md")
    assert [method.name for method in POOLING if f"`{method.name}`" not in pool] == []
    assert [name for name in POLICIES.names if f"| `{name}` |" not in release] == []
    kinds = [(kind, "QRELS RUN...") for kind in PLOTS] + [(kind, "DATA") for kind in DECISION_PLOTS]
    assert [kind for kind, of in kinds if f"| `{kind}` | {of} |" not in figures] == []


def options_without_a_word(command: str, page: str) -> set[str]:
    """The options of a command that the page does not speak of by any of their names, unless all commands have them."""
    options = dict(all_commands())[command].params
    ways = [way for option in options for way in (option.opts, option.secondary_opts) if way and way[0].startswith("-")]
    return {
        way[-1]
        for way in ways
        if way[-1] not in EVERYWHERE and not any(re.search(rf"(?<![\w-]){name}(?![\w-])", page) for name in way)
    }


@pytest.mark.parametrize("command", HOW_TO_OF)
def test_every_option_is_in_its_how_to(command: str) -> None:
    assert options_without_a_word(command, text_of(HOW_TO / HOW_TO_OF[command])) == set()


def test_a_forgotten_option_is_caught() -> None:
    page = text_of(HOW_TO / "judge.md").replace("--masked", "").replace("--revoke", "")
    assert options_without_a_word("judge", page) == {"--masked", "--revoke"}


def test_the_keys_of_the_judging_screen_are_in_the_how_to() -> None:
    presenting = pytest.importorskip("germane.web.document_view", reason="the judging app is an extra")
    table = text_of(HOW_TO / "judge.md").partition("| key | action |")[2].partition("\n\n")[0]
    shown = set(re.findall(r"^\| `([^`]+)`", table, flags=re.M)) - {"0"}
    assert shown == set(presenting.KEY_NAMES)


def test_the_pages_and_defaults_that_the_how_to_speaks_of_exist() -> None:
    serving = pytest.importorskip("germane.web.serving", reason="the judging app is an extra")
    from germane.judging.store.people import DAY, LINK_SECONDS
    from germane.judging.store.project import Settings
    from germane.web.app import ENDPOINTS

    page = text_of(HOW_TO / "judge.md")
    assert str(serving.PORT) in page
    assert serving.default_store("pool.jsonl") in page
    assert f"{LINK_SECONDS['personal'] / DAY:.0f} days" in " ".join(page.split())
    assert (Settings().lease_seconds, Settings().unseen_seconds) == (15 * 60, 60)  # a quarter of an hour, a minute
    assert f"`--repeat-share {Settings().repeat_share:.2f}`" in page
    assert set(re.findall(r"/api/[\w/]+", page)) <= {endpoint.path for endpoint in ENDPOINTS}


def test_the_samples_of_json_are_what_the_contract_names() -> None:
    template = text_of(ROOT / "docs" / "reference_pages" / "json_contract.txt")
    assert set(re.findall(r"^@(\w+)@$", template, flags=re.M)) == set(json_samples())
