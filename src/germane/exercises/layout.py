"""A sheet as Markdown, as HTML to print, or as JSON; with or without solutions."""

from __future__ import annotations

import html
import json
import re
import textwrap
from collections.abc import Callable
from typing import Any

from germane.exercises.sheet import Sheet
from germane.exercises.task import Table, Task
from germane.output.rendering.markdown import markdown_table
from germane.tables.results.columns import table_of_texts

HOW_TO_ANSWER = (
    "Write a fraction such as 5/9, an expression of integers such as (1 + 2/3) / 3, or a decimal number with at "
    "least three decimal places."
)
STYLE = (
    "body{font:16px/1.5 system-ui,sans-serif;max-width:46em;margin:2em auto;padding:0 1em;color:#111;background:#fff}"
    "table{border-collapse:collapse;margin:1em 0}td,th{border:1px solid #767676;padding:.2em .7em;text-align:left}"
    "pre{background:#f4f4f4;padding:.6em;overflow-x:auto;white-space:pre-wrap}section{break-inside:avoid}"
    ".answer{margin:1.2em 0 2em}"
)


def as_markdown(sheet: Sheet, *, solutions: bool) -> str:
    """Render the sheet as Markdown, with blanks to fill in or with worked solutions."""
    parts = [f"# {_title(sheet, solutions)}\n", *([] if solutions else [f"{HOW_TO_ANSWER}\n"])]
    for number, task in enumerate(sheet.tasks, start=1):
        parts += [f"## {number}. {_plain(task.topic)}\n", f"{_plain(task.question)}\n"]
        parts += [_markdown(table) for table in task.given]
        if solutions:
            parts.append(_set_off(task.solution))
        else:
            summary, *formulas = task.definition
            parts += [f"{_plain(summary)}\n", *map(_set_off, formulas), f"Answer {number}:\n"]
    return "\n".join([*parts, sheet.recipe]) + "\n"


def as_html(sheet: Sheet, *, solutions: bool) -> str:
    """Render the sheet as an HTML page to print or to email."""
    name = html.escape(_title(sheet, solutions))
    body = [f"<h1>{name}</h1>", *([] if solutions else [f"<p>{HOW_TO_ANSWER}</p>"])]
    for number, task in enumerate(sheet.tasks, start=1):
        body += ["<section>", f"<h2>{number}. {html.escape(task.topic)}</h2>", f"<p>{html.escape(task.question)}</p>"]
        body += map(_html_table, task.given)
        if solutions:
            body.append(f"<pre>{html.escape(task.solution)}</pre>")
        else:
            summary, *formulas = task.definition
            body += [f"<p>{html.escape(summary)}</p>", *(f"<pre>{html.escape(formula)}</pre>" for formula in formulas)]
            body.append(f'<p class="answer">Answer {number}:</p>')
        body.append("</section>")
    head = '<meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">'
    head += f"<title>{name}</title><style>{STYLE}</style>"
    page = ["<!DOCTYPE html>", f'<html lang="en"><head>{head}</head><body><main>', *body]
    return "\n".join([*page, "</main>", sheet.recipe, "</body></html>"]) + "\n"


def as_json(sheet: Sheet, *, solutions: bool) -> str:
    """Render the sheet as JSON, for example for a learning platform."""
    from germane import __version__

    head = {"germane": __version__, "topics": sheet.topics, "seed": sheet.seed, "student": sheet.student}
    tasks = [_task(number, task, solutions) for number, task in enumerate(sheet.tasks, start=1)]
    return json.dumps({**head, "tasks": tasks, "recipe": sheet.recipe}, indent=1, ensure_ascii=False) + "\n"


def tables_changed(sheet: Sheet, text: str) -> list[int]:
    """Return the numbers of the tasks whose table was changed in a text; spaces are ignored."""
    lines = {_squeezed(line) for line in text.splitlines()}

    def there(table: Table) -> bool:
        made = _markdown(table).splitlines()
        return _html_table(table) in text or all(_squeezed(line) in lines for line in made)

    return [number for number, task in enumerate(sheet.tasks, start=1) if not all(map(there, task.given))]


WRITERS: dict[str, Callable[..., str]] = {".md": as_markdown, ".html": as_html, ".json": as_json}
"""Functions that render a sheet, by file extension."""


def _markdown(table: Table) -> str:
    return markdown_table(table_of_texts(table.header, table.rows), 0)


def _task(number: int, task: Task, solutions: bool) -> dict[str, Any]:
    given = [vars(table) for table in task.given]
    found: dict[str, Any] = {"task": number, "topic": task.topic, "question": task.question}
    found |= {"given": given, "definition": task.definition}
    if solutions:
        mistakes = [{"done": mistake.done, "value": mistake.value} for mistake in task.mistakes]
        found |= {"value": task.value, "solution": task.solution, "mistakes": mistakes}
    return found


def _title(sheet: Sheet, solutions: bool) -> str:
    return f"{'Solutions' if solutions else 'Exercises'}{f' for {sheet.student}' if sheet.student else ''}"


def _plain(text: str) -> str:
    """Escape Markdown."""
    return "".join(f"\\{character}" if character in "\\*_`|<[]" else character for character in text)


def _squeezed(line: str) -> str:
    """Remove spaces and repeated dashes from a line, since editors realign tables."""
    return re.sub("-+", "-", "".join(line.split()))


def _set_off(text: str) -> str:
    """Indent text as preformatted Markdown; unlike a fence, this also works inside a fenced block."""
    return textwrap.indent(text, "    ") + "\n"


def _html_table(table: Table) -> str:
    def row(cells: tuple[str, ...], tag: str) -> str:
        return "<tr>" + "".join(f"<{tag}>{html.escape(cell)}</{tag}>" for cell in cells) + "</tr>"

    return f"<table>{row(table.header, 'th')}{''.join(row(cells, 'td') for cells in table.rows)}</table>"
