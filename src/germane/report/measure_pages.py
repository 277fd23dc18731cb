"""The measures as text: the list, and the page of one. Help, documentation and report print from here."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Sequence
from itertools import groupby

from germane.measures.registry import Definition, Parameter

FAMILIES = {
    "counts": "Counts",
    "precision": "Precision and recall, at a cutoff or of the whole answer",
    "average_precision": "Average precision",
    "curves": "Curves",
    "gain": "Graded relevance",
    "user_models": "User models",
    "incomplete": "Incomplete judgments",
    "diversity": "Diversity",
}


def by_family(definitions: Sequence[Definition]) -> list[tuple[str, list[Definition]]]:
    """The measures by family, families in the order of the list above, the user's own last."""
    order = {family: i for i, family in enumerate(FAMILIES)}
    ordered = sorted(definitions, key=lambda d: order.get(d.family, len(order)))
    return [(FAMILIES.get(family, family), list(group)) for family, group in groupby(ordered, lambda d: d.family)]


def measure_list(definitions: Sequence[Definition]) -> str:
    """Every measure with one line on it."""
    width = max(len(d.name) for d in definitions) + 2
    parts = []
    for family, members in by_family(definitions):
        lines = "".join(f"  {d.name:<{width}}{d.summary}\n" for d in members)
        parts.append(f"{family}\n{lines}")
    return "\n".join(parts) + "\nWrite NAME, NAME@10 or NAME(parameter=value)@10; `germane measures NAME` says more.\n"


def measure_page(definition: Definition) -> str:
    """All about one measure."""
    facts = [
        *definition.sections.items(),
        ("Parameters", parameters_of(definition)),
        ("Range", f"{definition.bounds[0]:g} to {definition.bounds[1]:g}; {better(definition)}"),
        (
            "Needs",
            ", ".join(f"the {need}" if need != "groups" else "judgments by subtopic" for need in definition.needs),
        ),
        ("Also called", ", ".join(definition.names)),
        ("On ties", "an exact expected value" if definition.expected_ties else ""),
        ("On unjudged", "tight bounds" if definition.unjudged else ""),
    ]
    body = "".join(fact(title, text) for title, text in facts if text)
    return f"{definition.name}: {definition.summary}\n\n{body}"


def better(definition: Definition) -> str:
    """Which way is up."""
    return {"higher": "higher is better", "lower": "lower is better", "neither": "says how much, not how good"}[
        definition.better
    ]


def parameters_of(definition: Definition) -> str:
    """The parameters with their defaults and choices."""
    parts = []
    for parameter in definition.parameters.values():
        choices = f" ({', '.join(parameter.choices)})" if parameter.choices else _range_of(parameter)
        at = ", written after the @" if parameter.name == definition.at else ""
        default = "all" if parameter.default is None and parameter.name == "cut" else parameter.default
        parts.append(f"{parameter.name} = {default}{choices}{at}")
    return "; ".join([*parts, "judged_only = false"])


def _range_of(parameter: Parameter) -> str:
    if parameter.name == "cut" or not math.isfinite(parameter.least):
        return ""
    return f" ({parameter.least:g}{f' to {parameter.greatest:g}' if math.isfinite(parameter.greatest) else ' or more'})"


def fact(title: str, text: str) -> str:
    """One paragraph of a page, under its title."""
    return textwrap.fill(text, width=100, initial_indent=f"{title + ':':<13} ", subsequent_indent=" " * 14) + "\n"
