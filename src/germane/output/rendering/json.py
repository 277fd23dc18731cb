"""A result as a dict, as JSON or as JSON lines: the contract for other programs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from germane.tables.results.columns import for_json
from germane.tables.results.result import Result


def as_dict(result: Result, view: Mapping[str, Any]) -> dict[str, Any]:
    """Return the whole document: version, schema, facts, tables, notes; numbers in full, None if undefined."""
    from germane import __version__

    made = {"germane": __version__, "schema": result.schema, **result.document(**view), "notes": _notes(result)}
    return dict(for_json(made))


def render(result: Result, style: str, table: str | None, view: Mapping[str, Any]) -> str:
    """Render the document or, with `table`, only the records of that table. As lines: records first, then notes."""
    import json

    if style == "json":
        return json.dumps(result.table(table, **view).records() if table else as_dict(result, view), indent=1) + "\n"
    notes = () if table else ({"note": note} for note in _notes(result))
    lines: list[Iterable[Any]] = [result.table(table, **view).each_record(alone=True), notes]
    return "".join(f"{json.dumps(line)}\n" for part in lines for line in part)


def _notes(result: Result) -> list[Any]:
    """Return notes as dicts with their codes; notes without a code stay sentences."""
    return [note if isinstance(note, str) else note.to_dict() for note in result.notes]
