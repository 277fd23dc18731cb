"""Page sections for the entries of a registry: a name, its docstring and facts."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterable
from dataclasses import dataclass, field

from docs.reference_pages.markdown import GENERATED, docstring, escaped
from germane.catalogue import Entry

Entries = dict[str, tuple[str, dict[str, str]]]
"""A docstring and facts by name; facts are Markdown on pages of parts."""


@dataclass(frozen=True)
class Part:
    """A heading, its text, and entries with a heading of their own."""

    heading: str
    text: str
    entries: Entries = field(default_factory=dict)


def entries_of(catalogue: Iterable[Entry], *, examples: bool = True) -> Entries:
    """By name, the docstring of each entry, with its examples or without, and the rest of its page."""
    return {
        entry.name: (
            docstring(entry.target) if examples else docstring(entry.target).partition(">>>")[0].rstrip(),
            {title: escaped(text) for title, text in entry.facts.items() if title not in entry.sections},
        )
        for entry in catalogue
    }


def entry_section(name: str, doc: str, facts: dict[str, str]) -> str:
    """Return a heading, the prose of a docstring, its titled parts and the facts as a list, and its example."""
    prose, arrow, example = doc.partition(">>>")
    text, listed = [], {title: escaped(fact) for title, fact in facts.items() if fact}
    for paragraph in prose.strip().split("\n\n"):
        titled = re.findall(r"^([A-Z][\w ]*):\s+(.+?)(?=^[A-Z][\w ]*:\s|\Z)", paragraph, flags=re.M | re.S)
        if titled and paragraph.startswith(titled[0][0]) and titled[0][0] in (*TITLES, PARAMETERS):
            listed |= {title: _formula_or_text(title, " ".join(body.split())) for title, body in titled}
        else:
            text.append(escaped(paragraph.replace("``", "`")))
    order = sorted(listed, key=lambda title: TITLES.index(title) if title in TITLES else len(TITLES))
    bullets = "".join(f"- {title}: {listed[title]}\n" for title in order)
    body = "\n\n".join(text) + "\n" + (f"\n{bullets}" if bullets else "")
    return f"\n### {name}\n\n{body}" + (f"\n```python\n{arrow}{example.rstrip()}\n```\n" if arrow else "")


TITLES = ("Formula", "Reference", "Ties", "Undefined", "Edge cases", "Note")
"""Titled parts of a docstring, in the order in which they are listed."""


PARAMETERS = "Parameters"
"""Another titled part, listed after these."""


def _formula_or_text(title: str, text: str) -> str:
    return f"`{text}`" if title == "Formula" else escaped(text)


def formula_section(name: str, doc: str, facts: dict[str, str]) -> str:
    """As `entry_section`, with the formula as it stands in the docstring, line by line, and facts as Markdown."""
    prose, arrow, example = doc.partition(">>>")
    about = ""
    if arrow and prose.rstrip().endswith(":") and "\n\n" in prose:  # what introduces the example stays with it
        prose, _, about = prose.rstrip().rpartition("\n\n")
        about = f"\n{escaped(about)}\n"
    ends = rf"^[A-Z][\w ]*: {{2,}}|^(?:{'|'.join((*TITLES, PARAMETERS))}): |^\s*$|\Z"
    formula = re.search(rf"^Formula: +(.+?)(?={ends})", prose + "\n", flags=re.M | re.S)
    if formula is None:
        section = entry_section(name, prose, {})
        shown = ""
    else:
        # The first line begins behind its title; the others are indented to there.
        lines = inspect.cleandoc(formula[1]).rstrip()
        section = entry_section(name, (prose + "\n").replace(formula[0], ""), {})
        shown = f"\n```text\n{lines}\n```\n"
    head, dash, rest = section.partition("\n- ")
    bullets = f"\n- {rest}" if dash else ""
    listed = "".join(f"- {title}: {fact}\n" for title, fact in facts.items() if fact)
    gap = "" if dash or not listed else "\n"
    code = f"{about}\n```python\n{arrow}{example.rstrip()}\n```\n" if arrow else ""
    return f"{head.rstrip()}\n{shown}{bullets}{gap}{listed}{code}"


def page_of_parts(title: str, intro: str, parts: list[Part]) -> str:
    """A page of several parts, each with its entries."""
    pages = [f"# {title}\n\n", GENERATED, intro]
    for part in parts:
        pages.append(f"\n## {part.heading}\n\n{part.text.strip()}\n")
        pages += [formula_section(name, doc, facts) for name, (doc, facts) in part.entries.items()]
    return "".join(pages)
