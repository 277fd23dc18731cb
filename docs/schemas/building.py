"""What schemas are built from: small functions that give parts of JSON Schema (draft 2020-12), each with its words.

A record takes its keys with what they hold; a key that begins with ``?`` may be missing. Every other record is open:
programs should ignore keys that they do not know.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

Schema = dict[str, Any]

DIALECT = "https://json-schema.org/draft/2020-12/schema"


def text(says: str, *one_of: str) -> Schema:
    """A string, or one of some."""
    return {"description": says, "type": "string", **({"enum": list(one_of)} if one_of else {})}


def whole(says: str) -> Schema:
    """An integer."""
    return {"description": says, "type": "integer"}


def number(says: str) -> Schema:
    """A number that is always defined."""
    return {"description": says, "type": "number"}


def measured(says: str) -> Schema:
    """A number, or null where it is not defined."""
    return {"description": says, "type": ["number", "null"]}


def extended(says: str) -> Schema:
    """A number, null where it is not defined, or infinity as text."""
    return {"description": says, "anyOf": [{"type": ["number", "null"]}, {"enum": ["Infinity", "-Infinity"]}]}


def truth(says: str) -> Schema:
    """True or false."""
    return {"description": says, "type": "boolean"}


def label(says: str) -> Schema:
    """The name of a class: text, a number, or a truth value; null where there is none."""
    return {"description": says, "type": ["string", "number", "boolean", "null"]}


def anything(says: str) -> Schema:
    """What is not for other programs to read, or differs from case to case."""
    return {"description": says}


def nullable(schema: Schema) -> Schema:
    """The same, or null."""
    if isinstance(schema.get("type"), str):
        return {**schema, "type": [schema["type"], "null"]}
    says, rest = schema["description"], {key: value for key, value in schema.items() if key != "description"}
    return {"description": says, "anyOf": [rest, {"type": "null"}]}


def listed(says: str, of: Schema) -> Schema:
    """A list of the same."""
    return {"description": says, "type": "array", "items": of}


def interval(says: str) -> Schema:
    """A low and a high end, null where there is none."""
    return {
        "description": says,
        "type": "array",
        "prefixItems": [measured("the low end"), measured("the high end")],
        "minItems": 2,
        "maxItems": 2,
    }


def by(key: str, of: Schema, says: str = "") -> Schema:
    """An object whose keys are names from the data: by query, by run, by measure."""
    said = f"by {key}: {says or of['description']}"
    return {"description": said, "type": "object", "additionalProperties": of}


def record(says: str, keys: Mapping[str, Schema]) -> Schema:
    """An object with these keys."""
    return {
        "description": says,
        "type": "object",
        "properties": {key.removeprefix("?"): held for key, held in keys.items()},
        "required": [key for key in keys if not key.startswith("?")],
    }


def whole_schema(name: str, schema: Schema) -> Schema:
    """A schema with what a file of its own needs."""
    return {"$schema": DIALECT, "$id": f"{name}.schema.json", "title": name, **schema}


VERSION = text("the version of germane that made the numbers")


def document(says: str, name: str, keys: Mapping[str, Schema]) -> Schema:
    """A whole result: what made it, which schema it follows, its keys, and what a reader must know."""
    header = {"germane": VERSION, "schema": text("this schema and its version", f"{name}/1")}
    return record(says, {**header, **keys, "notes": keys.get("notes", NOTES)})


CHECKSUM = text("BLAKE2b of all the rest: a file that was damaged or edited is refused")
SEED = whole("for whatever was drawn at random")
LEVEL = number("the level of the intervals")
SIMULTANEOUS = truth("whether all intervals hold together at their level")
MATCHES_TEST = truth("whether an interval excludes 0 exactly where the adjusted p-value is at most alpha")
INTERVALS = record(
    "how intervals of differences were made",
    {"method": text("the method"), "level": LEVEL, "simultaneous": SIMULTANEOUS, "matches_test": MATCHES_TEST},
)
NOTE = record(
    "what a reader of the numbers must know",
    {
        "code": text("which note it is; stable"),
        "message": text("the same in words; not stable"),
        "?run": text("which run it is about"),
        "?count": nullable(whole("how many")),
        "?share": number("the share of how many"),
        "?examples": listed("some of them", text("an id")),
    },
)
NOTES = listed("what a reader of the numbers must know", NOTE)
SENTENCES = listed("what a reader must know", text("a sentence"))
CELLS = record(
    "the four cells",
    {
        "TP": number("true positives"),
        "FP": number("false positives"),
        "FN": number("false negatives"),
        "TN": number("true negatives"),
    },
)
ESTIMATE = record(
    "a value with its interval",
    {
        "value": extended("the value"),
        "low": extended("the low end of the interval"),
        "high": extended("the high end of the interval"),
        "method": text("what made the interval; `none` where there is none"),
        "?remark": text("what must be known of this estimate"),
    },
)
BY_MEASURE = by("measure", measured("the value"))
RUN_OF_A_POOL = record("a run", {"name": text("its name"), "sha256": text("the checksum of its content")})
