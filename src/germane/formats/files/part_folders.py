"""Folders that hold one table in parts, as Spark, Dask and their like write it, and folders of separate files.

A folder is one table if its files are called ``part-*`` (or ``NAME-00000-of-00004``), if it holds ``_SUCCESS``, or if
its folders are called ``key=value``; then each key is a column. Names that begin with ``.`` or ``_`` are notes of the
program that wrote the folder, never data. A folder that holds parts and other files could be either: that is an error,
and `Parts` says which is meant. Every engine and every command asks here.

Of any other folder that is given in place of a run, every file that lies directly in it is a run, in the byte order of
the names. Hidden files, whose names begin with a dot or an underscore, are left out; whoever asks for the files can ask
for those too and say so. Anything else is an error: a folder inside the folder may hold runs that nobody wants to lose.
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
    "--folders one reads all files as one table, --folders many each by itself; in Python, pass "
    "germane.formats.Parts(folder) or a list of its files"
)


class Parts(str):
    """The path of a folder whose files are one table, whatever they are called.

    Every function that takes a path takes it.

    >>> Parts("runs/dense") == "runs/dense"
    True
    """

    __slots__ = ()

    def __new__(cls, path: str | Path) -> Parts:
        return super().__new__(cls, path)


class PartFile(NamedTuple):
    """One file of a table, and the columns that the names of its folders give it."""

    path: Path
    columns: dict[str, str]


def is_hidden(name: str) -> bool:
    """Whether a name in a folder is no data: a note of the system or of the program that wrote the folder.

    >>> [is_hidden(name) for name in ("_SUCCESS", ".part-0.crc", "_year=2024", "part-0")]
    [True, True, False, False]
    """
    return name.startswith(".") or (name.startswith("_") and "=" not in name)


def is_part_name(name: str) -> bool:
    """Whether a program calls a part of a table so.

    >>> [is_part_name(n) for n in ("part-00000-c000.snappy.parquet", "part.0.parquet", "run-00001-of-00004", "party")]
    [True, True, True, False]
    """
    return PART.match(name) is not None


def children(folder: str | Path) -> list[Path]:
    """All that lies directly in a folder, in the byte order of the names."""
    return sorted(Path(folder).iterdir(), key=lambda path: os.fsencode(path.name))


def is_folder(path: Any) -> bool:
    """Whether this is the path of a folder."""
    return isinstance(path, str | Path) and str(path) != "-" and Path(path).is_dir()


def parts_of(path: Any) -> list[PartFile] | None:
    """The files of a table in parts, in order; None for what is no folder, and for a folder of separate files."""
    if not is_folder(path):
        return None
    visible = [child for child in children(path) if not is_hidden(child.name)]
    if (Path(path) / DELTA).is_dir():
        hint = "open it with Delta Lake, which knows its deleted files, and write the rows as Parquet"
        raise InputError(path, None, "expected part files, found a Delta table", hint=hint)
    if not isinstance(path, Parts) and not _is_one_table(path, visible):
        return None
    files = list(_files(path, visible, {}))
    if not files:
        raise InputError(path, None, "expected part files, found none")
    return files


@contextmanager
def naming_parts(path: Any) -> Iterator[None]:
    """Let errors about a line of a table in parts name the part and the line in it."""
    try:
        yield
    except InputError as error:
        located = in_its_part(error, path)
        if located is error:
            raise
        raise located from None


def in_its_part(error: InputError, path: Any) -> InputError:
    """The same error, named after the part of the table and the line in it."""
    if error.line is None or error.source != str(path) or (parts := parts_of(path)) is None:
        return error
    from germane.formats.files.joined_parts import place_of
    from germane.formats.rows.text import RowError

    part, line = place_of(path, parts, error.line)
    if isinstance(error, RowError):
        return RowError(str(part), line, error.kind, error.problem, hint=error.hint)
    return InputError(part, line, error.problem, hint=error.hint)


def require_one_table(path: Any) -> None:
    """Refuse a folder of separate files where one table is expected."""
    if is_folder(path) and parts_of(path) is None:
        from germane.formats.files.sources import meant_inside

        hint = meant_inside(path) or f"name one file; {CHOICE}"
        raise InputError(path, None, "expected a file or a table in parts, found a folder of separate files", hint=hint)


def require_part_names(path: str, files: Sequence[str]) -> None:
    """Refuse several files that are read as one table although their names do not say that they are parts.

    This is for addresses and patterns, where only the names of the files are known.
    """
    others = [file for file in files if not (is_part_name(file.rpartition("/")[2]) or "=" in _folder_name(file))]
    if len(files) > 1 and others and not isinstance(path, Parts):
        found = f"{len(files)} files, such as {others[0].rpartition('/')[2]!r}"
        problem = f"expected files called part-*, or folders called key=value, as the parts of one table, found {found}"
        raise InputError(path, None, problem, hint=f"name one file; {CHOICE}")


def files_of(run: Any) -> list[Any]:
    """The runs of a folder; what is no folder, or one table in parts, stands for itself.

    Reading a file says if it is no run.
    """
    return separate_files(run) if is_folder(run) and parts_of(run) is None else [run]


def separate_files(folder: str | Path) -> list[str]:
    """The files that lie directly in a folder, each by itself."""
    visible = [path for path in children(folder) if not is_hidden(path.name)]
    for path in visible:
        if not path.is_file():
            what = "the folder" if path.is_dir() else "what is no file:"
            hint = f"name the runs themselves, for example {Path(folder) / '*.run'}"
            raise InputError(folder, None, f"expected nothing but run files, found {what} {path.name!r}", hint=hint)
    if not visible:
        hidden = ", ".join(hidden_files(folder)[:3])
        found = f"only hidden ones: {hidden}" if hidden else "none"
        raise InputError(folder, None, f"expected run files, found {found}")
    return list(map(str, visible))


def hidden_files(run: Any) -> list[str]:
    """The names of what is left out of a folder of runs because it is hidden.

    Beside the parts of a table these are notes of the program that wrote it, and not worth naming.
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
        found = f"parts such as {ones[0].name!r} beside {others[0].name!r}"
        raise InputError(folder, None, f"expected the parts of one table or separate files, found {found}", hint=CHOICE)
    return True


def _files(folder: str | Path, visible: list[Path], columns: dict[str, str]) -> Iterator[PartFile]:
    """The files of one folder and of its key=value folders."""
    keys = {found[1] for child in visible if child.is_dir() and (found := KEY.fullmatch(child.name))}
    if len(keys) > 1:
        raise InputError(folder, None, f"expected folders of one key, found {' and '.join(sorted(keys))}")
    for child in visible:
        found = KEY.fullmatch(child.name)
        if child.is_file():
            yield PartFile(child, columns)
        elif child.is_dir() and found:
            if found[1] in columns:
                raise InputError(child, None, f"expected each key once, found {found[1]!r} twice")
            if found[2] == NULL:
                raise InputError(child, None, f"expected a value for {found[1]!r}, found none")
            inner = [each for each in children(child) if not is_hidden(each.name)]
            yield from _files(child, inner, {**columns, unquote(found[1]): unquote(found[2])})
        else:
            what = "the folder" if child.is_dir() else "what is not a file:"
            raise InputError(folder, None, f"expected nothing but part files, found {what} {child.name!r}")
