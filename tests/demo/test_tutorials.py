"""The files of a tutorial land in a folder that is as any other."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from germane.demo.tutorials import write_tutorial


@pytest.mark.parametrize("name", ["exercise", "researcher"])
def test_a_folder_has_the_mode_that_folders_get(name: str, tmp_path: Path) -> None:
    before = os.umask(0o022)
    try:
        names = write_tutorial(name, tmp_path / "new" / name)
    finally:
        os.umask(before)
    folders = {tmp_path / "new" / name, *((tmp_path / "new" / name / file).parent for file in names)}
    assert {folder.stat().st_mode & 0o777 for folder in folders} == {0o755}
    assert {(tmp_path / "new" / name / file).stat().st_mode & 0o777 for file in names} == {0o644}


def test_a_folder_that_is_there_keeps_its_mode(tmp_path: Path) -> None:
    folder = tmp_path / "private"
    folder.mkdir(mode=0o700)
    write_tutorial("exercise", folder)
    assert folder.stat().st_mode & 0o777 == 0o700
