"""A search request with places for the query and for k, filled in as JSON values and never as text of the file."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from germane.errors import InputError, did_you_mean
from germane.formats.json_text import parse_json
from germane.formats.sources import open_source

PLACE = re.compile(r"\{\{\s*(\w+)\s*\}\}")
KNOWN = ("query", "k")


def read_template(path: str | Path) -> Any:
    """A request that somebody wrote: JSON with ``"{{query}}"`` and ``"{{k}}"`` in it."""
    with open_source(path) as stream:
        text = stream.read()
    hint = 'a template is JSON, its places in quotes: {"size": "{{k}}", "query": {"match": {"body": "{{query}}"}}}'
    template = parse_json(text, path, hint=hint)
    if not isinstance(template, dict):
        found = "null" if template is None else type(template).__name__
        raise InputError(path, None, f"expected a JSON object, found {found}")
    places = _places(template)
    for name in places:
        if name not in KNOWN:
            problem = f"no place is called {{{{{name}}}}}{did_you_mean(name, KNOWN)}"
            raise InputError(path, None, problem, hint="there are {{query}} and {{k}}")
    for name, example in (("query", '"query": "{{query}}"'), ("k", '"size": "{{k}}"')):
        if name not in places:
            raise InputError(path, None, f"expected a place for {name}, found none", hint=f"put {example} into it")
    return template


def filled(template: Any, query: str, k: int) -> Any:
    """The template with the query and k in their places. A place that is a whole string becomes the value itself.

    >>> filled({"size": "{{k}}", "query": {"match": {"body": "{{query}}"}}}, 'say "hi"', 10)
    {'size': 10, 'query': {'match': {'body': 'say "hi"'}}}
    """
    values = {"query": query, "k": k}
    if isinstance(template, dict):
        return {name: filled(value, query, k) for name, value in template.items()}
    if isinstance(template, list):
        return [filled(value, query, k) for value in template]
    if not isinstance(template, str):
        return template
    if whole := PLACE.fullmatch(template):
        return values[whole[1]]
    return PLACE.sub(lambda place: str(values[place[1]]), template)


def _places(template: Any) -> list[str]:
    if isinstance(template, dict):
        return [name for value in template.values() for name in _places(value)]
    if isinstance(template, list):
        return [name for value in template for name in _places(value)]
    return PLACE.findall(template) if isinstance(template, str) else []
