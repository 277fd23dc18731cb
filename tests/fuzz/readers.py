"""One registry of all that reads what people have: files, columns in memory, texts that are typed, request bodies."""

from __future__ import annotations

import atexit
import shutil
import tempfile
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from random import Random
from typing import Any

from tests.fuzz.mutating_bytes import mutated
from tests.fuzz.mutating_json import mutated_json


@dataclass(frozen=True, eq=False)
class Reader:
    """A way in. Its cases are bytes, written to a file called `file` before `read` gets the path.

    `plain` is another way to the same answer (the reference kernels, the strict reader): both must agree. `again`
    writes what was read to a path and reads it back: it must be equal. `covers` are the functions of germane that it
    is about, `share` is its part of a run's files.
    """

    name: str
    read: Callable[[Any], object]
    seeds: Callable[[], Iterable[bytes]]
    file: str = "file"
    covers: Sequence[Callable[..., Any]] = ()
    json: bool = False
    plain: Callable[[Any], object] | None = None
    again: Callable[[Any, Path], object] | None = None
    share: float = 1.0
    names_source: bool = True
    refusals: tuple[type[Exception], ...] = field(default=())

    @cached_property
    def good(self) -> tuple[bytes, ...]:
        """Files that it reads."""
        return tuple(self.seeds())

    def case(self, chance: Random) -> Any:
        """A case by chance."""
        seed = chance.choice(self.good)
        if self.json and chance.random() < 0.5:
            return mutated_json(seed, chance)
        return mutated(seed, self.good, chance)

    def deliver(self, case: Any, folder: Path) -> Any:
        """What `read` is given: the path of a file with these bytes."""
        path = folder / self.file
        path.write_bytes(case)
        return path


class TypedText(Reader):
    """A text as people type it: the bytes as a shell hands them over."""

    def deliver(self, case: bytes, folder: Path) -> str:  # noqa: ARG002, RUF100
        return case[:2000].decode("utf-8", "surrogateescape")


READERS: dict[str, Reader] = {}

FOLDERS: list[Path] = []
"""Of projects and indexes that cases are tried on."""


def lasting_folder() -> Path:
    """A folder that is there until the process ends."""
    FOLDERS.append(Path(tempfile.mkdtemp(prefix="germane-fuzz-")))
    return FOLDERS[-1]


@atexit.register
def remove_folders() -> None:
    """Remove them; a process that leaves without ceremony calls it itself."""
    while FOLDERS:
        shutil.rmtree(FOLDERS.pop(), ignore_errors=True)


def add(reader: Reader) -> None:
    """Put a reader into the registry."""
    if reader.name in READERS:
        raise ValueError(f"two readers are called {reader.name}")
    READERS[reader.name] = reader


def all_readers() -> dict[str, Reader]:
    """The whole registry."""
    from tests.fuzz import (  # noqa: F401
        readers_of_columns,
        readers_of_ground_truth,
        readers_of_labels,
        readers_of_learning,
        readers_of_requests,
        readers_of_retrieval,
        readers_of_runs,
        readers_of_sheets,
        readers_of_trec_eval,
        readers_of_typed_text,
    )

    return READERS
