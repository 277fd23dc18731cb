"""Entries of catalogues as text, for help and documentation: the pages of several."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Mapping
from typing import Protocol


class Described(Protocol):
    """What has a page: an entry of a catalogue, or a feature."""

    @property
    def name(self) -> str: ...

    @property
    def summary(self) -> str: ...

    @property
    def facts(self) -> Mapping[str, str]: ...


def pages(entries: Iterable[Described]) -> str:
    """All about every entry, one after the other."""
    return "\n".join(f"{entry.name}: {entry.summary}\n{_facts(entry)}" for entry in entries)


def _facts(entry: Described) -> str:
    """One paragraph each, under its title."""
    return "".join(
        textwrap.fill(text, width=100, initial_indent=f"  {title}: ".ljust(14), subsequent_indent=" " * 14) + "\n"
        for title, text in entry.facts.items()
    )
