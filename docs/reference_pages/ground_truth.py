"""``docs/reference/ground_truth.md``: pooling methods, measures of agreement and policies."""

from __future__ import annotations

from docs.reference_pages.entries import Entries, entries_of, entry_section
from docs.reference_pages.markdown import GENERATED, escaped, table
from germane.judging.consolidate import POLICIES
from germane.judging.pooling import POOLING
from germane.measures.agreement.measure import AGREEMENT


def ground_truth_page() -> str:
    """Every pooling method, measure of agreement and policy in full."""
    parts = ["# Ground truth\n\n", GENERATED, GROUND_TRUTH_INTRO]
    for heading, entries in ground_truth().items():
        parts.append(f"\n## {heading}\n\n{GROUND_TRUTH_USES[heading]}\n")
        parts += [entry_section(name, doc, facts) for name, (doc, facts) in entries.items()]
    return "".join(parts)


def pooling_table() -> str:
    """Return each pooling method with its kind and the documents it selects."""
    rows = [[f"`{method.name}`", method.kind, escaped(method.summary)] for method in POOLING]
    return table("method | kind | documents", rows)


def ground_truth() -> dict[str, Entries]:
    """By heading and name, everything that `pool`, `agree` and `release` offer: a docstring and facts."""
    return {
        "Pooling methods": entries_of(POOLING, examples=False),
        "Measures of agreement": entries_of(AGREEMENT),
        "Policies": entries_of(POLICIES),
    }


GROUND_TRUTH_INTRO = (
    "Pooling methods, measures of inter-assessor agreement, and policies that turn several grades into one. [Choose\n"
    "what to judge](../how_to/pool.md) and [Agree and release](../how_to/agree_and_release.md) show how to use them,\n"
    "[Pools and agreement](../explanation/pools_and_agreement.md) which to choose.\n"
)


GROUND_TRUTH_USES = {
    "Pooling methods": "For `germane pool --method` and `germane pool simulate --method`. The first is the default.",
    "Measures of agreement": "Printed by `germane agree`; in Python, `germane.agree(...)[name]`. Measures that weigh\n"
    "the distance between grades are omitted for two grades, where they add nothing.",
    "Policies": "For `germane release --policy`. The first is the default. A policy applies where grades differ, and\n"
    "chooses one of the given grades, or none; `--undecided` sets what happens then.",
}
