"""A result as a dict, as JSON, or as lines of JSON: the contract for other programs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from germane.tables.results.columns import for_json
from germane.tables.results.result import Result


def as_dict(result: Result, view: Mapping[str, Any]) -> dict[str, Any]:
    """The whole document: version, schema, facts, tables, notes; every number in full, None where one is undefined."""
    from germane import __version__

    made = {"germane": __version__, "schema": result.schema, **result.document(**view), "notes": _notes(result)}
    return dict(for_json(made))


def render(result: Result, style: str, table: str | None, view: Mapping[str, Any]) -> str:
    """The document; with `table`, the records of that table alone. As lines, records come first and notes last."""
    import json

    if style == "json":
        return json.dumps(result.table(table, **view).records() if table else as_dict(result, view), indent=1) + "\n"
    notes = () if table else ({"note": note} for note in _notes(result))
    lines: list[Iterable[Any]] = [result.table(table, **view).each_record(alone=True), notes]
    return "".join(f"{json.dumps(line)}\n" for part in lines for line in part)


def _notes(result: Result) -> list[Any]:
    """Notes with their codes; a sentence where a result has only that."""
    return [note if isinstance(note, str) else note.to_dict() for note in result.notes]
