"""Help text that no terminal breaks inside a word: neither at a hyphen nor in a long list of choices."""

from __future__ import annotations

import re
from collections.abc import Iterable

import click

NO_BREAK_HYPHEN = "\N{NON-BREAKING HYPHEN}"
"""Replaces hyphens while lines are filled, since click breaks lines after hyphens: `--trec-` / `version`."""


class HelpFormatter(click.HelpFormatter):
    """Formats help, keeping options such as `--trec-version` and lists of choices readable."""

    def write_text(self, text: str) -> None:
        super().write_text(_unbroken(text))

    def write_dl(self, rows: Iterable[tuple[str, str]], col_max: int = 30, col_spacing: int = 2) -> None:
        width = self.width - self.current_indent
        fitted = [(_broken_at_bars(first, width, self.current_indent), _unbroken(second)) for first, second in rows]
        super().write_dl(fitted, col_max, col_spacing)

    def getvalue(self) -> str:
        return super().getvalue().replace(NO_BREAK_HYPHEN, "-")


def _unbroken(text: str) -> str:
    return text.replace("-", NO_BREAK_HYPHEN)


def _broken_at_bars(names: str, width: int, indent: int) -> str:
    """Break a list of choices after a bar if it is longer than a line, and align what follows with the first choice.

    >>> print(_broken_at_bars("--test [t|sign|wilcoxon]", 20, 0))
    --test [t|sign|
            wilcoxon]
    """
    if len(names) <= width or "[" not in names:
        return names
    start = names.index("[") + 1
    lines = [""]
    for part in re.split(r"(?<=\|)", names):
        if len(lines[-1]) + len(part) > width:
            lines.append(" " * start)
        lines[-1] += part
    return f"\n{'':{indent}}".join(lines)
