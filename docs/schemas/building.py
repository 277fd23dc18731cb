"""Building blocks of schemas: small functions that return parts of JSON Schema (draft 2020-12) with a description.

A record takes its keys with what they hold; a key that begins with ``?`` may be missing. Every other record is open:
programs should ignore keys that they do not know.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

Schema = dict[str, Any]

DIALECT = "https://json-schema.org/draft/2020-12/schema"


def text(says: str, *one_of: str) -> Schema:
    """A string, optionally one of a list."""
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
    """A class label: text, a number or a boolean; null if missing."""
    return {"description": says, "type": ["string", "number", "boolean", "null"]}


def anything(says: str) -> Schema:
    """Any value: internal to germane, or different from case to case."""
    return {"description": says}


def nullable(schema: Schema) -> Schema:
    """A schema that also allows null."""
    if isinstance(schema.get("type"), str):
        return {**schema, "type": [schema["type"], "null"]}
    says, rest = schema["description"], {key: value for key, value in schema.items() if key != "description"}
    return {"description": says, "anyOf": [rest, {"type": "null"}]}


def listed(says: str, of: Schema) -> Schema:
    """A list whose items all have one schema."""
    return {"description": says, "type": "array", "items": of}


def interval(says: str) -> Schema:
    """The lower and upper limit of an interval, null if undefined."""
    return {
        "description": says,
        "type": "array",
        "prefixItems": [measured("the lower limit"), measured("the upper limit")],
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
    """A schema with the header of a file of its own."""
    return {"$schema": DIALECT, "$id": f"{name}.schema.json", "title": name, **schema}


VERSION = text("the version of germane that computed the numbers")


def document(says: str, name: str, keys: Mapping[str, Schema]) -> Schema:
    """A whole result: the version of germane, the schema, the keys and the notes."""
    header = {"germane": VERSION, "schema": text("this schema and its version", f"{name}/1")}
    return record(says, {**header, **keys, "notes": keys.get("notes", NOTES)})


CHECKSUM = text("BLAKE2b hash of everything else; a damaged or edited file is rejected")
SEED = whole("the random seed")
LEVEL = number("the confidence level of the intervals")
SIMULTANEOUS = truth("whether the intervals are simultaneous")
MATCHES_TEST = truth("whether an interval excludes 0 exactly where the adjusted p-value is at most alpha")
INTERVALS = record(
    "how the intervals of differences were computed",
    {"method": text("the method"), "level": LEVEL, "simultaneous": SIMULTANEOUS, "matches_test": MATCHES_TEST},
)
NOTE = record(
    "a fact that changes how to read the numbers",
    {
        "code": text("the code of the note; stable"),
        "message": text("the note as a sentence; not stable"),
        "?run": text("the run that it is about"),
        "?count": nullable(whole("the number of affected items")),
        "?share": number("the share of affected items"),
        "?examples": listed("examples", text("an id")),
    },
)
NOTES = listed("facts that change how to read the numbers", NOTE)
SENTENCES = listed("notes on the result", text("a sentence"))
CELLS = record(
    "the cells of a 2 × 2 confusion matrix",
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
        "low": extended("the lower limit of the interval"),
        "high": extended("the upper limit of the interval"),
        "method": text("the interval method; `none` if there is no interval"),
        "?remark": text("a caution about this estimate"),
    },
)
BY_MEASURE = by("measure", measured("the value"))
RUN_OF_A_POOL = record("a run", {"name": text("its name"), "sha256": text("the checksum of its content")})
