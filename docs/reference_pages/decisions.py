"""``docs/reference/decisions.md``, the table of its measures at a glance, and that of the names of rates."""

from __future__ import annotations

from docs.reference_pages.markdown import GENERATED, anchor, escaped
from docs.reference_pages.measures import measure_section
from germane.catalogue import Entry
from germane.measures.decisions.measure import DecisionMeasure
from germane.measures.decisions.rates import RATES, Rate
from germane.output.texts.measure_list import decisions_by_title


def decisions_table() -> str:
    """Each measure of decisions with what it says and how else it is called, by kind."""
    lines = ["| measure | what it says | also called |", "| --- | --- | --- |"]
    for kind, entries in decisions_by_title():
        lines.append(f"| **{kind}** | | |")
        for entry in entries:
            link = f"[`{entry.name}`](decisions.md#{anchor(_decision_heading(entry))})"
            summary = escaped(entry.summary)
            lines.append(f"| {link} | {summary} | {', '.join(f'`{name}`' for name in entry.names)} |")
    return "\n".join(lines) + "\n"


def decisions_page() -> str:
    """Every measure of decisions in full."""
    parts = [
        "# Measures of decisions\n\n",
        GENERATED,
        "What `germane measures NAME` prints about the measures of `germane classify` and `germane threshold`. TP,\n"
        "FP, FN and TN count true positives, false positives, false negatives and true negatives. A rate is written\n"
        "`MCC`, `F2` (a number after F is its beta) or `NAME(parameter=value)`, and under any of its other names:\n"
        "`recall`, `sensitivity` and `hit rate` are TPR. Which interval belongs to which is told in [Rates and their\n"
        "intervals](../explanation/rates_and_intervals.md).\n",
    ]
    for kind, entries in decisions_by_title():
        parts.append(f"\n## {kind}\n")
        parts += [_decision_section(entry) for entry in entries]
    return "".join(parts)


def _decision_section(entry: Entry) -> str:
    section = measure_section(entry, _decision_heading(entry))
    return f"{section}- Interval: {INTERVAL_OF[entry.interval]}\n" if isinstance(entry, Rate) else section


def _decision_heading(entry: Entry) -> str:
    """Its name; where a name stands for two classes and for several, the latter says so."""
    return (
        f"{entry.name} of several classes"
        if isinstance(entry, DecisionMeasure) and entry.of == "matrix"
        else entry.name
    )


def names_table() -> str:
    """Each rate with its formula, the names that people have for it, and how its interval is made."""
    lines = ["| rate | formula | also called | interval |", "| --- | --- | --- | --- |"]
    for rate in RATES:
        names = ", ".join(dict.fromkeys([rate.title, *rate.names]))
        lines.append(f"| {rate.name} | `{rate.formula}` | {escaped(names)} | {INTERVAL_OF[rate.interval]} |")
    return "\n".join(lines) + "\n"


INTERVAL_OF = {
    "proportion": "wilson, clopper-pearson",
    "two proportions": "newcombe",
    "ratio": "log",
    "cells": "bca, percentile",
    "projected": "mercaldo",
    "cost": "mover",
    "none": "none",
}
"""By what a rate declares, the methods that make its interval."""
