"""A folder given in place of a run: which of its files are meant.

Every file that lies directly in the folder is a run, in the byte order of the names. Hidden files, whose names begin
with a dot, are left out as the shell's * leaves them out; whoever asks for the files can ask for those too and say so.
Anything else is an error: a folder inside the folder may hold runs that nobody wants to lose.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from germane.errors import InputError


def files_of(run: Any) -> list[Any]:
    """The run files of a folder; what is no folder stands for itself. Reading a file says if it is no run."""
    if not _is_folder(run):
        return [run]
    files: list[Any] = []
    for path in _inside(run):
        if path.is_file() and not _is_hidden(path):
            files.append(str(path))
        elif not _is_hidden(path):
            what = "the folder" if path.is_dir() else "what is no file:"
            hint = f"name the runs themselves, for example {Path(run) / '*.run'}"
            raise InputError(run, None, f"expected nothing but run files, found {what} {path.name!r}", hint=hint)
    if not files:
        hidden = ", ".join(hidden_files(run)[:3])
        raise InputError(run, None, f"expected run files, found {f'only hidden ones: {hidden}' if hidden else 'none'}")
    return files


def hidden_files(run: Any) -> list[str]:
    """The names of what is left out of a folder because it is hidden."""
    return [path.name for path in _inside(run) if _is_hidden(path)] if _is_folder(run) else []


def _inside(folder: str | Path) -> list[Path]:
    return sorted(Path(folder).iterdir(), key=lambda path: os.fsencode(path.name))


def _is_folder(run: Any) -> bool:
    return isinstance(run, str | Path) and Path(run).is_dir()


def _is_hidden(path: Path) -> bool:
    return path.name.startswith(".")
