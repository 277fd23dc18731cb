"""``docs/reference/measures.md``, and the table of measures at a glance."""

from __future__ import annotations

from docs.reference_pages.markdown import GENERATED, anchor, docstring, escaped
from germane.catalogue import Entry
from germane.measures.decisions.rates import Rate
from germane.output.texts.measure_list import measures_by_title


def measures_table() -> str:
    """Return the measures by family, with summaries and other accepted names."""
    lines = ["| measure | definition | other accepted names |", "| --- | --- | --- |"]
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
        "The ranking measures, as `germane measures NAME` prints them. Write a measure as `NAME`, `NAME@10` (a\n"
        "cutoff; for some measures a recall level) or `NAME(parameter=value)@10`; every measure also takes\n"
        "`judged_only=true`, which removes unjudged documents from the ranking first. R is the number of known\n"
        "relevant documents of the query. A document is relevant if its grade is at least `rel`.\n\n"
        "The examples call the function of a measure on a ranking written by hand with `germane.measures.judged`:\n"
        "grades in rank order, `-` for an unjudged document, `|` between queries. The result has one value per\n"
        "query.\n\n"
        "For classifiers and detectors see [Classification measures](decisions.md): a name such as AP means one\n"
        "measure in `germane eval` and another in `germane classify`.\n",
    ]
    for family, members in measures_by_title():
        module = members[0].home[0]
        parts.append(f"\n## {family}\n\nThe functions in the examples are in `{module}`.\n")
        parts += [measure_section(entry) for entry in members]
    return "".join(parts)


def measure_section(entry: Entry, heading: str = "") -> str:
    """Return the section of a measure: its facts and its example."""
    facts = {title: " ".join(text.split()) for title, text in entry.facts.items()}
    lines = [f"- {title}: {f'`{text}`' if title in AS_CODE else escaped(text)}\n" for title, text in facts.items()]
    doc = "" if isinstance(entry, Rate) else docstring(entry.target)
    example = f"\n```python\n{doc[doc.index('>>>') :]}\n```\n" if ">>>" in doc else ""
    return f"\n### {heading or entry.name}\n\n{escaped(entry.summary)}\n\n{''.join(lines)}{example}"


AS_CODE = ("Formula", "Parameters")


def other_names(definition: Entry) -> list[str]:
    """Return names of other tools, except those that differ only in case, which never matters."""
    return [name for name in definition.names if name.casefold() != definition.name.casefold()]
