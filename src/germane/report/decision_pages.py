"""The measures of decisions as text: the list, and the page of one. Help and documentation print from here."""

from __future__ import annotations

import inspect
from collections.abc import Mapping

from germane.measures.deciding.rates import Rate, all_rates
from germane.measures.deciding.registry import Deciding, all_deciding
from germane.report.measure_pages import fact

RATES_TITLE = "Decisions: rates of a confusion matrix (germane classify)"
KINDS: Mapping[str, str] = {
    "matrix": "Decisions: several classes",
    "scores": "Decisions: scores, whatever the threshold",
    "probabilities": "Decisions: probabilities",
    "numbers": "Numbers (germane classify --task regression)",
    "clusters": "Clusters (--task clusters)",
    "densities": "Densities (--task densities)",
    "label sets": "Sets of labels (--task label-sets)",
}
WAY = {"higher": "higher is better", "lower": "lower is better", "neither": "says how much, not how good"}


def decision_kinds() -> list[tuple[str, list[Rate] | list[Deciding]]]:
    """Every measure of decisions under the title of its kind."""
    entries = all_deciding()
    kinds = [(title, [entry for entry in entries if entry.of == kind]) for kind, title in KINDS.items()]
    return [(RATES_TITLE, all_rates()), *kinds]


def decision_list() -> str:
    """Every measure of decisions with one line on it."""
    kinds = decision_kinds()
    width = max(len(entry.name) for _, entries in kinds for entry in entries) + 2
    return "\n".join(
        f"{title}\n" + "".join(f"  {entry.name:<{width}}{summary_of(entry)}\n" for entry in entries)
        for title, entries in kinds
    )


def summary_of(entry: Rate | Deciding) -> str:
    """One line on it."""
    return f"{entry.title[0].upper()}{entry.title[1:]}." if isinstance(entry, Rate) else entry.summary


def decision_page(entry: Rate | Deciding) -> str:
    """All about one measure of decisions."""
    body = "".join(fact(title, text) for title, text in decision_facts(entry).items() if text)
    return f"{entry.name}: {summary_of(entry)}\n\n{body}"


def decision_facts(entry: Rate | Deciding) -> dict[str, str]:
    """What is declared about it, by title."""
    low, high = entry.bounds
    shared = {"Range": f"{low:g} to {high:g}; {WAY[entry.better]}", "Also called": ", ".join(entry.names)}
    if isinstance(entry, Rate):
        parameters = [f"{name} = {'to be given' if d is None else f'{d:g}'}" for name, d in entry.defaults.items()]
        return {
            "Formula": entry.formula,
            "Reference": entry.reference,
            "Edge cases": entry.edge_cases or "NaN where it would divide 0 by 0.",
            "Parameters": "; ".join(parameters),
            **shared,
        }
    return {**entry.sections, "Parameters": _parameters(entry), **shared}


def _parameters(entry: Deciding) -> str:
    chosen = inspect.signature(entry.function).parameters.values()
    return "; ".join(f"{p.name} = {p.default}" for p in chosen if p.kind is inspect.Parameter.KEYWORD_ONLY)
