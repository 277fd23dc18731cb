"""The source of germane as trees: who calls a function, and what a name stands for where it is used.

It knows as much of Python as it takes to find the words of an error message: assignments, parameters, constants of a
module and small functions that return text. What it cannot know it leaves open.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

FEW = 3
"""In how many files a method of one name may be defined for calls of that name to be followed to it."""
Function = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(eq=False)
class Module:
    """One file: its tree, all nodes of it, and the parent of each of them."""

    path: Path
    name: str
    tree: ast.Module
    nodes: list[ast.AST] = field(default_factory=list)
    parents: dict[ast.AST, ast.AST] = field(default_factory=dict)

    def __post_init__(self) -> None:
        # Walked once: there are a million nodes, and every question below is about some of them.
        self.nodes.append(self.tree)
        for node in self.nodes:
            for child in ast.iter_child_nodes(node):
                self.parents[child] = node
                self.nodes.append(child)

    @cached_property
    def functions(self) -> dict[str, Function]:
        """All functions and methods by name; of several with one name, the last."""
        return {node.name: node for node in self.nodes if isinstance(node, Function)}

    @cached_property
    def constants(self) -> dict[str, ast.expr]:
        """What is assigned to names at the top of the file, or in a class."""
        bodies = [node.body for node in self.nodes if isinstance(node, ast.Module | ast.ClassDef)]
        return {name: value for body in bodies for node in body for name, value in assignments(node)}

    @cached_property
    def imported(self) -> dict[str, tuple[str, str]]:
        """By local name: the module that it was imported from, and its name there."""
        return {
            alias.asname or alias.name: (node.module or "", alias.name)
            for node in self.nodes
            if isinstance(node, ast.ImportFrom)
            for alias in node.names
        }

    @cached_property
    def assigned(self) -> dict[ast.AST, list[tuple[str, ast.expr]]]:
        """By statement, what it assigns itself, in conditions too; not what the blocks below it do."""
        found: dict[ast.AST, list[tuple[str, ast.expr]]] = {}
        for node in self.nodes:
            for pair in assignments(node):
                statement: ast.AST = node
                while not isinstance(statement, ast.stmt):
                    statement = self.parents[statement]
                found.setdefault(statement, []).append(pair)
        return found

    @cached_property
    def stored(self) -> dict[Function, set[str]]:
        """By function, the names that are assigned in it."""
        found: dict[Function, set[str]] = {}
        for node in self.nodes:
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                function = self.enclosing(node)
                if function is not None:
                    found.setdefault(function, set()).add(node.id)
        return found

    def enclosing(self, node: ast.AST) -> Function | None:
        """The function around a node."""
        while (node := self.parents.get(node, self.tree)) is not self.tree:
            if isinstance(node, Function):
                return node
        return None


@dataclass(eq=False)
class SourceTree:
    """All files below a folder, as the modules of one package."""

    folder: Path

    @cached_property
    def modules(self) -> dict[str, Module]:
        found = {}
        for path in sorted(self.folder.rglob("*.py")):
            inside = path.relative_to(self.folder.parent).with_suffix("")
            name = ".".join(part for part in inside.parts if part != "__init__")
            found[name] = Module(path, name, ast.parse(path.read_text(encoding="utf-8")))
        return found

    @cached_property
    def calls(self) -> dict[str, list[tuple[Module, ast.Call]]]:
        """All calls by the last name of what is called."""
        found: dict[str, list[tuple[Module, ast.Call]]] = {}
        for module in self.modules.values():
            for node in module.nodes:
                if isinstance(node, ast.Call):
                    found.setdefault(called(node), []).append((module, node))
        return found

    @cached_property
    def definitions(self) -> Counter[str]:
        """How many files define a function or method of a name."""
        return Counter(name for module in self.modules.values() for name in module.functions)

    def callers(self, module: Module, function: Function) -> list[tuple[Module, ast.Call]]:
        """The calls of a function: those in its own file, and those of what other files import from there."""
        name = function.name
        if name == "__init__":
            parent = module.parents[function]
            name = parent.name if isinstance(parent, ast.ClassDef) else name
        everywhere = self.calls.get(name, [])
        return [(at, call) for at, call in everywhere if at is module or self._means(at, call, module, name)]

    def _means(self, at: Module, call: ast.Call, module: Module, name: str) -> bool:
        """Whether a call in another file is of this function; a method is known by a name that few have."""
        if isinstance(call.func, ast.Name):
            return self.find(at, name)[0] is module
        return name not in at.functions and self.definitions[name] <= FEW

    def find(self, module: Module, name: str) -> tuple[Module, str]:
        """Where a name that a module uses was made, through imports within the package."""
        while name in module.imported and module.imported[name][0] in self.modules:
            origin, name = module.imported[name]
            module = self.modules[origin]
        return module, name


def called(call: ast.Call) -> str:
    """The last name of what is called.

    >>> called(ast.parse("one.two(3)", mode="eval").body)
    'two'
    """
    function = call.func
    return (
        function.attr if isinstance(function, ast.Attribute) else function.id if isinstance(function, ast.Name) else ""
    )


def arguments(call: ast.Call, function: Function) -> dict[str, ast.expr]:
    """The arguments of a call by the parameters that they are for, defaults among them."""
    spec = function.args
    names = [one.arg for one in (*spec.posonlyargs, *spec.args)]
    defaults = dict(zip(reversed(names), reversed(spec.defaults), strict=False))
    defaults |= {one.arg: value for one, value in zip(spec.kwonlyargs, spec.kw_defaults, strict=True) if value}
    if names[:1] in (["self"], ["cls"]):
        names = names[1:]
    given = dict(zip(names, call.args, strict=False))
    return defaults | given | {one.arg: one.value for one in call.keywords if one.arg}


def parameters(function: Function) -> set[str]:
    """The names of all parameters."""
    spec = function.args
    return {one.arg for one in (*spec.posonlyargs, *spec.args, *spec.kwonlyargs)}


def assignments(node: ast.AST) -> Iterator[tuple[str, ast.expr]]:
    """Name and value of what one statement assigns, pairs taken apart."""
    if isinstance(node, ast.Assign):
        for target in node.targets:
            yield from _paired(target, node.value)
    elif isinstance(node, ast.AnnAssign | ast.NamedExpr):
        yield from _paired(node.target, node.value) if node.value is not None else ()
    elif isinstance(node, ast.For) and isinstance(node.iter, ast.Tuple | ast.List):
        for item in node.iter.elts:
            yield from _paired(node.target, item)


def _paired(target: ast.expr, value: ast.expr) -> Iterator[tuple[str, ast.expr]]:
    if isinstance(target, ast.Name):
        yield target.id, value
    elif isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple):
        for one, other in zip(target.elts, value.elts, strict=False):
            yield from _paired(one, other)
    elif isinstance(target, ast.Tuple) and isinstance(value, ast.IfExp):
        yield from _paired(target, value.body)
        yield from _paired(target, value.orelse)


def reaching(module: Module, name: str, node: ast.AST) -> list[ast.expr]:
    """The values that a local name may have at a node: those last assigned on the ways that lead there."""
    found: list[ast.expr] = []
    function = module.enclosing(node)
    if function is None or name not in module.stored.get(function, ()):
        return found
    while not isinstance(node, Function | ast.Module):
        parent = module.parents[node]
        for _, block in ast.iter_fields(parent):
            if isinstance(block, list) and node in block:
                before = block[: block.index(node)]
                if _backwards(module, before, name, found):
                    return found
        own = [value for target, value in module.assigned.get(parent, []) if target == name]
        if own:
            return found + own
        node = parent
    return found


def _backwards(module: Module, block: list[ast.stmt], name: str, found: list[ast.expr]) -> bool:
    """Add what a block assigns to a name last; whether every way through the block assigns it."""
    for statement in reversed(block):
        if isinstance(statement, ast.If):
            ways = [_ends(way) or _backwards(module, way, name, found) for way in (statement.body, statement.orelse)]
            if all(ways):
                return True
        elif isinstance(statement, ast.Match):
            for case in statement.cases:
                if not _ends(case.body):
                    _backwards(module, case.body, name, found)
        elif isinstance(statement, ast.For | ast.While | ast.With | ast.Try):
            inside = [*statement.body, *getattr(statement, "orelse", [])]
            if _backwards(module, inside, name, found) and isinstance(statement, ast.With):
                return True
        values = [value for target, value in module.assigned.get(statement, []) if target == name]
        if values:
            found += values
            return True
    return False


def _ends(block: list[ast.stmt]) -> bool:
    """Whether a block leaves the function or the round of its loop."""
    return bool(block) and isinstance(block[-1], ast.Raise | ast.Return | ast.Continue | ast.Break)
