"""The documents of `germane demo`: the documentation of the standard library of this Python.

Every machine that runs germane has them, they need no network, and everybody who programs in Python can judge them.
`standard_library.py` chooses the names; it runs in its own process, so that importing the whole library has no effect
on this one.
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
    """Documentation of one name. `id` is the public name; `text` is the name with its signature and docstring."""

    id: str
    kind: Kind
    text: str


@dataclass(frozen=True)
class Library:
    """The version of Python, and the documents in order of their ids."""

    python: str
    documents: tuple[LibraryDocument, ...]

    @cached_property
    def ids(self) -> frozenset[str]:
        """Ids of all documents."""
        return frozenset(document.id for document in self.documents)


def read_library() -> Library:
    """Read the documentation of the standard library of this Python.

    >>> next(each.text for each in read_library().documents if each.id == "textwrap.dedent").splitlines()[:3]
    ['textwrap.dedent(text)', '', 'Remove any common leading whitespace from every line in `text`.']
    """
    # Sets among defaults are printed in the order of their hashes, so fix the hash seed and ignore user settings.
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    environment["PYTHONHASHSEED"] = "0"
    with as_file(files("germane.demo") / "standard_library.py") as program:
        command = [sys.executable, "-P", "-s", "-S", "-W", "ignore", "-X", "utf8", os.fspath(program)]
        try:
            done = subprocess.run(
                command, stdin=subprocess.DEVNULL, capture_output=True, encoding="utf-8", env=environment, check=False
            )
        except OSError as error:
            raise GermaneError(f"could not start Python to read its documentation: {error}") from None
    if done.returncode != 0:
        reason = (done.stderr.strip().splitlines() or ["no error message"])[-1]
        raise GermaneError(f"could not read the documentation of this Python: {reason}")
    records = map(json.loads, done.stdout.splitlines())
    return Library(sys.version.split()[0], tuple(LibraryDocument(**record) for record in records))
