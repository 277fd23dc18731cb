"""The page of statistics has every interval, test, correction, coefficient and rule."""

from __future__ import annotations

import re

import pytest

from germane.stats.intervals.cell_bootstrap import CELLS_METHODS
from germane.stats.intervals.delong import AUC_INTERVALS
from germane.stats.intervals.means import INTERVALS
from germane.stats.intervals.proportions import PROPORTION_INTERVALS
from germane.stats.intervals.rates import RATE_METHODS
from germane.stats.rankings.coefficients import COEFFICIENTS
from germane.stats.significance.corrections import CORRECTIONS
from germane.stats.significance.mcnemar import MCNEMAR
from germane.stats.significance.paired_classifiers import CLASSIFIER_TESTS
from germane.stats.significance.paired_tests import PAIRED_TESTS
from germane.stats.significance.unpaired_tests import UNPAIRED_TESTS
from germane.stats.thresholds.rules import THRESHOLD_RULES
from tests.conftest import ROOT
from tests.docs.pages import STATISTICS_PAGE, choices_of, text_of


def undocumented_statistics(page: str) -> list[str]:
    """What a registry or an option of `compare` offers and the page does not have, in the part where it belongs."""
    parts = dict(re.findall(r"^## ([^\n]+)\n(.*?)(?=^## |\Z)", page, flags=re.M | re.S))
    offered = {
        "Intervals": {*INTERVALS.names, *choices_of("compare", "--interval"), *choices_of("eval", "--interval")},
        "Test": {*PAIRED_TESTS.names, *UNPAIRED_TESTS.names, *choices_of("compare", "--test")},
        "Corrections": {*CORRECTIONS.names, *choices_of("compare", "--correction")} - {"none"},
        "Rank correlation coefficients": {entry.name for entry in COEFFICIENTS},
    }
    return [
        f"{part}: {name}"
        for part, names in offered.items()
        for name in sorted(names)
        if f"\n### {name}\n" not in "".join(text for title, text in parts.items() if title.startswith(part))
    ]


def test_every_interval_test_correction_and_coefficient_is_in_the_reference() -> None:
    assert undocumented_statistics(text_of(STATISTICS_PAGE)) == []


def test_every_caution_is_in_the_reference() -> None:
    page = text_of(STATISTICS_PAGE)
    owed = [test.owes for test in PAIRED_TESTS] + [test.owes for test in UNPAIRED_TESTS]
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
    assert f"| values | queries | {' | '.join(INTERVALS.names)} |" in page


def undocumented_methods(page: str) -> list[str]:
    """Intervals, tests and rules of decisions that the reference does not have."""
    parts = dict(re.findall(r"^## ([^\n]+)\n(.*?)(?=^## |\Z)", page, flags=re.M | re.S))
    offered = {
        "Rates:": {*PROPORTION_INTERVALS.names, *RATE_METHODS, *CELLS_METHODS} - {"none"},
        "AUC: intervals": {*AUC_INTERVALS},
        "Tests of two classifiers": {*CLASSIFIER_TESTS, *MCNEMAR.names},
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
