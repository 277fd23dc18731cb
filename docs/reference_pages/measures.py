"""``docs/reference/measures.md``, and the table of measures at a glance."""

from __future__ import annotations

import inspect

from docs.reference_pages.markdown import GENERATED, anchor, escaped
from germane.measures.registry import Definition, all_definitions
from germane.report import measure_pages


def measures_table() -> str:
    """Each measure with what it says and how else it is written, by family."""
    lines = ["| measure | what it says | also read as |", "| --- | --- | --- |"]
    for family, members in measure_pages.by_family(all_definitions()):
        lines.append(f"| **{family}** | | |")
        for definition in members:
            link = f"[`{definition.name}`](measures.md#{anchor(definition.name)})"
            names = ", ".join(f"`{name}`" for name in other_names(definition))
            lines.append(f"| {link} | {escaped(definition.summary)} | {names} |")
    return "\n".join(lines) + "\n"


def measures_page() -> str:
    """Every measure in full."""
    parts = [
        "# Measures\n\n",
        GENERATED,
        "What `germane measures NAME` prints. A measure is written `NAME`, `NAME@10` (a cutoff; a level of recall for\n"
        "those that say so) or `NAME(parameter=value)@10`; every measure also takes `judged_only=true`, which leaves\n"
        "unjudged documents out of the ranking first. R is the number of relevant documents known for the query. A\n"
        "document is relevant if its grade is at least `rel`.\n\n"
        "The examples call a measure's function on a ranking written by hand, which `germane.judged` makes: grades in\n"
        "rank order, `-` for a document that nobody judged, `|` between queries. There is one value for each query.\n\n"
        "These are the measures of rankings. Those of classifiers and detectors are on [a page of their\n"
        "own](decisions.md): a name such as AP means the one with `germane eval`, the other with `germane classify`.\n",
    ]
    for family, members in measure_pages.by_family(all_definitions()):
        module = members[0].function.__module__
        parts.append(f"\n## {family}\n\nThe functions of the examples are in `{module}`.\n")
        parts += [_measure_section(definition) for definition in members]
    return "".join(parts)


def _measure_section(definition: Definition) -> str:
    lines = [f"- {title}: {text}\n" for title, text in _facts(definition).items() if text]
    doc = inspect.cleandoc(definition.function.__doc__ or "")
    example = doc[doc.index(">>>") :] if ">>>" in doc else ""
    shown = f"\n```python\n{example}\n```\n" if example else ""
    return f"\n### {definition.name}\n\n{escaped(definition.summary)}\n\n{''.join(lines)}{shown}"


def _facts(definition: Definition) -> dict[str, str]:
    sections = definition.sections
    low, high = definition.bounds
    needs = {"collection size": "the collection size (`--collection-size`)", "groups": "judgments by subtopic"}
    return {
        "Formula": f"`{sections['Formula']}`" if "Formula" in sections else "",
        **{title: escaped(text) for title, text in sections.items() if title != "Formula"},
        "Parameters": f"`{measure_pages.parameters_of(definition)}`",
        "Range": f"{low:g} to {high:g}; {measure_pages.better(definition)}",
        "Needs": ", ".join(needs[need] for need in definition.needs),
        "Also called": ", ".join(f"`{name}`" for name in other_names(definition)),
        "Expected value over ties": "exact" if definition.expected_ties else "not offered",
        "Bounds under unjudged documents": "tight" if definition.unjudged else "not offered",
    }


def other_names(definition: Definition) -> list[str]:
    """Names of other tools, less those that differ from ours in upper and lower case only: case never matters."""
    return [name for name in definition.names if name.casefold() != definition.name.casefold()]
