"""Every place in the source that makes an error, and the words that it says there.

What varies in a message is written ``…``. A message that a place gets as a parameter is looked up where the place is
called, so that each message is found with its own words; one that comes from another error is that other's.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from docs.reference_pages.source_tree import Function, Module, SourceTree, arguments, called
from docs.reference_pages.words import OPEN, Scope, Words, has_words

ROOT_ERROR = ("germane.errors", "GermaneError")
ROW_OF_A_CLUSTER = ("germane.distributed.gathering", "RowError")
"""Made on a cluster's workers; the driver raises an InputError with its words."""
SAYS = ("problem", "what", "message")
"""The parameters that hold the message; the first that a class has."""


@dataclass(frozen=True)
class Message:
    """What an error says: its words, its hint, and the class that it is of."""

    text: str
    hint: str
    kind: str

    @property
    def shown(self) -> str:
        """The words without the file that they may begin with."""
        return re.sub(f"^({OPEN}:)+ ", "", self.text)

    @property
    def words(self) -> str:
        """All that is constant in it."""
        return " ".join(self.shown.replace(OPEN, " ").split())

    def matches(self, said: str) -> bool:
        """Whether this is what an error said."""
        pattern = ".*".join(re.escape(piece) for piece in self.text.split(OPEN))
        return re.search(pattern + r"(; did you mean .*\?)?$", said, flags=re.S) is not None


@dataclass(frozen=True)
class Place:
    """A call in the source that makes an error.

    It `passes_on` what another error said, or is itself `told_by_another`, which raises an error with its words.
    """

    module: str
    function: str
    path: Path
    first_line: int
    last_line: int
    kind: str
    messages: tuple[Message, ...] = ()
    passes_on: bool = False
    told_by_another: bool = False


class ErrorPlaces:
    """All places of a source tree that make an error."""

    def __init__(self, tree: SourceTree) -> None:
        self.tree = tree
        self.words = Words(tree)

    @cached_property
    def kinds(self) -> dict[tuple[str, str], ast.ClassDef]:
        """The classes of errors, by module and name."""
        classes = {
            (module.name, node.name): (module, node)
            for module in self.tree.modules.values()
            for node in module.nodes
            if isinstance(node, ast.ClassDef)
        }
        found = {key: classes[key][1] for key in (ROOT_ERROR, ROW_OF_A_CLUSTER) if key in classes}
        grown = True
        while grown:
            grown = False
            for key, (module, node) in classes.items():
                bases = {self._origin(module, base) for base in node.bases}
                if key not in found and bases & set(found):
                    found[key] = node
                    grown = True
        return found

    def _origin(self, module: Module, node: ast.expr) -> tuple[str, str]:
        if not isinstance(node, ast.Name):
            return ("", "")
        home, name = self.tree.find(module, node.id)
        return home.name, name

    @cached_property
    def places(self) -> list[Place]:
        """Each of them once, in the order of the files."""
        found = []
        for module in self.tree.modules.values():
            for node in module.nodes:
                if isinstance(node, ast.Call) and (origin := self._origin(module, node.func)) in self.kinds:
                    messages = tuple(dict.fromkeys(self._messages(module, node)))
                    around = module.enclosing(node)
                    place = Place(
                        module.name,
                        around.name if around else "",
                        module.path,
                        node.lineno,
                        node.end_lineno or node.lineno,
                        called(node),
                        messages,
                        passes_on(module, node),
                        origin == ROW_OF_A_CLUSTER,
                    )
                    found.append(place)
        return found

    def _messages(self, module: Module, call: ast.Call) -> Iterator[Message]:
        kind = called(call)
        initialiser = self._initialiser(self._origin(module, call.func))
        given = arguments(call, initialiser) if initialiser else {}
        said = next((given[name] for name in SAYS if name in given), None)
        if said is None:
            return
        for scope in self.words.scopes(said, Scope(module, module.enclosing(call))):
            hints = self.words.texts(given["hint"], scope) if "hint" in given else [""]
            hint = next((one for one in hints if one.strip(OPEN)), "")
            for text in dict.fromkeys(self.words.texts(said, scope)):
                if kind == "MissingExtraError":
                    extra = self.words.texts(given["extra"], scope)[0]
                    yield Message(f"{text} needs an optional library", f"pip install 'germane[{extra}]'", kind)
                elif has_words(text):
                    yield Message(text, hint, kind)

    def _initialiser(self, origin: tuple[str, str]) -> Function | None:
        """The `__init__` of a class of errors, or of the one that it inherits from."""
        while origin in self.kinds:
            node = self.kinds[origin]
            own = [part for part in node.body if isinstance(part, ast.FunctionDef) and part.name == "__init__"]
            if own:
                return own[0]
            origin = self._origin(self.tree.modules[origin[0]], node.bases[0])
        return None


def passes_on(module: Module, call: ast.Call) -> bool:
    """Whether an error is made with what another one said: its `message` or `problem`, or the caught one as text."""
    caught, node = set(), module.parents[call]
    while not isinstance(node, Function | ast.Module):
        if isinstance(node, ast.ExceptHandler) and node.name:
            caught.add(node.name)
        node = module.parents[node]
    return any(
        (isinstance(inner, ast.Attribute) and inner.attr in {"message", "problem"})
        or (isinstance(inner, ast.Name) and inner.id in caught)
        for given in (*call.args, *(keyword.value for keyword in call.keywords))
        for inner in ast.walk(given)
    )
