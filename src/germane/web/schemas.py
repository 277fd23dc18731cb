"""The part of JSON Schema that the API uses: what a body looks like, and what is wrong with one that does not."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

Schema = Mapping[str, Any]

TYPES: Mapping[str, tuple[type, ...]] = {
    "object": (dict,),
    "array": (list,),
    "string": (str,),
    "number": (int, float),
    "integer": (int,),
    "boolean": (bool,),
    "null": (type(None),),
}


def text(most: int = 1000, **more: Any) -> Schema:
    """A string of at most so many characters."""
    return {"type": "string", "maxLength": most, **more}


def a_list(items: Schema, most: int = 1000) -> Schema:
    """A list of such things."""
    return {"type": "array", "items": items, "maxItems": most}


def an_object(required: Mapping[str, Schema], optional: Mapping[str, Schema] | None = None) -> Schema:
    """An object with these properties and no others.

    >>> problem_with({"name": 1}, an_object({"name": text()}))
    'name: expected string, found integer'
    """
    return {
        "type": "object",
        "properties": {**required, **(optional or {})},
        "required": list(required),
        "additionalProperties": False,
    }


def problem_with(value: Any, schema: Schema, where: str = "") -> str | None:
    """The first thing that is wrong with a value, or None.

    >>> problem_with([1, 2, 3], a_list({"type": "number"}, most=2))
    'expected at most 2 entries, found 3'
    """
    prefix = f"{where}: " if where else ""
    kinds = schema.get("type", list(TYPES))
    kinds = [kinds] if isinstance(kinds, str) else kinds
    if not any(isinstance(value, TYPES[kind]) and (kind == "boolean") >= isinstance(value, bool) for kind in kinds):
        return f"{prefix}expected {' or '.join(kinds)}, found {_kind(value)}"
    if "enum" in schema and value not in schema["enum"]:
        return f"{prefix}expected one of {', '.join(map(repr, schema['enum']))}, found {value!r:.60}"
    if isinstance(value, str) and len(value) > schema.get("maxLength", len(value)):
        return f"{prefix}expected at most {schema['maxLength']} characters, found {len(value)}"
    if isinstance(value, int | float) and not isinstance(value, bool):
        low, high = schema.get("minimum", value), schema.get("maximum", value)
        if not low <= value <= high:
            return f"{prefix}expected a number from {low} to {high}, found {value}"
    if isinstance(value, list):
        if len(value) > schema.get("maxItems", len(value)):
            return f"{prefix}expected at most {schema['maxItems']} entries, found {len(value)}"
        problems = (problem_with(one, schema["items"], f"{where}[{at}]") for at, one in enumerate(value))
        return next((problem for problem in problems if problem), None)
    if isinstance(value, dict):
        return _problem_with_object(value, schema, where, prefix)
    return None


def _problem_with_object(value: dict[str, Any], schema: Schema, where: str, prefix: str) -> str | None:
    known = schema.get("properties", {})
    for name in schema.get("required", ()):
        if name not in value:
            return f"{prefix}expected {name!r}, found none"
    for name, one in value.items():
        if name not in known:
            if schema.get("additionalProperties", True):
                continue
            return f"{prefix}expected {', '.join(known)}, found {name!r:.60}"
        problem = problem_with(one, known[name], f"{where}.{name}" if where else name)
        if problem is not None:
            return problem
    return None


def _kind(value: Any) -> str:
    if isinstance(value, bool):
        return "boolean"
    return next(
        name for name in ("null", "object", "array", "string", "integer", "number") if isinstance(value, TYPES[name])
    )
