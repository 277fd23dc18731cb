"""``docs/reference/measures.md``, and the table of measures at a glance."""

from __future__ import annotations

from docs.reference_pages.markdown import GENERATED, anchor, docstring, escaped
from germane.catalogue import Entry
from germane.measures.decisions.rates import Rate
from germane.output.texts.measure_list import measures_by_title


def measures_table() -> str:
    """Each measure with what it says and how else it is written, by family."""
    lines = ["| measure | what it says | also read as |", "| --- | --- | --- |"]
    for family, members in measures_by_title():
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
        "The examples call a measure's function on a ranking written by hand, which `germane.measures.judged`\n"
        "makes: grades in rank order, `-` for a document that nobody judged, `|` between queries. There is one\n"
        "value for each query.\n\n"
        "These are the measures of rankings. Those of classifiers and detectors are on [a page of their\n"
        "own](decisions.md): a name such as AP means the one with `germane eval`, the other with `germane classify`.\n",
    ]
    for family, members in measures_by_title():
        module = members[0].home[0]
        parts.append(f"\n## {family}\n\nThe functions of the examples are in `{module}`.\n")
        parts += [measure_section(entry) for entry in members]
    return "".join(parts)


def measure_section(entry: Entry, heading: str = "") -> str:
    """All that a page says of a measure, and its example."""
    facts = {title: " ".join(text.split()) for title, text in entry.facts.items()}
    lines = [f"- {title}: {f'`{text}`' if title in AS_CODE else escaped(text)}\n" for title, text in facts.items()]
    doc = "" if isinstance(entry, Rate) else docstring(entry.target)
    example = f"\n```python\n{doc[doc.index('>>>') :]}\n```\n" if ">>>" in doc else ""
    return f"\n### {heading or entry.name}\n\n{escaped(entry.summary)}\n\n{''.join(lines)}{example}"


AS_CODE = ("Formula", "Parameters")


def other_names(definition: Entry) -> list[str]:
    """Names of other tools, less those that differ from ours in upper and lower case only: case never matters."""
    return [name for name in definition.names if name.casefold() != definition.name.casefold()]
