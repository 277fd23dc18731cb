"""The names that other programs rely on: options, note codes and JSON keys, one per line.

``make docs`` adds new names to ``contract.txt``. It removes none: that is for people to do,
with an entry in the changelog.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from docs.schemas.published import SCHEMAS
from germane.tables.notes.explanations import note_entries
from tests.commands import leaf_commands

FILE = Path(__file__).with_name("contract.txt")
REMOVED = (
    "is gone, and scripts that use it break: keep it, or remove it from contract.txt with an entry in the CHANGELOG"
)


def contract() -> list[str]:
    """Every frozen name of this version, sorted."""
    options = {
        f"option {name} {spelled}"
        for name, command in leaf_commands()
        for option in command.params
        for spelled in (*option.opts, *option.secondary_opts)
        if spelled.startswith("-")
    }
    keys = {f"json {name} {path}" for name, schema in SCHEMAS.items() for path in _keys(schema)}
    return sorted(options | keys | {f"note {code}" for code in note_entries()})


def removed(frozen: Sequence[str], now: Sequence[str]) -> list[str]:
    """The names that are no longer there, and what that means."""
    return [f"{name} {REMOVED}" for name in sorted(set(frozen) - set(now))]


def with_new_names() -> dict[str, str]:
    """The file, by its path from the root of the repository, with the names that it lacks."""
    names = sorted({*FILE.read_text(encoding="utf-8").splitlines(), *contract()})
    return {"tests/golden/contract.txt": "".join(f"{name}\n" for name in names)}


def _keys(schema: Any, path: str = "") -> Iterator[str]:
    """The path of every key that a schema names; what a list or a map holds stands under its own key."""
    if isinstance(schema, dict):
        for key, inner in schema.get("properties", {}).items():
            yield f"{path}{key}"
            yield from _keys(inner, f"{path}{key}.")
        for part in ("items", "additionalProperties", "anyOf", "oneOf", "allOf", "$defs"):
            yield from _keys(schema.get(part), path)
    elif isinstance(schema, list):
        for inner in schema:
            yield from _keys(inner, path)
