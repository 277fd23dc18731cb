"""The names that other programs rely on: options, note codes and JSON keys, one per line.

``python -m tests.golden.contract`` writes them to ``contract.txt``, after a change that is meant.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from docs.reference_pages.notes import note_entries
from docs.schemas.published import SCHEMAS
from tests.commands import leaf_commands

FILE = Path(__file__).with_name("contract.txt")
REMOVED = (
    "is gone, and scripts that use it break: keep it, or release a new major version with an entry in the CHANGELOG"
)
ADDED = "is new, and stays once it is released: is it the field's word, and the one used elsewhere for the same thing?"
WRITE = "if the change is meant, run `python -m tests.golden.contract`"


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


def changes(frozen: Sequence[str], now: Sequence[str]) -> list[str]:
    """What differs between two contracts, and what that means."""
    removed = [f"{name} {REMOVED}" for name in sorted(set(frozen) - set(now))]
    return removed + [f"{name} {ADDED}" for name in sorted(set(now) - set(frozen))]


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


if __name__ == "__main__":
    FILE.write_text("\n".join(contract()) + "\n", encoding="utf-8")
