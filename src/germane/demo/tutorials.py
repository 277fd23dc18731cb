"""Files for the tutorials: shipped or generated, and the same on every machine."""

from __future__ import annotations

import shutil
import tempfile
from importlib import import_module
from importlib.resources import as_file, files
from pathlib import Path

from germane.formats.files.targets import require_new

TUTORIALS = {
    "exercise": "judgments of three queries and two runs, from the lectures",
    "researcher": "judgments and ten runs",
    "search_engineer": "the articles of a help centre, its query log, and judgments of two colleagues",
    "ml_engineer": "ten million scores and labels in Parquet files",
    "lecturer": "the small examples of a course",
}
"""Tutorials, each with a description of its files. All but the exercise have a module `germane.demo.files_for_NAME`."""


def write_tutorial(name: str, folder: Path) -> list[str]:
    """Write the files of a tutorial to a folder, and return their names.

    Existing files with other content are not overwritten.
    """
    with tempfile.TemporaryDirectory() as scratch:
        made = Path(scratch)
        _make(name, made)
        names = sorted(file.relative_to(made).as_posix() for file in made.rglob("*") if file.is_file())
        for file in names:
            there = folder / file
            if there.exists() and not _same(there, made / file):
                require_new(there, hint="choose another folder")
        # Copy files one by one: copying the folder would also copy the private mode of a temporary folder.
        for file in names:
            (folder / file).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(made / file, folder / file)
    return names


def _make(name: str, folder: Path) -> None:
    if name == "exercise":
        with as_file(files("germane") / "data" / "lecture003") as shipped:
            shutil.copytree(shipped, folder, dirs_exist_ok=True)
    else:
        import_module(f"germane.demo.files_for_{name}").make(folder)


def _same(one: Path, other: Path) -> bool:
    return one.is_file() and one.stat().st_size == other.stat().st_size and one.read_bytes() == other.read_bytes()
