"""``docs/reference/statistics.md``: every interval, test, correction, coefficient and rule for thresholds."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from docs.reference_pages.entries import Entries, entries_of, entry_section
from docs.reference_pages.markdown import GENERATED, docstring
from germane.api.comparisons.test_family import MANY_SYSTEM_TESTS
from germane.stats.groups.cluster_bootstrap import cluster_intervals, item_intervals
from germane.stats.groups.clustered_auc import area_of_clusters, auc_of_clusters
from germane.stats.groups.clustered_pairs import paired_bootstrap_of_clusters, paired_proportions_of_clusters
from germane.stats.groups.slice_differences import (
    bootstrap_of_cells,
    difference_of_areas,
    difference_of_aucs,
    difference_of_clustered_proportions,
    difference_of_means,
    difference_of_proportions,
    difference_of_ratios,
)
from germane.stats.intervals.cell_bootstrap import CELLS_METHODS
from germane.stats.intervals.clustered import mean_of_clusters, proportion_of_clusters
from germane.stats.intervals.delong import AUC_INTERVALS
from germane.stats.intervals.means import INTERVALS
from germane.stats.intervals.proportions import (
    PROPORTION_INTERVALS,
    exact_odds_ratio,
    log_ratio,
    mercaldo,
    mover_ratio,
    newcombe_difference,
    weighted_sum,
)
from germane.stats.intervals.rates import RATE_METHODS
from germane.stats.rankings.coefficients import COEFFICIENTS
from germane.stats.significance import many_systems
from germane.stats.significance.corrections import CORRECTIONS
from germane.stats.significance.max_t import MaxT, step_down_max_t
from germane.stats.significance.mcnemar import MCNEMAR, mcnemar
from germane.stats.significance.paired_classifiers import CLASSIFIER_TESTS, ClassifierTest
from germane.stats.significance.paired_tests import PAIRED_TESTS, corrected_resampled_t
from germane.stats.significance.unpaired_tests import UNPAIRED_TESTS
from germane.stats.thresholds.rules import THRESHOLD_RULES


def statistics() -> dict[str, Entries]:
    """Return by heading and name what `compare`, `correlate` and `--interval` offer: a docstring and facts."""
    many = {
        "tukey": many_systems.tukey_hsd,
        "randomised-tukey": many_systems.randomised_tukey,
        "nemenyi": many_systems.nemenyi,
    }
    within = (
        "the pairs of systems within one measure; with several measures or slices, Bonferroni's method adjusts further"
    )
    any_false = CORRECTIONS["holm"].controls.partition(",")[0]
    return {
        "Intervals": entries_of(INTERVALS),
        "Tests of two systems on the same queries": entries_of(PAIRED_TESTS),
        "Tests of many systems on the same queries": {
            name: (docstring(many[name]), {"Covers": within}) for name in MANY_SYSTEM_TESTS
        },
        "Tests of two groups of queries": entries_of(UNPAIRED_TESTS),
        "Test of folds": {"corrected resampled t": (docstring(corrected_resampled_t), {})},
        "Corrections": {
            **entries_of(CORRECTIONS),
            "max-t": (
                docstring(MaxT),
                {"Controls": f"{any_false}, and estimates the dependence of the tests from the data"},
            ),
            "step-down-max-t": (
                docstring(step_down_max_t),
                {"Controls": f"{any_false}, like max-t but with more power"},
            ),
        },
        "Rank correlation coefficients": entries_of(COEFFICIENTS),
        **_statistics_of_decisions(),
    }


def _statistics_of_decisions() -> dict[str, Entries]:
    """Return the same for `classify` and `threshold`."""
    rates: dict[str, Callable[..., Any]] = {
        "newcombe": newcombe_difference,
        "mover": weighted_sum,
        "log": log_ratio,
        "mover-r": mover_ratio,
        "exact": exact_odds_ratio,
        "mercaldo": mercaldo,
    }
    own = {name: ("" if test.function is not mcnemar else docstring(MCNEMAR[name].target)) for name, test in _tests()}
    return {
        "Rates: intervals of proportions": entries_of(PROPORTION_INTERVALS),
        "Rates: intervals of differences and ratios": {name: (docstring(method), {}) for name, method in rates.items()},
        "Rates: bootstrap of confusion matrix cells": {
            **{name: (text, {}) for name, text in CELLS_METHODS.items()},
            "degenerate": (RATE_METHODS["degenerate"], {}),
        },
        "AUC: intervals": {name: (text, {}) for name, text in AUC_INTERVALS.items()},
        "Tests of two classifiers on the same items": {
            name: (
                own[name] or docstring(test.function),
                {"Measures": ", ".join(test.measures) or "any other measure", "Caution": test.owes},
            )
            for name, test in _tests()
        },
        "Items in clusters": {name: (docstring(function), {}) for name, function in OF_CLUSTERS.items()},
        "Differences between slices": {name: (docstring(function), {}) for name, function in OF_SLICES.items()},
        "Threshold rules": {
            rule.name: (rule.description, {"Written": f"`--rule '{rule.example}'`"})
            for rule in THRESHOLD_RULES.values()
        },
    }


OF_CLUSTERS: dict[str, Callable[..., Any]] = {
    "wilson, clusters": proportion_of_clusters,
    "t, clusters": mean_of_clusters,
    "obuchowski": auc_of_clusters,
    "influence, clusters": area_of_clusters,
    "bca, clusters": cluster_intervals,
    "percentile, clusters": item_intervals,
    "cluster t": paired_proportions_of_clusters,
    "paired cluster bootstrap": paired_bootstrap_of_clusters,
}
OF_SLICES: dict[str, Callable[..., Any]] = {
    "chi-squared": difference_of_proportions,
    "rao-scott": difference_of_clustered_proportions,
    "cluster t": difference_of_ratios,
    "welch": difference_of_means,
    "delong": difference_of_aucs,
    "influence": difference_of_areas,
    "bootstrap": bootstrap_of_cells,
}


def _tests() -> list[tuple[str, ClassifierTest]]:
    return list(CLASSIFIER_TESTS.items())


STATISTICS_INTRO = {
    "Intervals": "For `germane eval --interval` and `germane compare --interval`, and `interval=` in Python.",
    "Tests of two systems on the same queries": "For `germane compare --test`. The first is the default.",
    "Tests of many systems on the same queries": "For `germane compare --test`. All of them treat queries as blocks.",
    "Tests of two groups of queries": "For `germane compare --groups FILE --test`. The first is the default.",
    "Test of folds": "For `germane.compare(..., folds=(train_size, test_size))`.",
    "Corrections": "For `germane compare --correction`; `none` means no adjustment. `holm` is the default.",
    "Rank correlation coefficients": "For `germane correlate`.",
    "Rates: intervals of proportions": "For `germane classify --interval`. The first is the default.",
    "Rates: intervals of differences and ratios": "For balanced accuracy, informedness, cost and likelihood ratios.",
    "Rates: bootstrap of confusion matrix cells": "For `germane classify --bootstrap`: F, MCC, kappa and averages.",
    "AUC: intervals": "For `germane classify --auc-scale`. The first is `plain`.",
    "Tests of two classifiers on the same items": "For `germane classify` with several classifiers, and "
    "`germane.compare` with `y_pred` or `y_score`.",
    "Items in clusters": "For `germane classify --cluster`, by the name in results (a method ends in `clusters`).",
    "Differences between slices": "For `germane classify --slices`, by the name of the test in results.",
    "Threshold rules": "For `germane threshold --rule`, and `germane.threshold`.",
}


def statistics_page() -> str:
    """Every interval, test, correction and coefficient in full."""
    parts = [
        "# Statistics\n\n",
        GENERATED,
        "Intervals, tests, corrections and coefficients, by the name that an option takes. This page says what each\n"
        "computes; [Choose a test](../how_to/choose_a_test.md) helps you choose. n is the number of queries, m a mean\n"
        "or, for corrections, the number of tests, s a standard deviation with n − 1.\n",
    ]
    for heading, entries in statistics().items():
        parts.append(f"\n## {heading}\n\n{STATISTICS_INTRO[heading]}\n")
        parts += [entry_section(name, doc, facts) for name, (doc, facts) in entries.items()]
    return "".join(parts)
