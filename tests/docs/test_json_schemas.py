"""The published schemas hold for what germane really writes, and say a word on every key of it."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from typing import Any

import click
import pytest
from jsonschema import Draft202012Validator

from docs.schemas.building import by, listed, measured, record, text, whole_schema
from docs.schemas.published import OF_COMMANDS, OF_FILES, OF_FUNCTIONS, SCHEMAS, published
from tests.commands import all_commands
from tests.conftest import ROOT
from tests.docs.json_outputs import outputs, values_in


def strict(schema: Any) -> Any:
    """The same schema, which is open to keys that come later, closed to those that it does not know today."""
    if isinstance(schema, list):
        return [strict(inner) for inner in schema]
    if not isinstance(schema, dict):
        return schema
    closed = {key: strict(inner) for key, inner in schema.items()}
    if "properties" in schema and schema.get("type") == "object":
        closed.setdefault("additionalProperties", False)
    return closed


def problems(schema: Any, value: Any) -> list[str]:
    """Where a value is not what its schema says, or has a key that it does not know."""
    found = Draft202012Validator(strict(schema)).iter_errors(value)
    return [f"{'/'.join(map(str, problem.absolute_path))}: {problem.message[:200]}" for problem in found]


def without_description(schema: Any, path: str = "") -> Iterator[str]:
    """Keys, and what lists and maps hold, that a schema has no word on."""
    for kind in ("properties", "items", "additionalProperties", "prefixItems", "anyOf"):
        inner = schema.get(kind)
        named = inner if kind == "properties" else dict(enumerate(inner)) if isinstance(inner, list) else {kind: inner}
        for name, held in (named or {}).items():
            if not isinstance(held, dict):
                continue
            if kind != "anyOf" and not held.get("description"):
                yield f"{path}/{name}"
            yield from without_description(held, f"{path}/{name}")


@pytest.mark.parametrize("name", SCHEMAS)
def test_what_germane_writes_is_what_the_schema_says(name: str) -> None:
    found = outputs()[name]
    assert found
    assert [problem for value in found for problem in problems(SCHEMAS[name], value)] == []


def test_every_output_has_a_schema_and_every_schema_an_output() -> None:
    assert set(outputs()) == set(SCHEMAS)
    used = {name for names in OF_COMMANDS.values() for name in names} | {*OF_FUNCTIONS.values(), *OF_FILES.values()}
    assert used == set(SCHEMAS)


def test_every_command_with_json_has_a_schema() -> None:
    with_json = {
        name
        for name, command in all_commands()
        for option in command.params
        if "--format" in option.opts and isinstance(option.type, click.Choice) and "json" in option.type.choices
    }
    assert with_json == set(OF_COMMANDS)


@pytest.mark.parametrize("name", SCHEMAS)
def test_a_schema_is_one_and_says_a_word_on_every_key(name: str) -> None:
    Draft202012Validator.check_schema(SCHEMAS[name])
    assert SCHEMAS[name]["description"]
    assert list(without_description(SCHEMAS[name])) == []


def test_no_file_is_left_of_a_schema_that_is_gone() -> None:
    written = {path.relative_to(ROOT).as_posix() for path in (ROOT / "docs" / "reference" / "schemas").iterdir()}
    assert written == set(published())


def test_nothing_that_is_written_is_nan() -> None:
    for name, found in outputs().items():
        assert json.dumps(found, allow_nan=False), name


SMALL = whole_schema(
    "small",
    record("two keys", {"name": text("a name"), "?means": by("run", listed("its means", measured("a mean")))}),
)
BROKEN: list[tuple[str, Any]] = [
    ("a key that the schema does not know", {"name": "a", "nmae": "b"}),
    ("a key that is missing", {"means": {}}),
    ("another type", {"name": 1}),
    ("another type, deep inside", {"name": "a", "means": {"b": [0.5, "0.5"]}}),
]


def test_a_value_that_fits() -> None:
    assert problems(SMALL, {"name": "a", "means": {"b": [0.5, None]}}) == []


@pytest.mark.parametrize(("why", "value"), BROKEN)
def test_the_laws_catch(why: str, value: Any) -> None:
    assert problems(SMALL, value) != [], why


def test_the_law_of_words_catches_a_key_without_one() -> None:
    assert list(without_description(record("it", {"a": {"type": "string"}}))) == ["/a"]
    assert list(without_description(by("run", listed("means", {"type": "number"})))) == ["/additionalProperties/items"]


MUTABLE = ["eval", "compare", "classify", "threshold", "agree", "retrieve-record", "tune", "agent-show"]


@pytest.mark.parametrize("name", MUTABLE)
def test_a_misspelled_key_is_caught_in_real_outputs(name: str) -> None:
    """Wherever there are notes, they get another name."""
    broken = copy.deepcopy(outputs()[name][0])
    renamed = 0
    for value in values_in(broken):
        if isinstance(value, dict) and "notes" in value:
            value["ntoes"] = value.pop("notes")
            renamed += 1
    assert renamed
    assert problems(SCHEMAS[name], broken) != []
