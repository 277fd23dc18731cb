"""Folders that contain one table in parts, as Spark and Dask write it, and folders of separate files.

A folder is one table if its files are named ``part-*`` (or ``NAME-00000-of-00004``), if it contains ``_SUCCESS``, or if
its subfolders are named ``key=value``, in which case each key is a column. Names that start with ``.`` or ``_`` are
metadata of the program that wrote the folder, never data. A folder with both parts and other files is ambiguous, which
is an error; `Parts` declares it one table. Every engine and every command decides it here.

A pattern such as 'runs/*.parquet' is a folder of the files that it matches, and an address such as s3://bucket/runs is
read like a local path. The values of a key such as run=… name runs: each is a run of its own.

In any other folder passed instead of a run, every file directly in it is a run, in byte order of the names. Hidden
files, whose names start with a dot or an underscore, are skipped, and callers can list them to report it. Anything else
is an error: a subfolder may contain runs that should not be skipped silently.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import unquote

from germane.errors import GermaneError, InputError
from germane.formats.files.addresses import Address, place
from germane.formats.files.patterns import fixed_part, found_by, is_pattern, matches
from germane.formats.rows.column_names import ALIASES, plain_name

PART = re.compile(r"part-|part[._]?[0-9]|.*-[0-9]{5}-of-[0-9]{5}(?:\.|$)", re.IGNORECASE)
KEY = re.compile(r"([^=]+)=(.*)")
ROWS = re.compile(r"in rows? (?:([0-9]+) and )?([0-9]+)$")
"""The end of a message about a row of a table without lines, or about two."""
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

    def __new__(cls, path: str | Path | Address) -> Parts:
        return super().__new__(cls, path)


class PartFile(NamedTuple):
    """One file of a table, and the columns given by the names of its folders."""

    path: Path | Address
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


def children(folder: str | Path | Address) -> list[Path | Address]:
    """Return the paths directly in a folder, in byte order of the names; those that match, for a pattern."""
    if is_pattern(folder):
        return matches(str(folder))
    return sorted(place(folder).iterdir(), key=lambda path: os.fsencode(path.name))


def is_folder(path: Any) -> bool:
    """Return whether this is the path or address of a folder, or a pattern."""
    return isinstance(path, str | Path | Address) and str(path) != "-" and (is_pattern(path) or _is_dir(path))


def _is_dir(path: str | Path | Address) -> bool:
    where = place(path)
    if isinstance(where, Address):
        return where.is_dir()
    return os.path.isdir(where)  # noqa: PTH112 - Path.is_dir raises an error for a name that is too long


def meant_by(path: Any) -> Any:
    """Return what a pattern matches if it is one file or folder that is not a part, and anything else as it is."""
    visible = [child for child in found_by(path) if not is_hidden(child.name)] if is_pattern(path) else []
    if len(visible) != 1 or is_part_name(visible[0].name) or KEY.fullmatch(visible[0].name):
        return path
    if _keys_above(path, visible[0]):
        return path
    return Parts(visible[0]) if isinstance(path, Parts) and visible[0].is_dir() else visible[0]


def parts_of(path: Any) -> list[PartFile] | None:
    """Return the files of a table in parts, in order; None for a folder of separate files, or if not a folder."""
    if not is_folder(path):
        return None
    path = meant_by(path)
    if not is_folder(path):
        return [PartFile(path, {})]
    inside = children(path)
    visible = [child for child in inside if not is_hidden(child.name)]
    if any(child.name == DELTA and child.is_dir() for child in inside):
        hint = "open it with Delta Lake, which handles deleted files, and write the rows as Parquet"
        raise InputError(path, None, "expected part files, found a Delta table", hint=hint)
    is_marked = any(child.name == MARKER for child in inside)
    if not isinstance(path, Parts) and not _is_one_table(path, visible, is_marked=is_marked):
        return None
    files = list(_files(path, visible, {}))
    if not files:
        raise InputError(path, None, "expected part files, found none", hint="check that this is the right folder")
    _require_same_keys(path, files)
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
    """Return the error with the part file and the line or row in it as its location."""
    rows = ROWS.search(error.problem) if error.line is None else None
    if (error.line is None and rows is None) or error.source != str(path) or (parts := parts_of(path)) is None:
        return error
    from germane.formats.files.joined_parts import place_of
    from germane.formats.rows.text import RowError

    if rows is not None:  # of columns, which have no lines
        part, row = place_of(path, parts, int(rows[2]))
        where = f"in row {row}"
        if rows[1] is not None:
            first, first_row = place_of(path, parts, int(rows[1]))
            where += f", first in row {first_row} of {first.name}"
        return InputError(part, None, error.problem[: rows.start()] + where, hint=error.hint)
    assert error.line is not None
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
    """Return the run files of a folder of separate files, or the folder of each run if key=value folders name runs.

    Anything else, including a table in parts, is returned as it is. Whether a file is a run is checked when it is read.
    """
    if not is_folder(run):
        return [run]
    meant = meant_by(run)
    if meant is not run:
        return [each if isinstance(each, str) else str(each) for each in files_of(meant)]
    parts = parts_of(run)
    if parts is None:
        return separate_files(run)
    runs = [] if isinstance(run, Parts) else list(dict.fromkeys(_run_folder(run, part) for part in parts))
    return [run] if None in runs or not runs else runs


def is_read(output: str | Path, paths: Iterable[Any]) -> bool:
    """Return whether a file is one of these inputs, or a file of a folder or pattern among them."""
    where = place(output)
    if not (where.exists() if isinstance(where, Address) else os.path.exists(where)):  # noqa: PTH110 - as in _is_dir
        return False
    for path in paths:
        files: list[Any] = [path]
        with suppress(GermaneError):  # what is wrong with an input is said when it is read
            files = [file for run in files_of(path) for file in (parts_of(run) or [PartFile(run, {})])]
            files = [file.path for file in files]
        for file in map(place, files):
            if isinstance(where, Address) or isinstance(file, Address):
                same = file == where
            else:
                same = os.path.exists(file) and file.samefile(where)  # noqa: PTH110 - as in _is_dir
            if same:
                return True
    return False


def _run_folder(path: str | Path, part: PartFile) -> str | None:
    """Return the folder that names the run of a part, if the first key does: the rest of a pattern still applies."""
    if not part.columns or plain_name(next(iter(part.columns))) not in ALIASES["tag"]:
        return None
    given, own = str(path).rstrip("/").split("/"), str(part.path).split("/")
    depth = next(place for place, name in enumerate(own) if place >= _depth(path) and KEY.fullmatch(name))
    rest = given[depth + 1 :] if is_pattern(path) else []
    return None if "**" in given else "/".join([*own[: depth + 1], *rest])


def require_one_run(path: Any) -> None:
    """Raise an error for a table in parts whose folder names are those of several runs."""
    parts = parts_of(path) or []
    for key in parts[0].columns if parts else ():
        values = list(dict.fromkeys(part.columns[key] for part in parts))
        if plain_name(key) in ALIASES["tag"] and len(values) > 1:
            found = f"{len(values)}: {', '.join(f'{key}={value}' for value in values[:3])}"
            hint = f"pass the folder of one run, or make {key}=… the outermost folders"
            raise InputError(path, None, f"expected the parts of one run, found {found}", hint=hint)


def separate_files(folder: str | Path) -> list[str]:
    """Return the files directly in a folder of separate files."""
    visible = [path for path in children(folder) if not is_hidden(path.name)]
    for path in visible:
        if not path.is_file() and not (is_pattern(folder) and parts_of(path) is not None):
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
    inside = children(run) if is_folder(run) and not is_pattern(run) and parts_of(run) is None else []
    return [path.name for path in inside if is_hidden(path.name)]


def _folder_name(file: str) -> str:
    return file.rpartition("/")[0].rpartition("/")[2]


def _is_one_table(folder: str | Path | Address, visible: list[Path | Address], *, is_marked: bool) -> bool:
    keys = [child for child in visible if child.is_dir() and KEY.fullmatch(child.name)]
    files = [child for child in visible if child.is_file()]
    parts = [child for child in files if is_part_name(child.name) or _keys_above(folder, child)]
    if not (keys or parts or is_marked):
        return False
    ones, others = (keys, files) if keys else (parts, [child for child in files if child not in parts])
    if ones and others:
        found = f"both: {ones[0].name!r} and {others[0].name!r}"
        raise InputError(
            folder, None, f"expected either the parts of one table or separate files, found {found}", hint=CHOICE
        )
    return True


def _depth(path: object) -> int:
    """Return the number of names in a path before those that a pattern or a folder leaves open."""
    fixed = fixed_part(str(path)) if is_pattern(path) else str(path)
    return 0 if fixed == "." else len(fixed.rstrip("/").split("/"))


def _keys_above(folder: str | Path | Address, file: Path | Address) -> dict[str, str]:
    """Return the columns of the key=value folders between a pattern's fixed part and a file that it matches."""
    if not is_pattern(folder):
        return {}
    columns: dict[str, str] = {}
    for name in str(file).split("/")[_depth(folder) : -1]:
        if KEY.fullmatch(name):
            _add_key(columns, name, file)
    return columns


