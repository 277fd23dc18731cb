"""The words of an expression: the text that it may be, with ``…`` for what varies.

A message that a function gets as a parameter is looked up where the function is called; one that another function
returns is looked up there; one that is assigned before is taken from there.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass

from docs.reference_pages.source_tree import Function, Module, SourceTree, arguments, called, parameters, reaching

OPEN = "…"
"""What stands for what varies."""
DEEPEST = 5
"""How many calls are followed, at most, to find the words."""


@dataclass(frozen=True)
class Scope:
    """A function, and the call that leads into it, if one was chosen."""

    module: Module
    function: Function | None
    call: ast.Call | None = None
    caller: Scope | None = None

    @property
    def depth(self) -> int:
        return 0 if self.caller is None else 1 + self.caller.depth


class Words:
    """Finds the words of expressions in a source tree."""

    def __init__(self, tree: SourceTree) -> None:
        self.tree = tree

    def scopes(self, said: ast.expr, scope: Scope) -> Iterator[Scope]:
        """The scope itself if the words are found in it; else one for each way of calling the function."""
        outermost = scope
        while outermost.caller is not None:
            outermost = outermost.caller
        if scope.depth < DEEPEST and outermost.function and not all(map(has_words, self.texts(said, scope))):
            callers = self.tree.callers(outermost.module, outermost.function)
            for module, call in callers:
                above = Scope(module, module.enclosing(call))
                yield from self.scopes(said, _entered(scope, call, above))
            if callers:
                return
        yield scope

    def texts(self, node: ast.expr, scope: Scope, depth: int = 0) -> list[str]:
        """What an expression may be as text."""
        again = depth + 1
        if depth > 3 * DEEPEST:
            return [OPEN]
        match node:
            case ast.Constant(value=str(text)):
                return [text]
            case ast.Constant(value=None):
                return [""]
            case ast.JoinedStr(values=parts):
                return [_merged("".join(self._part(part, scope, again) for part in parts))]
            case ast.BinOp(left=left, op=ast.Add(), right=right):
                ends = self.texts(right, scope, again)
                return [_merged(one + end) for one in self.texts(left, scope, again) for end in ends]
            case ast.IfExp(body=body, orelse=orelse):
                return [*self.texts(body, scope, again), *self.texts(orelse, scope, again)]
            case ast.Name(id=name):
                return self._named(name, node, scope, again)
            case ast.Call() if called(node) == "did_you_mean":
                return [""]
            case ast.Call(func=ast.Attribute(attr="join"), args=[ast.GeneratorExp(elt=each) | ast.ListComp(elt=each)]):
                return self.texts(each, scope, again)
            case ast.Call(func=ast.Attribute(attr="format", value=template)):
                return [_merged(re.sub(r"\{[^}]*\}", OPEN, text)) for text in self.texts(template, scope, again)]
            case ast.Call(func=ast.Name(id=name)):
                return self._returned(name, node, scope, again)
        return [OPEN]

    def _part(self, part: ast.expr, scope: Scope, depth: int) -> str:
        """A piece of an f-string: constant words, or what varies."""
        if isinstance(part, ast.FormattedValue):
            value = part.value
            if isinstance(value, ast.Call) and called(value) not in {"did_you_mean", "format"}:
                return OPEN
            if isinstance(value, ast.IfExp):
                return OPEN
            texts = self.texts(value, scope, depth)
            if len(texts) != 1:
                return OPEN
            return repr(texts[0]) if part.conversion == ord("r") and OPEN not in texts[0] else texts[0]
        return self.texts(part, scope, depth)[0]

    def _named(self, name: str, node: ast.expr, scope: Scope, depth: int) -> list[str]:
        """What a name stands for: local, a parameter, or a constant of this module or of one it imports from."""
        inside = scope.function
        if inside is not None:
            values = reaching(scope.module, name, node)
            if values:
                return [text for value in values for text in self.texts(value, scope, depth)]
            if name in parameters(inside):
                if scope.call is None or scope.caller is None:
                    return [OPEN]
                given = arguments(scope.call, inside).get(name)
                return [OPEN] if given is None else self.texts(given, scope.caller, depth)
        home, own = self.tree.find(scope.module, name)
        if own in home.constants and (inside is None or name not in scope.module.stored.get(inside, ())):
            return self.texts(home.constants[own], Scope(home, None), depth)
        return [OPEN]

    def _returned(self, name: str, call: ast.Call, scope: Scope, depth: int) -> list[str]:
        """What a function of ours returns, if that is text with words of its own."""
        home, own = self.tree.find(scope.module, name)
        function = home.functions.get(own)
        if function is None:
            return [OPEN]
        inside = Scope(home, function, call, scope)
        returns = [one.value for one in ast.walk(function) if isinstance(one, ast.Return) and one.value]
        return [text for value in returns for text in self.texts(value, inside, depth)] or [OPEN]


def _entered(scope: Scope, call: ast.Call, above: Scope) -> Scope:
    """The scope with its outermost function entered by a call."""
    if scope.caller is None:
        return Scope(scope.module, scope.function, call, above)
    return Scope(scope.module, scope.function, scope.call, _entered(scope.caller, call, above))


def _merged(text: str) -> str:
    return re.sub(f"{OPEN}+", OPEN, text)


def has_words(text: str) -> bool:
    """Whether there is more in it than what varies.

    >>> has_words("expected …"), has_words("…: …")
    (True, False)
    """
    return len(re.findall(r"[a-z]{2,}", text.replace(OPEN, " "))) > 0
