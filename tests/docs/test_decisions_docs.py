"""The pages of decisions have every measure under all of its names."""

from __future__ import annotations

import re

import pytest

from germane.catalogue import REQUIRED
from germane.cli.options.printing import OPTIONS
from germane.measures.decisions.rates import RATES
from germane.output.texts.measure_list import decisions_by_title
from tests.commands import all_commands
from tests.conftest import ROOT
from tests.docs.pages import text_of

DECISIONS_PAGE = ROOT / "docs" / "reference" / "decisions.md"


RATES_PAGE = ROOT / "docs" / "explanation" / "rates_and_intervals.md"


DECISION_KINDS = [(kind, entry) for kind, entries in decisions_by_title() for entry in entries]


HOW_TOS_OF_DECISIONS = (
    "classify.md",
    "choose_a_threshold.md",
    "compare_classifiers.md",
    "groups_and_clusters.md",
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


def test_every_measure_of_decisions_is_in_the_reference_and_at_a_glance() -> None:
    assert undocumented_decisions(text_of(DECISIONS_PAGE)) == []
    table = text_of(ROOT / "docs" / "reference" / "at_a_glance.md").partition("<!-- decisions -->")[2]
    assert [entry.name for _, entry in DECISION_KINDS if f"| [`{entry.name}`]" not in table] == []


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
        wrong += [name for name in aliases if name in known and RATES.parse(_with_parameters(own, name)).name != own]
        wrong += [f"{own}: {name}" for name in known if name not in aliases]
    return wrong


def _with_parameters(own: str, name: str) -> str:
    given = ", ".join(f"{key}=0.5" for key, each in RATES[own].parameters.items() if each.default is REQUIRED)
    return f"{name}({given})" if given else name


def test_the_table_of_names_is_read_as_it_says() -> None:
    page = text_of(RATES_PAGE)
    assert [name for name in RATES.names if f"\n| {name} | `" not in page] == []
    assert misnamed(page) == []
    assert misnamed(page.replace("specificity, ", "")) == ["TNR: specificity"]


def test_every_option_of_classify_and_threshold_is_in_a_how_to() -> None:
    text = "".join(text_of(ROOT / "docs" / "how_to" / name) for name in HOW_TOS_OF_DECISIONS)
    known = dict(all_commands())
    options = {
        spelling
        for name in ("classify", "threshold")
        for param in known[name].params
        for spelling in param.opts
        if param.name not in OPTIONS  # in docs/how_to/evaluate_runs.md, for all results
    }
    missing = {option for option in options if option.startswith("--") and not re.search(rf"{option}(?![\w-])", text)}
    assert missing == set()