def _add_key(columns: dict[str, str], name: str, where: Path | Address) -> None:
    """Add the column of a key=value folder."""
    key, _, value = name.partition("=")
    if unquote(key) in columns:
        raise InputError(where, None, f"duplicate key {key!r} in the folder names")
    if value == NULL:
        hint = f"rename the folder to {key}=VALUE, or remove it"
        raise InputError(where, None, f"expected a value for {key!r}, found none", hint=hint)
    columns[unquote(key)] = unquote(value)


def _require_same_keys(path: Any, files: Sequence[PartFile]) -> None:
    """Raise an error if the files have different keys, so that rows of some would lack a column."""
    names = list(dict.fromkeys(tuple(sorted(file.columns)) for file in files))
    if len(names) > 1:
        found = " and ".join(", ".join(each) or "none" for each in names[:2])
        problem = f"expected key=value folders with the same keys for all files, found {found}"
        raise InputError(path, None, problem, hint="pass a pattern or a folder whose files all lie equally deep")


def _files(folder: str | Path | Address, visible: list[Path | Address], columns: dict[str, str]) -> Iterator[PartFile]:
    """Yield the files of one folder and of its key=value folders."""
    keys = {found[1] for child in visible if child.is_dir() and (found := KEY.fullmatch(child.name))}
    if len(keys) > 1:
        raise InputError(
            folder, None, f"expected key=value folders with the same key, found {' and '.join(sorted(keys))}"
        )
    for child in visible:
        above = {**columns, **_keys_above(folder, child)}
        if child.is_file():
            yield PartFile(child, above)
        elif child.is_dir() and KEY.fullmatch(child.name):
            _add_key(above, child.name, child)
            inner = [each for each in children(child) if not is_hidden(each.name)]
            yield from _files(child, inner, above)
        else:
            what = "the folder" if child.is_dir() else "the special file"
            problem = f"expected only part files, found {what} {child.name!r}"
            raise InputError(folder, None, problem, hint="move it out of the folder")
