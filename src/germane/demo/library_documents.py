"""The documents of the demonstration: what the standard library of this Python says about itself.

Every machine that runs germane has them, they need no network, and everybody who programs in Python can judge them.
`standard_library.py` says which names are described and under which name; it runs in a process of its own, so that
importing the whole library leaves nothing behind in this one.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from importlib.resources import as_file, files
from typing import Literal

from germane.errors import GermaneError

Kind = Literal["module", "class", "function", "method", "attribute"]


@dataclass(frozen=True)
class LibraryDocument:
    """What one name is about. `id` is the public name; `text` the name with its signature, and the docstring."""

    id: str
    kind: Kind
    text: str


@dataclass(frozen=True)
class Library:
    """The documents in order of their ids, and what was left out: how many names without a docstring, which modules
    could not be imported on this machine (other systems' ones, for the most part)."""

    python: str
    documents: tuple[LibraryDocument, ...]
    undocumented: int
    not_imported: tuple[str, ...]

    @cached_property
    def ids(self) -> frozenset[str]:
        """The ids of all documents."""
        return frozenset(document.id for document in self.documents)

    def missing(self, ids: Iterable[str]) -> list[str]:
        """Which of these ids this Python has no document for, each once, in the order given.

        >>> library = Library("3.11.7", (LibraryDocument("len", "function", "len(obj)"),), 0, ())
        >>> library.missing(["itertools.batched", "len", "itertools.batched"])
        ['itertools.batched']
        """
        return [name for name in dict.fromkeys(ids) if name not in self.ids]


def library_documents() -> Iterator[LibraryDocument]:
    """The documents of the standard library of this Python, in order of their ids.

    >>> next(document.text for document in library_documents() if document.id == "textwrap.dedent").splitlines()[:3]
    ['textwrap.dedent(text)', '', 'Remove any common leading whitespace from every line in `text`.']
    """
    yield from read_library().documents


def read_library() -> Library:
    """The documents of the standard library of this Python, with the count of what was left out."""
    # Unordered defaults in signatures are printed in the order of their hashes; nobody's settings may change the text.
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    environment["PYTHONHASHSEED"] = "0"
    with as_file(files("germane.demo") / "standard_library.py") as program:
        command = [sys.executable, "-P", "-s", "-S", "-W", "ignore", "-X", "utf8", os.fspath(program)]
        try:
            done = subprocess.run(
                command, stdin=subprocess.DEVNULL, capture_output=True, encoding="utf-8", env=environment, check=False
            )
        except OSError as error:
            raise GermaneError(f"Python could not be started to read its documentation: {error}") from None
    if done.returncode != 0:
        raise GermaneError(f"the documentation of this Python could not be read: {_last_line(done.stderr)}")
    *records, rest = map(json.loads, done.stdout.splitlines())
    return Library(
        python=rest["version"],
        documents=tuple(LibraryDocument(**record) for record in records),
        undocumented=rest["undocumented"],
        not_imported=tuple(rest["not imported"]),
    )


def _last_line(text: str) -> str:
    return next((line for line in reversed(text.splitlines()) if line.strip()), "no reason was given")
