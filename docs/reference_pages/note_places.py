"""The codes of the notes that the source makes, as far as they can be read off it: families with ``…`` in them."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from docs.reference_pages.source_tree import Module, SourceTree, called
from docs.reference_pages.words import OPEN, Scope, Words

Loop = ast.For | ast.comprehension


def codes_made(tree: SourceTree) -> set[str]:
    """What is given as the code of a note, anywhere; what varies in it is ``…``."""
    words = Words(tree)
    found = set()
    for module in tree.modules.values():
        for node in module.nodes:
            if isinstance(node, ast.Call) and called(node) == "Note" and node.args:
                for scope in words.scopes(node.args[0], Scope(module, module.enclosing(node))):
                    found |= set(words.texts(node.args[0], scope))
                found |= set(_varying(node.args[0], module, tree))
    return found - {OPEN}


def is_made(code: str, made: set[str]) -> bool:
    """Whether a code is among those made, or one of a family that is.

    >>> is_made("ties@K", {"ties@…"}), is_made("repeat-items", {"…-items"}), is_made("tie", {"ties"})
    (True, True, False)
    """
    return any(re.fullmatch(".+".join(map(re.escape, each.split(OPEN))), code) for each in made)


def _varying(node: ast.expr, module: Module, tree: SourceTree) -> Iterator[str]:
    """The codes that an expression runs through: those of a loop, of a parameter, or of several classes."""
    match node:
        case ast.Call(func=ast.Attribute(value=inner, attr="replace"), args=[ast.Constant(old), ast.Constant(new)]):
            yield from (code.replace(str(old), str(new)) for code in _varying(inner, module, tree))
        case ast.Name(id=name):
            function = module.enclosing(node)
            inside = set(ast.walk(function)) if function else set()
            for loop in (one for one in module.nodes if isinstance(one, Loop) and one in inside):
                yield from _looped(name, loop, module, tree)
            for caller, call in tree.callers(module, function) if function else []:
                yield from (code for given in call.args[:1] for code in _varying(given, caller, tree))
        case ast.Attribute():
            yield from _of_classes(node, module, tree)


def _of_classes(node: ast.expr, module: Module, tree: SourceTree) -> Iterator[str]:
    """The values that an attribute has in the classes that define it as a constant."""
    if isinstance(node, ast.Attribute):
        for other in tree.modules.values():
            values = [value for pairs in other.assigned.values() for name, value in pairs if name == node.attr]
            yield from (one.value for one in values if isinstance(one, ast.Constant) and isinstance(one.value, str))


def _looped(name: str, loop: Loop, module: Module, tree: SourceTree) -> Iterator[str]:
    """What a name runs through in a loop over a tuple, or over a name that stands for one."""
    rows = loop.iter
    if isinstance(rows, ast.Name):
        home, own = tree.find(module, rows.id)
        local = [value for pairs in module.assigned.values() for target, value in pairs if target == rows.id]
        rows = next(iter(local), home.constants.get(own, rows))
    targets = loop.target.elts if isinstance(loop.target, ast.Tuple) else [loop.target]
    at = next((place for place, one in enumerate(targets) if isinstance(one, ast.Name) and one.id == name), None)
    for row in rows.elts if isinstance(rows, ast.Tuple | ast.List) and at is not None else []:
        cells = row.elts if isinstance(row, ast.Tuple) else [row]
        cell = cells[at or 0]
        if isinstance(cell, ast.Constant) and isinstance(cell.value, str):
            yield cell.value
