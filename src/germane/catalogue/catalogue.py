"""A catalogue of entries by name, and the parser for what people type."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from importlib import import_module
from typing import Any, Generic, NamedTuple, TypeVar, cast

from germane.catalogue.entry import Entry
from germane.catalogue.parameters import Choice
from germane.catalogue.spelling import fold, given_once, split
from germane.errors import GermaneError, nearest, unknown

Target = TypeVar("Target", bound=Callable[..., Any])
Value = TypeVar("Value")
_SPELLED = re.compile(
    r"(?P<name>[^@()\[\]=]+)(?:\((?P<inside>.*)\)\s*)?(?:@(?P<at>[^@()\[\]]+))?(?:\[(?P<group>.+)\]\s*)?", re.S
)
Kind = TypeVar("Kind", bound=Entry)


class Written(NamedTuple):
    """The parts of a text that names an entry."""

    name: str
    arguments: list[tuple[str, str]]
    """Keys and values; the key is empty if only a value was given."""
    at: str | None = None
    group: str = ""
    """Text in square brackets: a class, or an average."""


class Catalogue(Generic[Kind, Value]):
    """Entries by name. The modules that register them are imported on first use, in their order."""

    def __init__(
        self,
        what: str,
        kind: type[Kind],
        value: type[Value],
        modules: Sequence[str] = (),
        *,
        example: str,
        lists: str = "",
    ) -> None:
        self.what, self.kind, self.value = what, kind, value
        self.modules, self.example = modules, example
        self.lists = lists
        """Hint on how to list all entries; without it, the hint lists their names."""
        self._entries: dict[str, Kind] = {}
        self._by_fold: dict[str, tuple[Kind, str]] = {}
        self._loaded = not modules

    def add(self, name: str, **declared: Any) -> Callable[[Target], Target]:
        """Register a function or class under the name that a person types."""

        def register(target: Target) -> Target:
            self.put(self.kind(name, target, **declared))
            return target

        return register

    def define(self, name: str, **declared: Any) -> Callable[[Callable[..., Any]], Kind]:
        """Register a function and replace it by its entry, which can be called."""
        return lambda target: self.put(self.kind(name, target, **declared))

    def put(self, entry: Kind) -> Kind:
        """Register an entry; the same definition again, as by a notebook cell run twice, replaces it."""
        names = dict.fromkeys(entry.aliases, "") | {**entry.shorthands}
        for name in names:
            if (taken := self._by_fold.get(fold(name))) is not None and taken[0].home != entry.home:
                raise entry.error(f"{self.what} {name!r} is already registered")
        if isinstance(entry.target, type) and issubclass(entry.target, Choice):
            entry.target.name = entry.name
        self._entries[entry.name] = entry
        self._by_fold |= {fold(name): (entry, implied) for name, implied in names.items()}
        return entry

    def unregister(self, name: str) -> None:
        """Remove an entry."""
        del self._entries[name]
        self._by_fold = {each: found for each, found in self._by_fold.items() if found[0].name != name}

    def __iter__(self) -> Iterator[Kind]:
        place = {module: number for number, module in enumerate(self.modules)}
        return iter(sorted(self._known().values(), key=lambda each: place.get(each.home[0], len(place))))

    def __len__(self) -> int:
        return len(self._known())

    def __contains__(self, name: object) -> bool:
        with suppress(GermaneError):
            return self._known_as(str(name)) is not None
        return False

    @property
    def names(self) -> list[str]:
        """Names of all entries."""
        return [entry.name for entry in self]

    def parse(self, text: str | Value) -> Value:
        """Parse a thing as a person writes it; return a parsed one unchanged."""
        if isinstance(text, self.value):
            return text
        if not isinstance(text, str):
            raise self.kind.error(f"expected a {self.what} as text, found {text!r} ({type(text).__name__})")
        typed = self.read(text)
        if typed.group:
            raise self.not_one(text)
        entry, implied = self.look_up(typed.name)
        pairs = [(key or self._first(entry, value, place), value) for place, (key, value) in enumerate(typed.arguments)]
        if typed.at is not None:
            if not entry.at:
                problem = f"{entry.name}: expected nothing after @, found {typed.at!r}"
                raise entry.error(problem, hint=f"remove @{typed.at}")
            pairs.append((entry.at, typed.at))
        given = given_once(self.translate(entry, pairs), entry.name, error=entry.error)
        for key in given.keys() & implied.keys():
            problem = f"{typed.name} already sets {key} to {implied[key]}"
            raise entry.error(problem, hint=f"use {entry.name} to choose {key}, or remove {key}")
        return cast("Value", entry.choose(**implied, **given))

    def read(self, text: str) -> Written:
        """Split what a person wrote into name, arguments, cutoff and group.

        >>> Catalogue("rate", Entry, Entry, example="TPR").read("cost(cost_fn=5, prevalence=0.01)[macro]")
        Written(name='cost', arguments=[('cost_fn', '5'), ('prevalence', '0.01')], at=None, group='macro')
        """
        match = _SPELLED.fullmatch(text)
        if match is None or not match["name"].strip():
            raise self.not_one(text)
        arguments = []
        for piece in split(match["inside"] or ""):
            key, equals, value = (part.strip() for part in piece.partition("="))
            arguments.append((key, value.strip("'\"")) if equals and "(" not in key else ("", piece.strip("'\"")))
        return Written(match["name"].strip(), arguments, match["at"] and match["at"].strip(), match["group"] or "")

    def look_up(self, name: str) -> tuple[Kind, dict[str, str]]:
        """Return the entry of a name, and the parameters that the name implies."""
        found = self._known_as(name)
        if found is None:
            raise self.unknown(name)
        return found

    def _known_as(self, name: str) -> tuple[Kind, dict[str, str]] | None:
        """Return what `look_up` does, and None for an unknown name; looking for a similar one takes long."""
        for any_case in (False, True):
            if (found := self._find(name, any_case=any_case)) is not None:
                return found
            if (other := self.respell(name, any_case=any_case)) is not None:
                native = self.read(other)
                entry, implied = self.look_up(native.name)
                at = {} if native.at is None else {entry.at: native.at}
                return entry, {**implied, **dict(native.arguments), **at}
        return None

    def parse_many(self, texts: str | Value | Iterable[str | Value]) -> dict[str, Value]:
        """Parse several things, each under the name it was given as; one text may name several."""
        given: Iterable[Any] = [texts] if isinstance(texts, str | self.value) else texts  # type: ignore[assignment]
        asked = [part for text in given for part in (self.parts(text) if isinstance(text, str) else [text])]
        return {str(part): self.parse(part) for part in asked}

    def parts(self, text: str) -> list[str]:
        """Split a text that names several things at spaces and commas outside brackets."""
        return split(text, ", \t\n")

    def accepts(self, text: str) -> bool:
        """Whether a text can be parsed."""
        with suppress(GermaneError):
            self.parse(text)
            return True
        return False

    def __getitem__(self, thing: str | Value) -> Kind:
        """Return the entry of a name, with or without parameters, or of a parsed thing."""
        name = self.read(thing).name if isinstance(thing, str) else thing.name  # type: ignore[attr-defined]
        return self.look_up(name)[0]

    def respell(self, name: str, *, any_case: bool) -> str | None:
        """Return our own spelling of a name that other tools use; tried for an exact match first, then in any case."""
        return None

    def translate(self, entry: Kind, given: list[tuple[str, str]]) -> list[tuple[str, str]]:
        """Translate keys and values of other tools into our own."""
        return given

    def unknown(self, name: str) -> GermaneError:
        """Return the error for an unknown name."""
        return unknown(self.what, name, self.names, near=self.nearest(name), error=self.kind.error, hint=self.lists)

    def nearest(self, name: str) -> str:
        """Return the name of the entry with the most similar name, or an empty text."""
        return nearest_entry(name, self)

    def _known(self) -> dict[str, Kind]:
        if not self._loaded:
            self._loaded = True
            for module in self.modules:
                import_module(module)
        return self._entries

    def find(self, name: str) -> Kind | None:
        """Return the entry of this name or alias, in any case; None if there is none."""
        found = self._find(name, any_case=True)
        return None if found is None else found[0]

    def _find(self, name: str, *, any_case: bool) -> tuple[Kind, dict[str, str]] | None:
        known = self._known()
        if name in known:
            return known[name], {}
        if not any_case or (found := self._by_fold.get(fold(name))) is None:
            return None
        entry, implied = found
        return entry, dict(self.read(f"{entry.name}({implied})").arguments)

    def _first(self, entry: Kind, value: str, place: int) -> str:
        if place or not entry.bare:
            raise entry.error(f"{entry.name}: expected parameter=value, found {value!r}")
        return next(iter(entry.parameters), "")

    def not_one(self, text: str) -> GermaneError:
        """Return the error for a text that the grammar does not allow."""
        return self.kind.error(f"expected a {self.what} such as {self.example}, found {text!r}")


def nearest_entry(name: str, *catalogues: Catalogue[Any, Any], others: Iterable[str] = ()) -> str:
    """Return the most similar name in these catalogues or among `others`, or an empty text."""
    own = {each: each for each in others}
    for catalogue in catalogues:
        own |= {alias: entry.name for entry in catalogue for alias in (*entry.aliases, *entry.shorthands)}
    return own.get(nearest(name, own), "")
