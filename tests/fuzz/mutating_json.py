"""JSON a little different from good JSON: other shapes, types, keys and numbers at a place of the tree."""

from __future__ import annotations

import json
from random import Random
from typing import Any

VALUES: tuple[Any, ...] = (
    *(None, True, False, 0, 1, -1, 2, 0.5, -0.0, 1e300, 2**53, 2**63, 2**64, -(2**63) - 1, 10**30, 10**400),
    *("", " ", "a", "1", "nan", "\0", "\ud800", "é", "x" * 300, "2026-01-01T00:00:00Z", "../up", "q1", "*", "0.5"),
    *([], {}, [[]], [None], {"": None}, [1, 2, 3], {"a": {"a": {}}}, ["a"], [0.5], [[1, 2], [3]], {"1": 1}),
)
RAW = ("NaN", "Infinity", "-Infinity", "1e999", "9" * 5000, '"\\ud800"', '"\\u0000"', "[" * 2000 + "]" * 2000)
"""What `json.dumps` would not write, put into the text itself."""

HOLE = "\x01hole\x01"


def mutated_json(data: bytes, chance: Random) -> bytes:
    """The JSON of a file, or that of one of its lines, with one to three places changed."""
    lines = data.splitlines(keepends=True)
    try:
        return _changed(data, chance)
    except ValueError:
        pass
    if not lines:
        return data
    place = chance.randrange(len(lines))
    try:
        lines[place] = _changed(lines[place], chance) + b"\n"
    except ValueError:
        return data
    return b"".join(lines)


def _changed(data: bytes, chance: Random) -> bytes:
    tree = json.loads(data)
    for _ in range(chance.choice((1, 1, 1, 2, 3))):
        tree = _at_some_place(tree, chance)
    text = json.dumps(tree, ensure_ascii=chance.random() < 0.5)
    if chance.random() < 0.15:
        quoted = json.dumps(HOLE)
        text = json.dumps(_at_some_place(tree, chance, HOLE)).replace(quoted, chance.choice(RAW))
    if chance.random() < 0.03:
        text = _with_a_key_twice(text)
    return text.encode("utf-8", "surrogatepass")


def _with_a_key_twice(text: str) -> str:
    if not text.startswith('{"'):
        return text
    key = text[1 : text.index('"', 2) + 1]
    return f"{{{key}: null, {text[1:]}"


def _at_some_place(tree: Any, chance: Random, value: Any = None) -> Any:
    """Goes down the tree, and changes what it comes to."""
    if isinstance(tree, dict | list) and tree and chance.random() < 0.85:
        keys = list(tree) if isinstance(tree, dict) else list(range(len(tree)))
        key = chance.choice(keys)
        changed: Any = tree.copy()
        changed[key] = _at_some_place(tree[key], chance, value)
        return changed
    return _other(tree, chance) if value is None else value


def _other(tree: Any, chance: Random) -> Any:
    choice = chance.random()
    if isinstance(tree, dict) and tree and choice < 0.6:
        key = chance.choice(list(tree))
        if choice < 0.25:
            return {name: value for name, value in tree.items() if name != key}
        if choice < 0.4:
            return {**tree, chance.choice(("extra", "", "a", key + "2", key.upper())): chance.choice(VALUES)}
        other = chance.choice(list(tree))
        return {**tree, key: tree[other], other: tree[key]}
    if isinstance(tree, list) and tree and choice < 0.6:
        if choice < 0.2:
            return [*tree, chance.choice(tree)]
        if choice < 0.4:
            return tree[: chance.randrange(len(tree))]
        return [*tree, chance.choice(VALUES)]
    if isinstance(tree, int | float) and not isinstance(tree, bool) and choice < 0.5:
        return chance.choice((0, 1, 2, 3, -1, 0.5, tree + 1, -tree, 1e9))
    if isinstance(tree, str) and choice < 0.4:
        return chance.choice((tree + "x", tree.upper(), tree[:-1], tree * 2, "é" + tree))
    return chance.choice(VALUES)
