"""``docs/reference/decisions.md``, the table of its measures at a glance, and the table of names of rates."""

from __future__ import annotations

from docs.reference_pages.markdown import GENERATED, anchor, escaped
from docs.reference_pages.measures import measure_section
from germane.catalogue import Entry
from germane.measures.decisions.measure import DecisionMeasure
from germane.measures.decisions.rates import RATES, Rate
from germane.output.texts.measure_list import decisions_by_title


def decisions_table() -> str:
    """Return the classification measures by kind, with summaries and alternative names."""
    lines = ["| measure | definition | also called |", "| --- | --- | --- |"]
    for kind, entries in decisions_by_title():
        lines.append(f"| **{kind}** | | |")
        for entry in entries:
            link = f"[`{entry.name}`](decisions.md#{anchor(_decision_heading(entry))})"
            summary = escaped(entry.summary)
            lines.append(f"| {link} | {summary} | {', '.join(f'`{name}`' for name in entry.names)} |")
    return "\n".join(lines) + "\n"


def decisions_page() -> str:
    """Return every classification measure in full."""
    parts = [
        "# Classification measures\n\n",
        GENERATED,
        "The measures of `germane classify` and `germane threshold`, as `germane measures NAME` prints them. TP, FP,\n"
        "FN and TN count true positives, false positives, false negatives and true negatives. Write a rate as `MCC`,\n"
        "`F2` (a number after F is its beta) or `NAME(parameter=value)`, or use any of its other names: `recall`,\n"
        "`sensitivity` and `hit rate` are TPR. For the interval of each rate see [Rates and their\n"
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
    """Return the name, marked if the measure is the multi-class one of two with that name."""
    return (
        f"{entry.name} of several classes"
        if isinstance(entry, DecisionMeasure) and entry.of == "matrix"
        else entry.name
    )


def names_table() -> str:
    """Return each rate with its formula, its other names and its interval methods."""
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
"""Interval methods by the kind of interval that a rate declares."""
