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
    """The version of this Python, and the documents in order of their ids."""

    python: str
    documents: tuple[LibraryDocument, ...]

    @cached_property
    def ids(self) -> frozenset[str]:
        """The ids of all documents."""
        return frozenset(document.id for document in self.documents)


def read_library() -> Library:
    """The documents of the standard library of this Python.

    >>> next(each.text for each in read_library().documents if each.id == "textwrap.dedent").splitlines()[:3]
    ['textwrap.dedent(text)', '', 'Remove any common leading whitespace from every line in `text`.']
    """
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
        reason = (done.stderr.strip().splitlines() or ["no reason was given"])[-1]
        raise GermaneError(f"the documentation of this Python could not be read: {reason}")
    records = map(json.loads, done.stdout.splitlines())
    return Library(sys.version.split()[0], tuple(LibraryDocument(**record) for record in records))
