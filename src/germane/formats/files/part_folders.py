"""Folders that contain one table in parts, as Spark and Dask write it, and folders of separate files.

A folder is one table if its files are named ``part-*`` (or ``NAME-00000-of-00004``), if it contains ``_SUCCESS``, or if
its subfolders are named ``key=value``, in which case each key is a column. Names that start with ``.`` or ``_`` are
metadata of the program that wrote the folder, never data. A folder with both parts and other files is ambiguous, which
is an error; `Parts` declares it one table. Every engine and every command decides it here.

In any other folder passed instead of a run, every file directly in it is a run, in byte order of the names. Hidden
files, whose names start with a dot or an underscore, are skipped, and callers can list them to report it. Anything else
is an error: a subfolder may contain runs that should not be skipped silently.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import unquote

from germane.errors import InputError

PART = re.compile(r"part-|part[._]?[0-9]|.*-[0-9]{5}-of-[0-9]{5}(?:\.|$)", re.IGNORECASE)
KEY = re.compile(r"([^=]+)=(.*)")
MARKER = "_SUCCESS"
DELTA = "_delta_log"
NULL = "__HIVE_DEFAULT_PARTITION__"
CHOICE = (
    "use --folders one to read all files as one table, --folders many to read each separately; in Python, pass "
    "germane.formats.Parts(folder) or a list of its files"
)


class Parts(str):
    """The path of a folder whose files are one table, regardless of their names.

    Every function that accepts a path accepts it.

    >>> Parts("runs/dense") == "runs/dense"
    True
    """

    __slots__ = ()

    def __new__(cls, path: str | Path) -> Parts:
        return super().__new__(cls, path)


class PartFile(NamedTuple):
    """One file of a table, and the columns given by the names of its folders."""

    path: Path
    columns: dict[str, str]


def is_hidden(name: str) -> bool:
    """Return whether a name in a folder is metadata of the system or of the program that wrote it, not data.

    >>> [is_hidden(name) for name in ("_SUCCESS", ".part-0.crc", "_year=2024", "part-0")]
    [True, True, False, False]
    """
    return name.startswith(".") or (name.startswith("_") and "=" not in name)


def is_part_name(name: str) -> bool:
    """Return whether this is a usual name of a part file.

    >>> [is_part_name(n) for n in ("part-00000-c000.snappy.parquet", "part.0.parquet", "run-00001-of-00004", "party")]
    [True, True, True, False]
    """
    return PART.match(name) is not None


def children(folder: str | Path) -> list[Path]:
    """Return the paths directly in a folder, in byte order of the names."""
    return sorted(Path(folder).iterdir(), key=lambda path: os.fsencode(path.name))


def is_folder(path: Any) -> bool:
    """Return whether this is the path of a folder."""
    return isinstance(path, str | Path) and str(path) != "-" and Path(path).is_dir()


def parts_of(path: Any) -> list[PartFile] | None:
    """Return the files of a table in parts, in order; None for a folder of separate files, or if not a folder."""
    if not is_folder(path):
        return None
    visible = [child for child in children(path) if not is_hidden(child.name)]
    if (Path(path) / DELTA).is_dir():
        hint = "open it with Delta Lake, which handles deleted files, and write the rows as Parquet"
        raise InputError(path, None, "expected part files, found a Delta table", hint=hint)
    if not isinstance(path, Parts) and not _is_one_table(path, visible):
        return None
    files = list(_files(path, visible, {}))
    if not files:
        raise InputError(path, None, "expected part files, found none", hint="check that this is the right folder")
    return files


@contextmanager
def naming_parts(path: Any) -> Iterator[None]:
    """Make errors about a line of a table in parts name the part file and the line in it."""
    try:
        yield
    except InputError as error:
        located = in_its_part(error, path)
        if located is error:
            raise
        raise located from None


def in_its_part(error: InputError, path: Any) -> InputError:
    """Return the error with the part file and the line in it as its location."""
    if error.line is None or error.source != str(path) or (parts := parts_of(path)) is None:
        return error
    from germane.formats.files.joined_parts import place_of
    from germane.formats.rows.text import RowError

    part, line = place_of(path, parts, error.line)
    if isinstance(error, RowError):
        return RowError(str(part), line, error.kind, error.problem, hint=error.hint)
    return InputError(part, line, error.problem, hint=error.hint)


def require_one_table(path: Any) -> None:
    """Raise an error for a folder of separate files where one table is expected."""
    if is_folder(path) and parts_of(path) is None:
        from germane.formats.files.sources import meant_inside

        hint = meant_inside(path) or f"pass a single file; {CHOICE}"
        raise InputError(path, None, "expected a file or a table in parts, found a folder of separate files", hint=hint)


def require_part_names(path: str, files: Sequence[str]) -> None:
    """Raise an error for several files that would be read as one table but are not named like parts.

    This is for addresses and patterns, where only the file names are known.
    """
    others = [file for file in files if not (is_part_name(file.rpartition("/")[2]) or "=" in _folder_name(file))]
    if len(files) > 1 and others and not isinstance(path, Parts):
        found = f"{len(files)} files, such as {others[0].rpartition('/')[2]!r}"
        problem = f"expected the parts of one table (files named part-* or folders named key=value), found {found}"
        raise InputError(path, None, problem, hint=f"pass a single file; {CHOICE}")


def files_of(run: Any) -> list[Any]:
    """Return the run files of a folder of separate files; anything else, including a table in parts, as it is.

    Whether a file is a run is checked when it is read.
    """
    return separate_files(run) if is_folder(run) and parts_of(run) is None else [run]


def separate_files(folder: str | Path) -> list[str]:
    """Return the files directly in a folder of separate files."""
    visible = [path for path in children(folder) if not is_hidden(path.name)]
    for path in visible:
        if not path.is_file():
            what = "the folder" if path.is_dir() else "the special file"
            hint = f"pass the run files instead, for example {Path(folder) / '*.run'}"
            raise InputError(folder, None, f"expected only run files, found {what} {path.name!r}", hint=hint)
    if not visible:
        hidden = ", ".join(hidden_files(folder)[:3])
        found = f"only hidden files: {hidden}" if hidden else "none"
        raise InputError(folder, None, f"expected run files, found {found}", hint="check that this is the right folder")
    return list(map(str, visible))


def hidden_files(run: Any) -> list[str]:
    """Return the names of the hidden files that are skipped in a folder of runs.

    For a table in parts the list is empty: there they are metadata of the program that wrote it.
    """
    inside = children(run) if is_folder(run) and parts_of(run) is None else []
    return [path.name for path in inside if is_hidden(path.name)]


def _folder_name(file: str) -> str:
    return file.rpartition("/")[0].rpartition("/")[2]


def _is_one_table(folder: str | Path, visible: list[Path]) -> bool:
    keys = [child for child in visible if child.is_dir() and KEY.fullmatch(child.name)]
    files = [child for child in visible if child.is_file()]
    parts = [child for child in files if is_part_name(child.name)]
    if not (keys or parts or (Path(folder) / MARKER).is_file()):
        return False
    ones, others = (keys, files) if keys else (parts, [child for child in files if child not in parts])
    if ones and others:
        found = f"both: {ones[0].name!r} and {others[0].name!r}"
        raise InputError(
            folder, None, f"expected either the parts of one table or separate files, found {found}", hint=CHOICE
        )
    return True


def _files(folder: str | Path, visible: list[Path], columns: dict[str, str]) -> Iterator[PartFile]:
    """Yield the files of one folder and of its key=value folders."""
    keys = {found[1] for child in visible if child.is_dir() and (found := KEY.fullmatch(child.name))}
    if len(keys) > 1:
        raise InputError(
            folder, None, f"expected key=value folders with the same key, found {' and '.join(sorted(keys))}"
        )
    for child in visible:
        found = KEY.fullmatch(child.name)
        if child.is_file():
            yield PartFile(child, columns)
        elif child.is_dir() and found:
            if found[1] in columns:
                raise InputError(child, None, f"duplicate key {found[1]!r} in the folder names")
            if found[2] == NULL:
                hint = f"rename the folder to {found[1]}=VALUE, or remove it"
                raise InputError(child, None, f"expected a value for {found[1]!r}, found none", hint=hint)
            inner = [each for each in children(child) if not is_hidden(each.name)]
            yield from _files(child, inner, {**columns, unquote(found[1]): unquote(found[2])})
        else:
            what = "the folder" if child.is_dir() else "the special file"
            problem = f"expected only part files, found {what} {child.name!r}"
            raise InputError(folder, None, problem, hint="move it out of the folder")
