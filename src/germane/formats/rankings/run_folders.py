"""A folder given in place of a run: which of its files are meant.

A folder that holds one table in parts (see `part_folders`) is one run. Of any other, every file that lies directly in
it is a run, in the byte order of the names. Hidden files, whose names begin with a dot or an underscore, are left out;
whoever asks for the files can ask for those too and say so. Anything else is an error: a folder inside the folder may
hold runs that nobody wants to lose.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from germane.errors import InputError
from germane.formats.files.part_folders import children, is_folder, is_hidden, parts_of


def files_of(run: Any) -> list[Any]:
    """The runs of a folder; what is no folder, or one table in parts, stands for itself.

    Reading a file says if it is no run.
    """
    if not is_folder(run) or parts_of(run) is not None:
        return [run]
    return separate_files(run)


def separate_files(folder: str | Path) -> list[str]:
    """The files that lie directly in a folder, each by itself."""
    files: list[str] = []
    for path in children(folder):
        if path.is_file() and not is_hidden(path.name):
            files.append(str(path))
        elif not is_hidden(path.name):
            what = "the folder" if path.is_dir() else "what is no file:"
            hint = f"name the runs themselves, for example {Path(folder) / '*.run'}"
            raise InputError(folder, None, f"expected nothing but run files, found {what} {path.name!r}", hint=hint)
    if not files:
        hidden = ", ".join(hidden_files(folder)[:3])
        found = f"only hidden ones: {hidden}" if hidden else "none"
        raise InputError(folder, None, f"expected run files, found {found}")
    return files


def hidden_files(run: Any) -> list[str]:
    """The names of what is left out of a folder of runs because it is hidden.

    Beside the parts of a table these are notes of the program that wrote it, and not worth naming.
    """
    if not is_folder(run) or parts_of(run) is not None:
        return []
    return [path.name for path in children(run) if is_hidden(path.name)]
