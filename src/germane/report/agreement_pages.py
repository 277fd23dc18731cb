"""The measures of agreement, each with what it is."""

from __future__ import annotations

import textwrap

from germane.measures.agreement_registry import AgreementMeasure, all_agreement_measures


def agreement_list() -> str:
    """All about every measure of agreement."""
    return "\n".join(map(_page, all_agreement_measures()))


def _page(entry: AgreementMeasure) -> str:
    facts = {
        **entry.sections,
        "Assessors": "one pair, or the mean over pairs" if entry.over == "pairs" else "all together",
    }
    lines = (
        textwrap.fill(text, width=100, initial_indent=f"  {title + ':':<11} ", subsequent_indent=" " * 14)
        for title, text in facts.items()
    )
    return f"{entry.name}: {entry.summary}\n" + "".join(f"{line}\n" for line in lines)
